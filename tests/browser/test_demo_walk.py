"""A visitor of the demo's town, from the first question to the last, in one go."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import StartVisit
from tests.browser.town import answering
from tests.fakes.llm import FakeLlm, Reply

QUESTION = "Was kostet die Hundesteuer im Jahr?"
FOLLOW_UP = "Und der zweite?"
REPHRASED = "Was kostet die Hundesteuer für den zweiten Hund?"
ANSWER = "STATUS: answered\nSie kostet **72 Euro** im Jahr [1].\n"
SECOND = "STATUS: answered\nDer zweite Hund kostet **108 Euro** im Jahr [1].\n"
STALLED = Reply(deltas=("STATUS: answered\nErster Absatz [1].\n\nZweiter,\nder ", "noch."), stall_at=1)
BROKEN = Reply(deltas=("STATUS: answered\nEs kostet\n\n", "noch"), ending="cut")


def test_a_visitor_asks_reads_on_rates_goes_on_stops_and_comes_back(
    visit: StartVisit, demo: str, llm: FakeLlm
) -> None:
    chat = visit().go(f"{demo}/otterfurt/de/index.html")
    answering(llm, ANSWER)
    chat.ask(QUESTION)
    chat.finished()
    expect(chat.answer.locator("strong")).to_have_text("72 Euro")

    chat.answer.get_by_role("link", name=re.compile(r"\[1\]")).click()
    link = chat.exchanges.last.locator(".sources li[data-number='1'] a")
    assert "#:~:text=" in (link.get_attribute("href") or "")
    link.press("Enter")
    expect(chat.page.get_by_role("heading", level=1)).to_contain_text("Hundesteuer")

    chat.open()
    expect(chat.answer.locator("strong")).to_have_text("72 Euro")
    chat.button("Ja, hilfreich").click()
    expect(chat.page.get_by_role("status")).to_contain_text("Danke")

    answering(llm, SECOND, question=REPHRASED)
    chat.ask(FOLLOW_UP)
    expect(chat.answer.locator("strong")).to_have_text("108 Euro")
    chat.finished()

    answering(llm, STALLED, question=QUESTION)
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("Erster Absatz")
    chat.button("Anhalten").click()
    chat.finished()

    answering(llm, BROKEN, question=REPHRASED)
    chat.ask(REPHRASED)
    expect(chat.exchanges.last).to_contain_text("nicht zu Ende geführt")

    chat.page.reload()
    chat.open()
    expect(chat.exchanges).to_have_count(4)
    assert chat.console == []


def test_a_visitor_without_a_mouse_asks_and_follows_a_source(
    visit: StartVisit, demo: str, llm: FakeLlm
) -> None:
    chat = visit()
    keyboard = chat.page.keyboard
    chat.page.goto(f"{demo}/otterfurt/de/index.html")
    chat.launcher.focus()
    keyboard.press("Enter")
    expect(chat.field).to_be_focused()
    answering(llm, ANSWER)
    keyboard.type(QUESTION)
    keyboard.press("Enter")
    chat.finished()
    link = chat.exchanges.last.locator(".sources li[data-number='1'] a")
    for _ in range(40):
        if link.evaluate("link => link.getRootNode().activeElement === link"):
            break
        keyboard.press("Shift+Tab")
    expect(link).to_be_focused()
    keyboard.press("Enter")
    expect(chat.page.get_by_role("heading", level=1)).to_contain_text("Hundesteuer")
