"""A site with several indexes: the chat shows a choice, and asks in what was chosen."""

from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import barriers
from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION: Final = "Was kostet die Hundesteuer?"
INDEXES: Final[list[dict[str, Any]]] = [
    {"name": "sections", "label": "Abschnitte", "listed_sources": "cited"},
    {"name": "whole", "label": "Ganze Artikel", "listed_sources": "used"},
]
ANSWER: Final = (started(), found(source(1), source(2, "Gebühren")), block("<p>96 Euro.</p>"), done())


def ask(chat: Visit, scripted: ScriptedService) -> Any:
    """What the service was asked."""
    scripted.script(Reply(pieces=ANSWER))
    chat.ask(QUESTION)
    chat.finished()
    return scripted.asked("POST", "/api/chat")[-1]


@pytest.fixture
def chat(visit: StartVisit, website: Website, scripted: ScriptedService) -> Visit:
    scripted.site["indexes"] = INDEXES
    return visit().go(website.embed(scripted.address))


def test_it_is_chosen_by_keyboard_and_asked(chat: Visit, scripted: ScriptedService) -> None:
    assert ask(chat, scripted) == {"question": QUESTION, "index": "sections"}
    expect(chat.exchanges.last.locator(".sources ol li")).to_have_count(1)
    choice = chat.page.get_by_role("combobox", name="Suchen in")
    chat.field.press("Shift+Tab")
    expect(choice).to_be_focused()
    choice.press("ArrowDown")
    expect(choice).to_have_value("whole")
    assert ask(chat, scripted) == {"question": QUESTION, "conversation": "c1", "index": "whole"}
    expect(chat.exchanges.last.locator(".sources ol li")).to_have_count(2)


def test_the_choice_is_no_barrier(chat: Visit, axe: str) -> None:
    expect(chat.page.get_by_role("combobox", name="Suchen in")).to_be_visible()
    assert barriers(chat.page, axe) == []


@pytest.mark.parametrize("indexes", [[], INDEXES[:1]])
def test_without_a_choice_nothing_is_shown(
    visit: StartVisit, website: Website, scripted: ScriptedService, indexes: list[dict[str, Any]]
) -> None:
    scripted.site["indexes"] = indexes
    chat = visit().go(website.embed(scripted.address))
    assert chat.page.get_by_role("combobox").count() == 0
    assert ask(chat, scripted) == {"question": QUESTION}
