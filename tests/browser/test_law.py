"""A site with acts of law: visitors choose as of which day, and read which text an answer is from."""

from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import barriers
from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, frame, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION: Final = "Was kostet die Überfahrt?"
TEXT: Final = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:02020R0001-20240601#anx_I"
FOUND: Final = frame(
    "sources",
    sources=[source(1, "Ferries Act, Annex I", url=TEXT, celex="32020R0001", version="2024-06-01")],
    mode="semantic",
    degraded=(),
    as_of="2026-11-24",
)


def ask(chat: Visit, scripted: ScriptedService) -> object:
    """What the service was asked."""
    scripted.script(Reply(pieces=(started(), FOUND, block("<p>Sieben Euro.</p>"), done())))
    chat.ask(QUESTION)
    chat.finished()
    return scripted.asked("POST", "/api/chat")[-1]


@pytest.fixture
def chat(visit: StartVisit, website: Website, scripted: ScriptedService) -> Visit:
    scripted.site["law"] = True
    return visit().go(website.embed(scripted.address))


def test_a_day_is_chosen_and_asked_for(chat: Visit, scripted: ScriptedService) -> None:
    assert ask(chat, scripted) == {"question": QUESTION}
    chat.page.get_by_label("Rechtsstand").fill("2023-01-31")
    assert ask(chat, scripted) == {"question": QUESTION, "conversation": "c1", "at": "2023-01-31"}


def test_an_answer_says_as_of_when_and_links_its_text(chat: Visit, scripted: ScriptedService) -> None:
    ask(chat, scripted)
    answer = chat.exchanges.last
    expect(answer.locator(".notes")).to_contain_text("Rechtsstand 2026-11-24.")
    expect(answer.get_by_role("link", name="Fassung vom 2024-06-01")).to_have_attribute("href", TEXT)


def test_the_day_is_no_barrier(chat: Visit, axe: str) -> None:
    expect(chat.page.get_by_label("Rechtsstand")).to_be_visible()
    assert barriers(chat.page, axe) == []


def test_without_law_no_day_is_asked_for(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit().go(website.embed(scripted.address))
    assert chat.page.get_by_label("Rechtsstand").count() == 0
