"""A fact stands where everything is that a question names, so it is told where scores and reading doubt."""

from typing import Final
from zoneinfo import ZoneInfo

import pytest

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.options import ChatOptions
from app.features.facts.fact_step import ShowFact
from app.search.retrieval import Certainty
from app.search.types import IndexedPage
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import hit, page

OFFICE: Final = page(
    "registry",
    language="de",
    title="Heiraten",
    content="# Heiraten\n\n## Kontakt\n\nStandesamt, Marktplatz 1, Zimmer 12\nTelefon: 069 90009-120\n",
)


def asked(question: str, certainty: Certainty, office: IndexedPage = OFFICE) -> DoneEvent:
    """The end of the answer to a question that finds the office with this certainty."""
    added = (AddedStep(ShowFact(ZoneInfo("Europe/Berlin")), "ListSources"),)
    found = FoundPages(hit(office), certainty=certainty)
    done = list(Answerer(found, options=ChatOptions(rephrase=False), added=added).stream(question))[-1]
    assert isinstance(done, DoneEvent)
    return done


def test_of_a_page_that_comes_near_the_title_names_no_contact() -> None:
    office = page(
        "mayor",
        language="de",
        title="Bürgermeister",
        content="# Bürgermeister\n\n## Kontakt\n\nPressestelle, Frau Klein\nTelefon: 069 90009-500\n",
    )
    assert asked("Telefonnummer vom Bürgermeister", "answered", office).card
    assert not asked("Telefonnummer vom Bürgermeister", "near", office).card


def test_a_contact_that_comes_near_is_told_and_sure() -> None:
    done = asked("Telefonnummer vom Standesamt", "near")
    assert ("069 90009-120" in done.card, done.certainty) == (True, "sure")
    assert not done.answer.startswith("Vielleicht")


@pytest.mark.parametrize(
    ("question", "certainty"),
    [
        ("Telefonnummer vom Standesamt", "far"),
        ("Telefonnummer der Bücherei", "near"),
        ("Darf man im Standesamt filmen?", "near"),
    ],
)
def test_what_is_far_or_names_something_else_stays_doubtful(question: str, certainty: Certainty) -> None:
    done = asked(question, certainty)
    assert not done.card
    assert done.certainty != "sure"
