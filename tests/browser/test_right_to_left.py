"""The chat in a language that is read from right to left, with quotes of a page that is not."""

from playwright.sync_api import expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION = "كم ضريبة الكلاب؟"
LABEL = "<p>مقتطفات حرفية (النص الأصلي بالألمانية):</p>"
QUOTE = (
    "<blockquote>\n<p><strong>Hundesteuer</strong></p>\n<ul>\n<li>erster Hund: 96 Euro"
    ' <a class="citation" href="#source-1">[1]</a></li>\n</ul>\n</blockquote>'
)
DIRECTION = "each => getComputedStyle(each).direction"


def answered(visit: StartVisit, website: Website, scripted: ScriptedService, language: str) -> Visit:
    """The chat on a page in this language, with an Arabic answer that quotes a German page."""
    chat = visit().go(website.embed(scripted.address, language=language))
    scripted.script(Reply(pieces=(started(), found(source(1)), block(LABEL), block(QUOTE), done())))
    field = chat.panel.get_by_role("textbox")
    field.fill(QUESTION)
    field.press("Enter")
    expect(chat.exchanges.last.locator(".sources .title")).to_be_visible()
    return chat


def test_the_chat_of_an_arabic_page_is_read_from_right_to_left(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = answered(visit, website, scripted, "ar")
    expect(chat.panel).to_have_attribute("dir", "rtl")
    assert chat.panel.evaluate(DIRECTION) == "rtl"
    field, send = (
        chat.panel.get_by_role("textbox").bounding_box(),
        chat.page.locator(".send:not(.stop)").bounding_box(),
    )
    assert field and send and send["x"] < field["x"]
    assert chat.panel.get_by_role("textbox").evaluate(DIRECTION) == "rtl"
    chat.panel.get_by_role("textbox").fill("Hundesteuer")
    assert chat.panel.get_by_role("textbox").evaluate(DIRECTION) == "ltr"


def test_an_arabic_answer_runs_right_to_left_and_its_german_quote_left_to_right(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    for language in ("ar", "de"):
        chat = answered(visit, website, scripted, language)
        turn = chat.exchanges.last
        assert turn.locator(".bubble").evaluate(DIRECTION) == "rtl"
        assert turn.locator(".blocks > p").evaluate(DIRECTION) == "rtl"
        assert turn.locator("blockquote").evaluate(DIRECTION) == "ltr"
        assert turn.locator("blockquote li").evaluate(DIRECTION) == "ltr"
        assert turn.locator(".sources .title").evaluate(DIRECTION) == "ltr"
