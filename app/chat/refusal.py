"""Decides if the pages found are read at all."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from app.chat.answer_steps import AnswerState, Query
from app.chat.events import Event
from app.chat.excerpt_answer import no_pages_answer
from app.chat.options import ChatOptions
from app.chat.records import AnswerRefused
from app.chat.text.requests import is_gibberish
from app.law.units import celex_of
from app.search.recorder import record
from app.search.types import Retrieval

Refusal = Literal["far", "gibberish"]
"""Why pages that were found are not read: none comes near the question, or none has any of its words."""


class Refuse:
    """Says that no page answers, where those found are not read."""

    def __init__(self, options: ChatOptions) -> None:
        self._contact = options.contact

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        result = state.result
        if reason := refusal(state):
            record(AnswerRefused, reason=reason)
            nothing = replace(result, retrieval=replace(result.retrieval, hits=()))
            yield from no_pages_answer(nothing, self._contact)


def refusal(state: AnswerState) -> Refusal | None:
    """Return why the pages found are not read; ``None`` if they are."""
    if _is_far(state):
        return "far"
    return "gibberish" if _is_gibberish(state.query, state.result.retrieval) else None


def _is_far(state: AnswerState) -> bool:
    """True if the pages found do not answer the question and nobody reads them who could tell. What is
    calibrated on websites says nothing of law."""
    query, retrieval = state.query, state.result.retrieval
    if query.model is not None or retrieval.certainty != "far":
        return False
    first = next(iter(retrieval.hits), None)
    return first is None or not (state.has_law and celex_of(first.page))


def _is_gibberish(query: Query, retrieval: Retrieval) -> bool:
    """True if no page has any word of the question, and none looks like one."""
    is_unknown = not any(hit.coverage for hit in retrieval.hits)
    return is_unknown and is_gibberish(query.question)
