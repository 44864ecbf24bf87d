"""Barriers that only one look brings are found."""

import pytest
from playwright.sync_api import Browser

from tests.browser.barriers import barriers_in_every_look

PAGE = """<!doctype html><html lang="en"><title>Dog tax</title><style>{style}</style>
<main><h1>Dog tax</h1><p>108 euros a year for each dog.</p></main>"""


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("", []),
        ("@media (prefers-color-scheme: dark) { p { color: #777; background: #666 } }", ["color-contrast"]),
        ("@media (max-width: 400px) { p { width: 500px } }", ["188 pixels too wide"]),
    ],
)
def test_what_only_one_look_brings_is_found(browser: Browser, axe: str, style: str, found: list[str]) -> None:
    page = browser.new_page()
    page.set_content(PAGE.format(style=style))
    lines = barriers_in_every_look(page, axe)
    page.close()
    assert [line.split(":")[0].split(" (")[0] for line in lines] == found
