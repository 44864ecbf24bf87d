"""The step of an answer that asks back which of the competing pages is meant.

The answer goes on with the page that was found first; the others are one click away.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from app.chat.answer_steps import AnswerState
from app.chat.follow_ups import asked_about
from app.chat.options import ChatOptions
from app.chat.text.suggestions import SEPARATOR
from app.chat.text.wording import wording
from app.features.asking_back.competing import competing_pages

if TYPE_CHECKING:
    from app.services import Services


def make_step(_services: Services, _options: ChatOptions) -> AskBack:
    """The step, for every site."""
    return AskBack()


class AskBack:
    """Asks which page is meant, where several compete."""

    def __call__(self, state: AnswerState) -> tuple[()]:
        query, result = state.query, state.result
        question = result.meant or query.question
        if SEPARATOR in query.question or state.curated:
            return ()
        if query.history and not wording(question, query.question_language).is_complete:
            return ()  # it is about what was said before
        pages = [hit.page for hit in competing_pages(question, result.retrieval)]
        readings = asked_about(question, pages) if pages else ()
        if len(readings) > 1:
            state.found = replace(result, retrieval=replace(result.retrieval, other_readings=readings))
            state.asks_back = True
            state.opening = _several_pages(result.language)
        return ()


def _several_pages(language: str) -> str:
    sentences = _sentences()
    return sentences.get(language, sentences["en"])


@cache
def _sentences() -> Mapping[str, str]:
    """The sentence that there are several pages, by language (ISO 639-1)."""
    sentences: Mapping[str, str] = json.loads(
        files(__package__).joinpath("several_pages.json").read_text("utf-8")
    )
    return sentences
