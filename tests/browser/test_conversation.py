"""A visitor asks the real service in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import StartVisit
from tests.browser.town import answering
from tests.browser.visit import Visit
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm, Reply

QUESTION = "Was kostet die Hundesteuer im Jahr?"
BEGUN = "STATUS: answered\nErster Absatz [1].\n\nZweiter Absatz,\nder "
ANSWER = "STATUS: answered\nSie kostet **96 Euro** im Jahr [1].\n\n- Assistenzhunde sind frei [1].\n"


@pytest.fixture
def chat(visit: StartVisit, website: Website, service: str) -> Visit:
    """The chat on the town's home page, opened."""
    return visit().go(website.embed(service))


def test_a_question_is_answered_with_numbered_sources(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    expect(chat.answer.locator("strong")).to_have_text("96 Euro")
    expect(chat.answer.get_by_role("listitem")).to_have_text("Assistenzhunde sind frei [1].")
    source = chat.exchanges.last.locator(".sources li[data-number='1']")
    expect(source.get_by_role("link")).to_have_text("Quelle 1Hundesteuer")
    expect(chat.exchanges.last).not_to_contain_text("%")
    expect(chat.exchanges.last).to_contain_text("Von einer KI aus den Quellen geschrieben.")


def test_an_example_question_is_asked_by_one_click(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.button(QUESTION).click()
    expect(chat.answer).to_contain_text("96 Euro")
    expect(chat.field).to_be_focused()


def test_blocks_appear_while_the_model_still_writes(chat: Visit, llm: FakeLlm) -> None:
    stalled = Reply(deltas=(BEGUN, "noch."), stall_at=1)
    answering(llm, stalled)
    chat.ask(QUESTION)
    expect(chat.answer.locator("p")).to_have_text("Erster Absatz [1].")
    expect(chat.exchanges.last.locator(".draft")).to_have_text("Zweiter Absatz, der")
    expect(chat.button("Anhalten")).to_be_visible()


def test_a_stopped_answer_keeps_what_came_and_the_conversation_goes_on(chat: Visit, llm: FakeLlm) -> None:
    stalled = Reply(deltas=(BEGUN, "noch."), stall_at=1)
    answering(llm, stalled)
    chat.ask(QUESTION)
    expect(chat.answer.locator("p")).to_be_visible()
    chat.button("Anhalten").click()
    chat.finished()
    expect(chat.answer).to_contain_text("Erster Absatz")
    expect(chat.exchanges.last).to_contain_text("Angehalten.")
    expect(chat.field).to_be_focused()
    answering(llm, ANSWER)
    chat.button("Noch einmal fragen").click()
    expect(chat.answer).to_contain_text("96 Euro")
    expect(chat.exchanges).to_have_count(2)


def test_a_citation_leads_to_its_source_and_that_to_the_page(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    chat.answer.get_by_role("link", name="[1] Hundesteuer").first.click()
    link = chat.exchanges.last.locator(".sources li[data-number='1'] a")
    expect(link).to_be_focused()
    assert link.get_attribute("rel") == "noopener noreferrer"
    link.press("Enter")
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("Hundesteuer")
    assert len(chat.page.context.pages) == 1


def test_a_follow_up_belongs_to_the_conversation(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    answering(llm, "STATUS: answered\n144 Euro [1].", question="Was kostet der zweite Hund?")
    chat.ask("Und der zweite?")
    expect(chat.answer).to_contain_text("144 Euro")
    chat.finished()
    assert any(QUESTION in message["content"] for message in llm.requests[-2]["messages"])


def test_the_conversation_is_there_again_after_a_reload(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    chat.page.reload()
    expect(chat.launcher).to_have_text("Gespräch fortsetzen")
    chat.open()
    expect(chat.exchanges).to_have_count(1)
    expect(chat.answer.locator("strong")).to_have_text("96 Euro")
    expect(chat.exchanges.last.locator(".sources li").first).to_contain_text("Hundesteuer")
    assert chat.page.evaluate("Object.keys(sessionStorage)") == ["auskunft:town"]
    assert chat.page.evaluate("localStorage.length") == 0


def test_an_answer_that_was_left_half_written_can_be_asked_for_again(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, Reply(deltas=(BEGUN, "noch."), stall_at=1))
    chat.ask(QUESTION)
    expect(chat.answer.locator("p")).to_be_visible()
    chat.page.reload()
    chat.open()
    again = chat.button("Noch einmal fragen")
    expect(again).to_be_visible()
    answering(llm, ANSWER, question=QUESTION)
    again.click()
    expect(chat.answer).to_contain_text("96 Euro")
    expect(chat.exchanges).to_have_count(2)


def test_an_answer_can_be_rated_and_commented(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    down = chat.button("Nein, nicht hilfreich")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(chat.exchanges.last).to_contain_text("Danke für Ihre Rückmeldung.")
    comment = chat.page.get_by_role("textbox", name="Möchten Sie dazu etwas sagen?")
    comment.fill("Der Betrag für zwei Hunde fehlt.")
    with chat.page.expect_response("**/api/feedback*") as sent:
        chat.button("Rückmeldung senden").click()
    assert sent.value.status == 204
    expect(comment).to_be_hidden()
    expect(down).to_be_focused()


def test_a_deleted_conversation_is_gone_here_and_there(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    kept = chat.page.evaluate("sessionStorage.getItem('auskunft:town')")
    chat.button("Gespräch löschen").click()
    chat.button("Behalten").click()
    expect(chat.exchanges).to_have_count(1)
    chat.button("Gespräch löschen").click()
    chat.button("Löschen").click()
    expect(chat.exchanges).to_have_count(0)
    expect(chat.field).to_be_focused()
    assert chat.page.evaluate("sessionStorage.length") == 0
    status = chat.page.evaluate(
        "id => fetch(new URL('/api/conversations/' + id + '?site=town',"
        " document.querySelector('script').src)).then(r => r.status)",
        kept,
    )
    assert status == 404


def test_without_an_answer_pages_and_the_contact_are_offered(chat: Visit, llm: FakeLlm) -> None:
    chat.ask("Wer gewann xyzzy plugh frobnitz?")
    chat.finished()
    expect(chat.exchanges.last).to_contain_text("rathaus@otterfurt.example")
    expect(chat.exchanges.last).not_to_contain_text("Von einer KI")


def test_without_a_model_passages_are_shown_and_named_as_such(chat: Visit, llm: FakeLlm) -> None:
    answering(llm, Reply(status=500), Reply(status=500))
    llm.default = Reply(status=500)
    chat.ask(QUESTION)
    chat.finished()
    expect(chat.answer).to_contain_text("96 Euro")
    expect(chat.exchanges.last).to_contain_text("wörtlich und ohne Sprachmodell")
    expect(chat.exchanges.last).to_contain_text("Das Sprachmodell hat nicht")
