"""The answer step that asks which of several competing pages is meant.

The answer continues with the page that was found first; the others are one click away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.chat.answer_steps import AnswerState
from app.chat.follow_ups import asked_about
from app.chat.options import ChatOptions
from app.chat.text.suggestions import SEPARATOR
from app.chat.text.wording import wording
from app.document import package_json
from app.features.asking_back.competing import competing_pages, is_open_word, near_pages, with_near
from app.features.asking_back.generality import Generality, generality

if TYPE_CHECKING:
    from app.search.retrieval import Hit
    from app.services import Services


def make_step(services: Services, _options: ChatOptions) -> AskBack:
    """Return the step; every site has it."""
    return AskBack(services.feature(generality))


@dataclass(frozen=True, eq=False)
class AskBack:
    """Asks which page is meant if several compete, or if a general question is near to several."""

    generality: Generality

    def __call__(self, state: AnswerState) -> tuple[()]:
        query, result = state.query, state.result
        question = result.meant or query.question
        if SEPARATOR in query.question or state.curated:
            return ()
        if query.history and not wording(question, query.question_language).is_complete:
            return ()  # because it is about what was said before
        hits = competing_pages(question, result.retrieval) or self._near(question, state)
        readings = asked_about(question, [hit.page for hit in hits]) if hits else ()
        if len(readings) > 1:
            state.found = replace(result, retrieval=replace(result.retrieval, other_readings=readings))
            state.asks_back = True
            sentences = package_json(__package__, "several_pages.json")
            state.opening = sentences.get(result.language, sentences["en"])
        return ()

    def _near(self, question: str, state: AnswerState) -> tuple[Hit, ...]:
        """Return the pages that a general question may mean."""
        found, search = state.result.retrieval, state.search
        near = near_pages(question, found)
        if not (near or is_open_word(question, found)):
            return ()
        if not self.generality.is_general(question, search.similarity):
            return ()
        sources, time, filters = state.query.sources, found.time, found.filters
        return near or with_near(
            found, search.near_pages(question, sources=sources, time=time, filters=filters)
        )
