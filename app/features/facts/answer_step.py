"""The step of an answer that puts a card above it: what opening hours say about the day asked for.

The hours are read from the page as it is now in the index, from the table, list or sentence that answers the
question best; so a fact is gone with the save that removes it. Where that text says nothing certain there is
no card, and the answer is as without the step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from app.chat.answer_steps import AnswerState
from app.chat.options import ChatOptions
from app.features.facts.asked_day import AskedDay, asked_day
from app.features.facts.calendar import HolidayCalendar
from app.features.facts.card import hours_card
from app.features.facts.hours import OpeningHours
from app.features.facts.page_hours import page_hours
from app.search import analysis
from app.search.blocks import FoundBlock
from app.search.certainty import is_unsure

if TYPE_CHECKING:
    from app.services import Services

_ASKS_HOURS: Final = re.compile(
    r"\b(?:ge)?öffne(?:t|n)\b|\boffen\b|(?:öffnungs|sprech|bade|service)zeit|sprechstunde|\bgeschlossen\b"
    r"|\bschlie(?:ß|ss)(?:t|en)\b|\b(?:macht|hat|haben|habt|machen)\b.*\b(?:auf|zu)\b(?=\s*(?:[?.!]|$))"
    r"|\bum wie ?viel uhr\b|\bbis wie ?viel uhr\b|\bopen(?:s|ing|ed)?\b|\bclos(?:e[sd]?|ing)\b|\bhours\b"
    r"|\b(?:un)?til when\b|\bwhat time\b|\bbesetzt\b|\bstaffed\b|\berreichbar\b|\breachable\b"
    r"|\bwann\b.*\b(?:anrufen|erreiche|kommen|vorbeikommen)\b"
    r"|\bwhen can (?:i|we) (?:call|come|visit|phone)\b",
    re.IGNORECASE,
)
_ASKS_PHONE: Final = re.compile(
    r"telefon|anruf|erreich|hotline|switchboard|besetzt|phone|\bcall\b|\bring\b|\breach", re.IGNORECASE
)

Clock = Callable[[ZoneInfo], datetime]


def tell_hours(_services: Services, options: ChatOptions) -> TellHours:
    """The step, for a site's region and time zone. Raises ``SettingsError``."""
    return TellHours(ZoneInfo(options.time_zone), HolidayCalendar(options.region))


class TellHours:
    """Puts what is open when above the answer."""

    def __init__(self, zone: ZoneInfo, holidays: HolidayCalendar, clock: Clock = datetime.now) -> None:
        self._zone = zone
        self._holidays = holidays
        self._clock = clock

    def __call__(self, state: AnswerState) -> tuple[()]:
        question, result = state.query.question, state.result
        if not asks_hours(question) or is_unsure(result.retrieval) or not state.read.blocks:
            return ()
        now = self._clock(self._zone).replace(tzinfo=None)
        asked = asked_day(question, now.date())
        block = state.read.blocks[0]
        hours = asked_hours(question, result.language, block)
        numbers = {source.page.ref: source.number for source in state.read.used}
        card = self._card(hours, asked, now, result.language, numbers.get(block.page.ref))
        if card:
            state.opening = "\n\n".join(filter(None, (state.opening, card)))
        return ()

    def _card(
        self,
        hours: Sequence[OpeningHours],
        asked: AskedDay,
        now: datetime,
        language: str,
        number: int | None,
    ) -> str:
        if not hours or number is None:
            return ""
        cited = f"[{number}]"
        return hours_card(hours, asked, now=now, holidays=self._holidays, language=language, cited=cited)


def asks_hours(question: str) -> bool:
    """True if the question asks when something is open, in German or English."""
    return bool(_ASKS_HOURS.search(question))


def asks_phone(question: str) -> bool:
    """True if the question is about reaching somebody by telephone."""
    return bool(_ASKS_PHONE.search(question))


def asked_hours(question: str, language: str, block: FoundBlock) -> list[OpeningHours]:
    """Return the opening hours in the text that answers best: those of a table or list, or of the sentence
    that has most of the question's words. None if they are of a telephone that was not asked for."""
    if block.passage.field != "content":
        return []
    start, end = block.wholes[-1]
    within = [
        each
        for each in page_hours(block.page.fields["content"])
        if start <= each.start < end and (not each.is_phone or asks_phone(question))
    ]
    listed = [each for each in within if not each.text]
    return listed or _best_sentence(question, language, within)


def _best_sentence(question: str, language: str, told: Sequence[OpeningHours]) -> list[OpeningHours]:
    """The hours whose sentence has more of the question's words than all others."""
    words = set(analysis.tokens(question, language))
    shares = sorted(
        ((len(words & set(analysis.tokens(each.text, language))), at) for at, each in enumerate(told))
    )
    if not shares or (len(shares) > 1 and shares[-1][0] == shares[-2][0]):
        return []
    return [told[shares[-1][1]]]
