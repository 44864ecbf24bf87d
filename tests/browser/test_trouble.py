"""What a visitor sees when something fails: refusals, lost connections, silence, files that do not come."""

import threading
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, frame, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION = "Was kostet die Hundesteuer?"
WHOLE = (started(), found(), block("<p>Sie kostet 96 Euro.</p>"), block("<p>Im Jahr.</p>", 1), done())


@pytest.fixture
def chat(visit: StartVisit, website: Website, scripted: ScriptedService) -> Visit:
    """The chat on the town's home page, opened."""
    return visit().go(website.embed(scripted.address))


def stored(status: str, html: str, answer: str = "a1", **changes: Any) -> dict[str, Any]:
    given = {"id": answer, "conversation": "c1", "question": QUESTION, "status": status, "html": html}
    rest = {"sources": [source(1)], "citations": [1], "probable": [], "degraded": [], "model": "fake"}
    return given | rest | changes


def cut_after_first_block(chat: Visit, scripted: ScriptedService, ending: Any = "cut") -> None:
    """Ask, and lose the connection in the middle of the second block's event."""
    gate = threading.Event()
    scripted.script(Reply(pieces=(*WHOLE[:3], WHOLE[3][:20]), ending=ending, gates={4: gate}))
    chat.ask(QUESTION)
    expect(chat.answer.locator("p")).to_have_text("Sie kostet 96 Euro.")
    gate.set()


REFUSALS: tuple[tuple[int, dict[str, str], str], ...] = (
    (400, {}, "vielleicht ist sie zu lang"),
    (404, {}, "nicht eingerichtet"),
    (409, {}, "wird noch beantwortet"),
    (429, {"Retry-After": "30"}, "versuchen Sie es in 30 Sekunden noch einmal"),
    (429, {"Retry-After": "600"}, "versuchen Sie es in 10 Minuten noch einmal"),
    (429, {}, "versuchen Sie es später noch einmal"),
    (503, {}, "versuchen Sie es später noch einmal"),
)


def test_a_refusal_is_explained_and_the_question_can_be_asked_again(
    chat: Visit, scripted: ScriptedService
) -> None:
    chat.field.fill(QUESTION)
    scripted.script(*(Reply(status=status, headers=headers) for status, headers, _ in REFUSALS))
    ask_again = chat.button("Frage senden")
    for _, _, sentence in REFUSALS:
        ask_again.click()
        expect(chat.exchanges.last.locator(".problem")).to_contain_text(sentence)
        ask_again = chat.button("Noch einmal versuchen")
    scripted.script(Reply(pieces=WHOLE))
    ask_again.click()
    expect(chat.answer).to_contain_text("96 Euro")
    expect(chat.exchanges).to_have_count(1)


def test_offline_is_told_and_overcome(chat: Visit, scripted: ScriptedService) -> None:
    chat.page.context.set_offline(True)
    chat.ask(QUESTION)
    expect(chat.exchanges.last).to_contain_text("Keine Verbindung.")
    chat.page.context.set_offline(False)
    scripted.script(Reply(pieces=WHOLE))
    chat.button("Noch einmal versuchen").click()
    expect(chat.answer).to_contain_text("96 Euro")


def test_an_answer_that_was_finished_after_the_connection_dropped_is_fetched(
    chat: Visit, scripted: ScriptedService
) -> None:
    scripted.stored["a1"] = stored("answered", "<p>Sie kostet 96 Euro.</p>\n<p>Im Jahr.</p>")
    cut_after_first_block(chat, scripted)
    chat.finished()
    expect(chat.answer.locator("p")).to_have_text(["Sie kostet 96 Euro.", "Im Jahr."])
    expect(chat.exchanges.last.locator(".problem p")).to_have_count(0)
    assert chat.announced.count("Sie kostet 96 Euro.") == 1
    assert chat.announced.count("Im Jahr.") == 1


