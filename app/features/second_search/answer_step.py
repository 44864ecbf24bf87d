"""The answer step in which the model says whether the sources suffice, and what else to search for.

It makes one request and at most one more search. The model replies with a JSON object. Anything else (prose,
an object of another form, no reply in time) counts as sufficient, and the answer is written from what was
found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import structlog
from pydantic import BaseModel, StrictBool, StrictStr

from app.chat.answer_steps import AnswerState, QuestionResult, Step
from app.chat.model.cancellation import Cancellation
from app.chat.model.metered import LanguageModel
from app.chat.model.prompts import Prompts
from app.chat.model.reply_form import TEXT, ReplyForm, object_schema, parsed_reply
from app.chat.model.tokens import MESSAGE_TOKENS, estimate
from app.chat.options import ChatOptions
from app.chat.prompt_plan import PlanContext
from app.chat.question_search import search_of
from app.chat.records import SecondSearch
from app.chat.rephrase import valid_question
from app.chat.source_items import SourceItem
from app.errors import ModelError
from app.search.fusion import fused_hits
from app.search.recorder import record

if TYPE_CHECKING:
    from app.services import Services

REPLY_TOKENS: Final = 150

_FORM: Final = ReplyForm(schema=object_schema({"enough": {"type": "boolean"}, "search": TEXT}))

log = structlog.get_logger(__name__)


def search_again(services: Services, options: ChatOptions) -> SearchAgain | None:
    """Return the step, or ``None`` if the preset does not want it."""
    if not options.second_search:
        return None
    prompts = services.chat.prompts
    return SearchAgain(PlanContext(prompts, date.today), prompts)


class _Reply(BaseModel):
    enough: StrictBool
    search: StrictStr = ""


class SearchAgain:
    """Searches for what the model misses in the planned sources, and plans again (``plan``) with the new
    hits."""

    def __init__(self, plan: Step, prompts: Prompts) -> None:
        self._plan = plan
        self._prompts = prompts

    def __call__(self, state: AnswerState) -> tuple[()]:
        wanted = self._wanted(state)
        if wanted:
            record(SecondSearch, wanted=wanted)
            state.found = _with_hits(state, wanted)
            self._plan(state)
        return ()

    def _wanted(self, state: AnswerState) -> str | None:
        """Return the additional query that the model wants, or ``None`` if it wants none or no search can add
        anything."""
        query, result = state.query, state.result
        is_complete = state.planned.is_corpus or result.retrieval.mode == "lookup"
        if query.model is None or not state.messages or is_complete or not state.planned.used:
            return None
        return missing_search(
            query.model,
            result.meant or query.question,
            state.planned.used,
            language=result.language,
            deadline=query.options.rephrase_seconds,
            prompts=self._prompts,
            cancellation=query.cancellation,
        )


def _with_hits(state: AnswerState, wanted: str) -> QuestionResult:
    """The result with the hits of a search for ``wanted`` merged in by rank."""
    result, retrieval = state.result, state.result.retrieval
    found = search_of(state)(wanted, time=retrieval.time)
    if not found.hits:
        return result
    question, hits = f"{retrieval.question} {wanted}", fused_hits(retrieval.hits, found.hits)
    return replace(result, retrieval=replace(retrieval, question=question, hits=hits))


def missing_search(
    model: LanguageModel,
    question: str,
    sources: Sequence[SourceItem],
    *,
    language: str,
    deadline: float,
    prompts: Prompts,
    cancellation: Cancellation,
) -> str | None:
    """Return the additional query that the model gives for these ``sources`` within ``deadline`` seconds.

    ``None`` if they suffice or do not fit into the model's context with this prompt, if the model fails, or
    if its reply is not a one-line query other than the question.
    """
    messages = prompts.enough(question=question, sources=sources, language=language)
    needed = sum(MESSAGE_TOKENS + estimate(message.content, language) for message in messages)
    if needed + REPLY_TOKENS > model.context_tokens:
        return None
    try:
        reply = model.complete(messages, REPLY_TOKENS, deadline, cancellation, _FORM)
    except ModelError as error:
        log.warning("second_search_failed", kind=error.kind, message=str(error))
        return None
    parsed = parsed_reply(reply, _Reply)
    if parsed is None:
        log.warning("second_search_failed", kind="bad_reply", characters=len(reply))
        return None
    if parsed.enough:
        return None
    wanted = valid_question(parsed.search, question)
    return None if wanted is None or wanted.casefold() == question.casefold() else wanted
