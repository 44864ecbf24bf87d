"""What people did wrong is said in German where they chose German, whatever they sent."""

import re

import pytest
from werkzeug.test import TestResponse

from tests.app.console.conftest import Console
from tests.app.web.browser import soup

ENGLISH = re.compile(
    r"\b(the|gives?|use|is|it|has|should|must|input|string|write|there|that|your|answers|cannot|of|to|no|and|again)\b",
    re.IGNORECASE,
)


def said(answer: TestResponse, status: int = 400) -> str:
    """What the page says was wrong."""
    assert answer.status_code == status, answer.text[:300]
    found = soup(answer).select_one("main [role=alert], main p.intro")
    assert found is not None
    return found.get_text(" ", strip=True)


@pytest.mark.parametrize(
    "path",
    [
        "/sites/town?accent=rot",
        "/pages?after=x",
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_german(german: Console, path: str) -> None:
    message = said(german.get(path))
    assert not ENGLISH.search(message), message


def test_what_is_too_large_is_said_in_german(german: Console) -> None:
    message = said(german.post("/users", name="x" * 100_000), 413)
    assert "zu viel auf einmal" in message