@pytest.mark.parametrize("ending", ["cut", "end"])
def test_an_answer_that_broke_off_is_shown_as_far_as_it_is_kept_and_asked_again(
    chat: Visit, scripted: ScriptedService, ending: Any
) -> None:
    scripted.stored["a1"] = stored("interrupted", "<p>Sie kostet 96 Euro.</p>\n<p>Im</p>")
    cut_after_first_block(chat, scripted, ending)
    scripted.script(Reply(pieces=WHOLE))
    expect(chat.exchanges.last).to_contain_text("Die Verbindung ist abgerissen.")
    expect(chat.answer.locator("p")).to_have_text(["Sie kostet 96 Euro.", "Im"])
    chat.button("Noch einmal fragen").click()
    expect(chat.exchanges).to_have_count(2)
    expect(chat.answer).to_contain_text("Im Jahr.")


def test_what_arrived_stays_if_nothing_is_kept(chat: Visit, scripted: ScriptedService) -> None:
    cut_after_first_block(chat, scripted)
    expect(chat.exchanges.last).to_contain_text("Die Verbindung ist abgerissen.")
    expect(chat.answer.locator("p")).to_have_text("Sie kostet 96 Euro.")
    expect(chat.button("Noch einmal fragen")).to_be_visible()


def test_a_silent_connection_counts_as_lost(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    chat.page.clock.install()
    chat.go(website.embed(scripted.address))
    scripted.stored["a1"] = stored("answered", "<p>Sie kostet 96 Euro.</p>")
    scripted.script(Reply(pieces=WHOLE[:2], ending="hang"))
    chat.ask(QUESTION)
    expect(chat.exchanges.last.locator(".progress")).to_contain_text("geschrieben")
    chat.page.clock.fast_forward(19_000)
    expect(chat.button("Anhalten")).to_be_visible()
    chat.page.clock.fast_forward(2_000)
    expect(chat.answer).to_contain_text("96 Euro")


def test_a_slow_answer_is_not_taken_for_lost(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    chat.page.clock.install()
    chat.go(website.embed(scripted.address))
    gates = {2: threading.Event(), 3: threading.Event()}
    scripted.script(Reply(pieces=(*WHOLE[:2], b": ping\n\n" + WHOLE[2], *WHOLE[3:]), gates=gates))
    chat.ask(QUESTION)
    expect(chat.exchanges.last.locator(".progress")).to_contain_text("geschrieben")
    chat.page.clock.fast_forward(19_000)
    gates[2].set()
    expect(chat.answer.locator("p")).to_have_count(1)
    chat.page.clock.fast_forward(19_000)
    gates[3].set()
    expect(chat.answer.locator("p")).to_have_count(2)
    assert scripted.asked("GET", "/api/answers/a1") == []


def test_events_cut_anywhere_and_unknown_ones_are_read(chat: Visit, scripted: ScriptedService) -> None:
    stream = b"".join((frame("weather", sun=True), *WHOLE)).replace(b"\n", b"\r\n")
    scripted.script(Reply(pieces=tuple(stream[i : i + 7] for i in range(0, len(stream), 7))))
    chat.ask("Groß? 🐝")
    chat.finished()
    expect(chat.answer.locator("p")).to_have_text(["Sie kostet 96 Euro.", "Im Jahr."])


def test_a_failure_of_the_service_is_told(chat: Visit, scripted: ScriptedService) -> None:
    scripted.script(Reply(pieces=(*WHOLE[:3], frame("failed", code="index_unavailable"))))
    chat.ask(QUESTION)
    expect(chat.exchanges.last).to_contain_text("versuchen Sie es später noch einmal")
    expect(chat.answer).to_contain_text("96 Euro")


def test_an_answer_that_was_being_written_when_the_page_was_left_is_looked_for(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    address = website.embed(scripted.address)
    scripted.stored["a1"] = stored("running", "", sources=[])
    chat.page.add_init_script("sessionStorage.setItem('auskunft:town', 'c1')")
    chat.go(address)
    expect(chat.exchanges.last.locator(".progress")).to_contain_text("…")
    scripted.stored["a1"] = stored("interrupted", "<p>Sie kostet</p>")
    expect(chat.button("Noch einmal fragen")).to_be_visible()
    expect(chat.answer).to_have_text("Sie kostet")


def test_a_forgotten_conversation_is_begun_anew(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    chat.page.goto(website.embed(scripted.address))
    chat.page.evaluate("sessionStorage.setItem('auskunft:town', 'gone')")
    chat.open()
    expect(chat.page.get_by_role("heading", name="Zum Beispiel")).to_be_visible()
    chat.page.wait_for_function("sessionStorage.length === 0")


def test_a_conversation_that_was_forgotten_meanwhile_is_begun_anew(
    chat: Visit, scripted: ScriptedService
) -> None:
    scripted.script(Reply(pieces=WHOLE), Reply(status=404), Reply(pieces=WHOLE))
    for question in (QUESTION, "Und der zweite?"):
        chat.ask(question)
        chat.finished()
    expect(chat.exchanges).to_have_count(2)
    expect(chat.answer).to_contain_text("96 Euro")
    asked = scripted.asked("POST", "/api/chat")
    assert [body.get("conversation") for body in asked] == [None, "c1", None]


def test_what_was_said_before_stands_above_a_question_that_is_asked_at_once(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    chat.page.goto(website.embed(scripted.address))
    chat.page.evaluate("sessionStorage.setItem('auskunft:town', 'c1')")
    scripted.stored["a0"] = stored("answered", "<p>Guten Tag!</p>", "a0", question="Hallo")
    scripted.held = threading.Event()
    chat.open()
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    scripted.held.set()
    expect(chat.exchanges.locator(".blocks")).to_have_text(["Guten Tag!", "Sie kostet 96 Euro.Im Jahr."])


def test_a_conversation_that_cannot_be_shown_again_is_told_and_can_be_continued(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    chat.page.goto(website.embed(scripted.address))
    chat.page.evaluate("sessionStorage.setItem('auskunft:town', 'c1')")
    scripted.failing.add("/api/conversations/c1")
    chat.open()
    expect(chat.page.get_by_role("log")).to_contain_text("versuchen Sie es später noch einmal")
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    chat.finished()
    assert [body["conversation"] for body in scripted.asked("POST", "/api/chat")] == ["c1"]


def test_a_conversation_that_could_not_be_deleted_stays(chat: Visit, scripted: ScriptedService) -> None:
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    chat.finished()
    scripted.failing.add("/api/conversations/c1")
    chat.button("Gespräch löschen").click()
    chat.button("Löschen").click()
    expect(chat.page.get_by_role("log")).to_contain_text("Das hat nicht geklappt.")
    expect(chat.exchanges).to_have_count(1)
    assert chat.page.evaluate("sessionStorage.getItem('auskunft:town')") == "c1"


def test_feedback_that_does_not_arrive_is_told(chat: Visit, scripted: ScriptedService) -> None:
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    chat.finished()
    scripted.failing.add("feedback")
    chat.button("Ja, hilfreich").click()
    expect(chat.exchanges.last).to_contain_text("Das hat nicht geklappt.")
    expect(chat.button("Ja, hilfreich")).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("file", ["chat.js", "widget.css", "de.json"])
def test_a_chat_that_cannot_be_loaded_says_so_and_can_be_tried_again(
    visit: StartVisit, website: Website, scripted: ScriptedService, file: str
) -> None:
    chat = visit()
    chat.page.goto(website.embed(scripted.address))
    scripted.failing.add(file)
    chat.launcher.click()
    expect(chat.page.get_by_role("alert")).to_have_text(
        "Der Chat lässt sich gerade nicht laden. Bitte versuchen Sie es noch einmal."
    )
    scripted.failing.clear()
    failed = {path for method, path, _ in scripted.requests if method == "GET"}
    scripted.requests.clear()
    chat.open()
    expect(chat.page.get_by_role("alert")).to_have_count(0)
    loaded = {path for method, path, _ in scripted.requests if method == "GET"}
    assert failed & loaded <= {"/api/site"}


def test_a_question_that_is_too_long_stays_in_the_field(chat: Visit, scripted: ScriptedService) -> None:
    chat.ask("Biene " * 400)
    validity = chat.field.evaluate("field => field.validationMessage")
    assert validity.startswith("Ihre Frage hat 2399 Zeichen, höchstens 2000 sind möglich.")
    expect(chat.exchanges).to_have_count(0)
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("96 Euro")
