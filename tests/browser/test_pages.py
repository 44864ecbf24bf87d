"""The pages of the service itself: the search, the chat with and without scripts."""

from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import ScriptedService
from tests.browser.town import answering
from tests.browser.visit import Visit
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm

QUESTION = "Was kostet die Hundesteuer im Jahr?"
ANSWER = "STATUS: answered\nSie kostet **96 Euro** im Jahr [1]."
CHAT = "/chat?lang=de"
LINK = '<auskunft-chat site="town"><a href="/chat?site=town">Zum Chat</a></auskunft-chat>'


def form_of(visit: Visit) -> Locator:
    """The field of the page itself."""
    return visit.page.locator("form.ask #question")


def test_the_chat_takes_the_place_of_the_pages_form(visit: StartVisit, service: str, llm: FakeLlm) -> None:
    chat = visit()
    chat.page.goto(f"{service}{CHAT}")
    expect(chat.page.get_by_role("log")).to_be_visible()
    expect(chat.page.get_by_role("textbox")).to_have_count(1)
    expect(form_of(chat)).to_be_hidden()
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    expect(chat.answer).to_contain_text("96 Euro")


def test_the_pages_form_stays_and_works_where_the_chat_cannot_be_loaded(
    visit: StartVisit, service: str, llm: FakeLlm
) -> None:
    chat = visit()
    chat.page.route("**/chat.js", lambda route: route.abort())
    with chat.page.expect_event("requestfailed"):
        chat.page.goto(f"{service}{CHAT}")
    expect(form_of(chat)).to_be_visible()
    expect(chat.page.get_by_text("nicht laden")).to_have_count(0)
    answering(llm, ANSWER)
    form_of(chat).fill(QUESTION)
    chat.button("Frage senden").click()
    expect(chat.page.locator("article.turn .prose")).to_contain_text("96 Euro")


def test_nobody_loses_the_form_that_they_are_filling_in(visit: StartVisit, service: str) -> None:
    chat = visit()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    chat.page.route("**/chat.js", hold)
    with chat.page.expect_request("**/chat.js"):
        chat.page.goto(f"{service}{CHAT}")
    form_of(chat).fill("Was kostet")
    held[0].continue_()
    expect(chat.page.locator("auskunft-chat .panel")).to_be_attached()
    expect(form_of(chat)).to_have_value("Was kostet")
    expect(form_of(chat)).to_be_focused()
    expect(chat.page.get_by_role("log")).to_have_count(0)


def test_a_link_that_a_website_put_in_the_element_gives_way_to_the_chat(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    address = website.embed(scripted.address, body=LINK, site="")
    scripted.failing.add("chat.js")
    chat.page.goto(address)
    link = chat.page.get_by_role("link", name="Zum Chat")
    expect(link).to_be_visible()
    scripted.failing.clear()
    chat.page.reload()
    expect(chat.field).to_be_visible()
    expect(link).to_have_count(0)
