"""The card that a question gets of pages."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.options import ChatOptions
from app.features.facts.fact_step import ShowFact
from app.search.types import IndexedPage
from tests.app.chat.found_pages import FoundPages

NOW: Final = datetime(2027, 2, 14, 12)


def card(question: str, *found: IndexedPage, now: datetime = NOW) -> list[str]:
    """The lines of the card; ``found``: the pages, the best first. ``now``: the local time."""
    step = ShowFact(ZoneInfo("Europe/Berlin"), clock=lambda zone: now.replace(tzinfo=zone))
    added = (AddedStep(step, "ListSources"),)
    answerer = Answerer(FoundPages.ranked(*found), options=ChatOptions(rephrase=False), added=added)
    done = list(answerer.stream(question))[-1]
    assert isinstance(done, DoneEvent)
    return done.card.splitlines()
