"""The card that a question gets of pages."""

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.options import ChatOptions
from app.features.facts.fact_step import TellFact
from app.search.types import IndexedPage
from tests.app.chat.found_pages import FoundPages


def card(question: str, *found: IndexedPage) -> list[str]:
    """The lines of the card; ``found``: the pages, the best first."""
    added = (AddedStep(TellFact(), "ListSources"),)
    answerer = Answerer(FoundPages.ranked(*found), options=ChatOptions(rephrase=False), added=added)
    done = list(answerer.stream(question))[-1]
    assert isinstance(done, DoneEvent)
    return done.card.splitlines()
