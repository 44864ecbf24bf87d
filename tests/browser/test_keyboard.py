"""The chat without a mouse, and what those are told who do not see it."""

import threading

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION = "Was kostet die Hundesteuer?"
SUGGESTION = "Welche Hunde sind befreit? – Hundesteuer"
CITING = '<p>Sie kostet 96 Euro <a class="citation" href="#source-1">[1]</a>. Das ist wenig.</p>'
WHOLE = (started(), found(source(1), source(None, "Hundewiese")), block(CITING), done())


@pytest.fixture
def chat(visit: StartVisit, website: Website, scripted: ScriptedService) -> Visit:
    """The chat on the town's home page, opened."""
    return visit().go(website.embed(scripted.address))


def focused(page: Page) -> str:
    """What the focused element in the chat is called."""
    return str(
        page.evaluate(
            "() => { const a = document.querySelector('auskunft-chat').shadowRoot.activeElement;"
            " return a && (a.getAttribute('aria-label') || a.textContent || a.localName); }"
        )
    )


def test_everything_can_be_done_by_keyboard_alone(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    keyboard = chat.page.keyboard
    chat.page.goto(website.embed(scripted.address))
    expect(chat.launcher).to_be_visible()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(chat.field).to_be_focused()
    scripted.script(Reply(pieces=(*WHOLE[:3], done(suggestions=[SUGGESTION]))))
    keyboard.type(QUESTION)
    keyboard.press("Enter")
    chat.finished()
    for name in ("Neues Gespräch", "Gespräch löschen", "Chat schließen"):
        expect(chat.button(name)).to_be_visible()
    reached = []
    for _ in range(15):
        keyboard.press("Shift+Tab")
        reached.append(focused(chat.page))
    expected = [
        SUGGESTION.removesuffix(" – Hundesteuer"),
        "Ebenfalls gefunden (1)",
        "Auszug: Hundesteuer",
        "Quelle 1Hundesteuer",
        "Nein, nicht hilfreich",
        "Ja, hilfreich",
        "Antwort kopieren",
        "[1] Hundesteuer",
        *reversed(["Was kostet die Hundesteuer?", "Wann fährt die Fähre?", "Wo darf ich Bienen halten?"]),
        "Gespräch",
        "Chat schließen",
        "Gespräch löschen",
        "Neues Gespräch",
    ]
    assert reached == expected


def test_escape_closes_and_gives_the_focus_back(chat: Visit) -> None:
    chat.page.keyboard.press("Escape")
    expect(chat.panel).to_be_hidden()
    expect(chat.launcher).to_be_focused()
    expect(chat.launcher).to_have_attribute("aria-expanded", "false")
    chat.page.keyboard.press("Enter")
    expect(chat.field).to_be_focused()
    chat.button("Chat schließen").press("Enter")
    expect(chat.launcher).to_be_focused()


def test_shift_and_enter_begin_a_new_line(chat: Visit, scripted: ScriptedService) -> None:
    chat.field.press_sequentially("Erste")
    chat.field.press("Shift+Enter")
    chat.field.press_sequentially("Zweite")
    scripted.script(Reply(pieces=WHOLE))
    chat.field.press("Enter")
    chat.finished()
    assert [body["question"] for body in scripted.asked("POST", "/api/chat")] == ["Erste\nZweite"]


def test_nothing_is_asked_while_an_answer_is_written_or_the_field_is_empty(
    chat: Visit, scripted: ScriptedService
) -> None:
    chat.ask("   ")
    gate = threading.Event()
    scripted.script(Reply(pieces=WHOLE, gates={3: gate}))
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("96 Euro")
    chat.ask("Und dann?")
    expect(chat.field).to_have_value("Und dann?")
    gate.set()
    chat.finished()
    assert len(scripted.asked("POST", "/api/chat")) == 1


def test_the_answer_is_announced_sentence_by_sentence_and_once(
    chat: Visit, scripted: ScriptedService
) -> None:
    gate = threading.Event()
    scripted.script(Reply(pieces=WHOLE, gates={3: gate}))
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("96 Euro")
    assert chat.announced == [
        "Die Seiten werden durchsucht …",
        "Die Antwort wird geschrieben …",
        "Sie kostet 96 Euro.",
        "Das ist wenig.",
    ]
    gate.set()
    chat.finished()
    assert chat.announced[4:] == ["Die Antwort ist vollständig."]


def test_the_focus_survives_what_the_answer_adds(chat: Visit, scripted: ScriptedService) -> None:
    gates = {2: threading.Event(), 3: threading.Event()}
    scripted.script(Reply(pieces=WHOLE, gates=gates))
    chat.ask(QUESTION)
    gates[2].set()
    citation = chat.answer.get_by_role("link", name="[1] Hundesteuer")
    citation.focus()
    gates[3].set()
    chat.finished()
    expect(citation).to_be_focused()


def test_the_focus_is_not_lost_with_the_button_that_stops(chat: Visit, scripted: ScriptedService) -> None:
    gate = threading.Event()
    scripted.script(Reply(pieces=WHOLE, gates={3: gate}))
    chat.ask(QUESTION)
    chat.button("Anhalten").focus()
    gate.set()
    chat.finished()
    expect(chat.field).to_be_focused()


def test_where_fingers_type_no_keyboard_covers_the_opened_chat(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    chat.go(website.embed(scripted.address))
    expect(chat.page.get_by_role("heading", name="Fragen an Otterfurt")).to_be_focused()
