"""A visitor whom an answer does not help hands the question over to a person, in a real browser."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.barriers import barriers_in_every_look
from tests.browser.conftest import StartVisit
from tests.browser.town import answering, serving
from tests.browser.visit import Visit
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm
from tests.services.ports import free_port

QUESTION: Final = "Was kostet die Hundesteuer im Jahr?"
REFUSED: Final = "STATUS: none\nDas steht nicht auf den Seiten."
ANSWER: Final = "STATUS: answered\nSie kostet **96 Euro** im Jahr [1]."
OFFER: Final = "Einen Menschen fragen (öffnet sich in einem neuen Tab)"
ENGLISH: Final = "Ask a person (opens in a new tab)"
CONTACT: Final = "E-Mail-Adresse oder Telefonnummer für die Antwort (erforderlich)"
NUMBER: Final = re.compile(r"^[2-9A-Z]{3}-[2-9A-Z]{3}$")
MAIL: Final[dict[str, Any]] = {"smtp__host": "127.0.0.1", "smtp__sender": "auskunft@town.example"}


@pytest.fixture(scope="module")
def handing(website: Website, shared_llm: FakeLlm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service whose site hands over by e-mail; its mail server is away."""
    folder, more = tmp_path_factory.mktemp("handing"), {"handover": {"email": "service@town.example"}}
    settings = MAIL | {"smtp__port": free_port()}
    with serving(folder, website.address, shared_llm, more=more, **settings) as address:
        yield address


@pytest.fixture
def refused(visit: StartVisit, website: Website, handing: str, llm: FakeLlm) -> StartVisit:
    """Start a visit with a question that no page answers."""

    def start(**options: Any) -> Visit:
        chat = visit(**options).go(website.embed(handing))
        answering(llm, REFUSED)
        chat.ask(QUESTION)
        chat.finished()
        return chat

    return start


def opened(chat: Visit, offer: str = OFFER) -> Page:
    """The page of the hand-over, in a tab of its own."""
    with chat.page.expect_popup() as popup:
        chat.button(offer).click()
    return popup.value


def test_a_question_that_is_refused_is_handed_over_from_the_widget(refused: StartVisit, handing: str) -> None:
    chat = refused()
    page = opened(chat)
    assert page.url == f"{handing}/handover?site=town&lang=de"
    expect(page.get_by_role("heading", level=1)).to_have_text("Einen Menschen fragen")
    expect(page.locator(".said h3")).to_contain_text(f"{QUESTION} (nicht beantwortet)")
    page.get_by_label(CONTACT).fill("069 900090")
    page.get_by_label(re.compile("Ich bin einverstanden")).check()
    page.get_by_role("button", name="Absenden").click()
    expect(page.locator(".done strong")).to_have_text(NUMBER)
    number = page.locator(".done strong").inner_text()
    page.reload()
    expect(page.locator(".done strong")).to_have_text(number)
    assert "site=town" in page.url and number not in page.url


def test_an_answer_that_is_rated_down_offers_a_person(
    visit: StartVisit, website: Website, handing: str, llm: FakeLlm
) -> None:
    chat = visit().go(website.embed(handing))
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    expect(chat.button(OFFER)).to_have_count(0)
    chat.button("Nein, nicht hilfreich").click()
    expect(chat.button(OFFER)).to_be_visible()
    expect(opened(chat).locator(".said h3")).to_contain_text("nicht beantwortet")
    chat.button("Ja, hilfreich").click()
    expect(chat.button(OFFER)).to_have_count(0)


def test_an_offer_is_there_again_after_a_reload(refused: StartVisit) -> None:
    chat = refused()
    chat.page.reload()
    chat.open()
    expect(chat.button(OFFER)).to_be_visible()


def test_in_english(visit: StartVisit, website: Website, handing: str, llm: FakeLlm) -> None:
    chat = visit().go(website.embed(handing, language="en"))
    answering(llm, "STATUS: none\nThe pages do not say that.")
    field = chat.page.get_by_role("textbox", name="Your question")
    field.fill("How much is the dog tax?")
    field.press("Enter")
    page = opened(chat, ENGLISH)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask a person")
    page.get_by_label("E-mail address or phone number").fill("mia@visitor.example")
    page.get_by_label(re.compile("I agree")).check()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".done")).to_contain_text("Your message was accepted.")


def test_with_the_keyboard_alone(refused: StartVisit) -> None:
    chat = refused()
    offer = chat.button(OFFER)
    for _ in range(30):
        chat.page.keyboard.press("Shift+Tab")
        if offer.evaluate("button => button.getRootNode().activeElement === button"):
            break
    expect(offer).to_be_focused()
    with chat.page.expect_popup() as popup:
        chat.page.keyboard.press("Enter")
    page = popup.value
    contact = page.get_by_label(CONTACT)
    for _ in range(20):
        page.keyboard.press("Tab")
        if contact.evaluate("field => document.activeElement === field"):
            break
    page.keyboard.type("069 900090")
    for key in ("Tab", "Tab", "Tab", "Space"):
        page.keyboard.press(key)
    expect(page.get_by_label(re.compile("Ich bin einverstanden"))).to_be_checked()
    page.keyboard.press("Tab")
    if page.get_by_role("link", name="Datenschutz").evaluate("link => document.activeElement === link"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".done strong")).to_have_text(NUMBER)


def test_axe_finds_no_barrier_and_nothing_scrolls_sideways(refused: StartVisit, axe: str) -> None:
    chat = refused(bypass_csp=True)
    assert barriers_in_every_look(chat.page, axe) == []
    page = opened(chat)
    assert barriers_in_every_look(page, axe) == []
    page.get_by_label(CONTACT).evaluate("field => { field.form.noValidate = true }")
    page.get_by_role("button", name="Absenden").click()
    expect(page.locator("#contact-error")).to_be_visible()
    expect(page.get_by_label(CONTACT)).to_have_attribute("aria-invalid", "true")
    assert barriers_in_every_look(page, axe) == []
    page.get_by_label(CONTACT).fill("069 900090")
    page.get_by_label(re.compile("Ich bin einverstanden")).check()
    page.get_by_role("button", name="Absenden").click()
    done = page.locator(".done strong, [role=alert]")  # the fifth in an hour is too many
    expect(done.first).to_be_visible()
    assert barriers_in_every_look(page, axe) == []


def test_without_scripts(visit: StartVisit, handing: str, llm: FakeLlm) -> None:
    reader = visit(java_script_enabled=False, viewport={"width": 320, "height": 568})
    reader.page.goto(f"{handing}/chat?site=town&lang=de")
    answering(llm, REFUSED)
    reader.page.locator("#question").fill(QUESTION)
    reader.button("Frage senden").click()
    reader.button("Einen Menschen fragen").click()
    expect(reader.page.locator(".said h3")).to_contain_text(QUESTION)
    expect(reader.page.locator(".said")).to_contain_text("nicht beantwortet")
    assert "conversation" not in reader.page.url


def test_a_website_with_a_strict_policy_and_no_referrer_can_open_it(
    visit: StartVisit, website: Website, handing: str, llm: FakeLlm
) -> None:
    address = website.embed(handing, path="/strict", strict=True)
    website.policies["/strict"] += f"; form-action {handing}"
    website.pages["/strict"] = website.pages["/strict"].replace(
        "<head>", '<head><meta name="referrer" content="no-referrer">'
    )
    chat = visit().go(address)
    answering(llm, REFUSED)
    chat.ask(QUESTION)
    chat.finished()
    expect(opened(chat).locator(".said h3")).to_contain_text(QUESTION)
    assert [line for line in chat.console if "form-action" in line] == []
