"""Chromium finds what a deep link names: it scrolls there from the top of a long page."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from app.chat.text.deep_links import deep_link
from ingest.html.markdown import to_markdown

URL = "https://www.otterfurt.example/page"
FAR = '<div style="height: 3000px"></div>'


@pytest.fixture(scope="module")
def context(browser: Browser) -> BrowserContext:
    return browser.new_context()


@pytest.mark.parametrize(
    ("before", "element", "beginning"),
    [
        (
            "<p>The ferry leaves at nine.</p>",
            "<p id=t>The ferry leaves at ten.</p>",
            "The ferry leaves at ten",
        ),
        (
            "<p>Das Café am See hat offen.</p>",
            "<p id=t>DAS CAFE AM SEE HAT ZU, bis Mai.</p>",
            "DAS",
        ),
        (
            "<h2>Preise</h2>",
            "<ul><li>Hunde frei<li id=t>Kinder zahlen <a href=/2>zwei Euro</a> – höchstens</ul>",
            "- Kinder",
        ),
        (
            "<p>Bad</p>",
            "<table><tr><th>Tag<th>Zeit<tr><td>Dienstag<td id=t>Das Bad ist offen</table>",
            "| Dienstag",
        ),
        (
            "<p>Honey</p>",
            "<p id=t>Bees-wax, honey &amp; mead from <b>Käthe</b> cost 5,50&nbsp;€.</p>",
            "Bees",
        ),
        (
            "<p>Amt</p>",
            "<p id=t>Die Gemein&shy;de&shy;ver&shy;waltung hilft Ihnen gern.</p>",
            "Die",
        ),
        ("<p>Bienen</p>", "<p id=t>Wer Bienen\n   hält,   meldet\nsie beim Amt an.</p>", "Wer"),
        ("<p>Lines</p>", "<p>First line<br><span id=t>second line has the words.</span></p>", "second"),
        ("<p>Quote</p>", "<blockquote><p id=t>“Bees!” (3.5.2024 at 10:30 o'clock)</p></blockquote>", "> “"),
        ("<dl><dt>Amt<dd>Im Rathaus</dl>", "<dl><dt>Fundbüro<dd id=t>Zimmer 3 im Rathaus</dl>", "Fundbüro"),
        ("<p>Stars</p>", "<p id=t>A * star, [brackets] and under_scores in C#, 100 % of it.</p>", "A "),
    ],
)
def test_chromium_scrolls_to_the_words_that_a_link_names(
    context: BrowserContext, before: str, element: str, beginning: str
) -> None:
    html = f"<!doctype html><meta charset=utf-8><main>{before}{FAR}{element}{FAR}</main>"
    markdown = to_markdown(html, URL)
    link = deep_link(URL, markdown, markdown.encode().index(beginning.encode()), len(markdown.encode()))
    assert link != URL
    page = context.new_page()
    page.route("**/*", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(link)
    expect(page.locator("#t")).to_be_in_viewport()
    page.close()
