"""The step of an answer that plans the sources and the prompt that contains them."""

from collections.abc import Callable, Sequence, Set
from datetime import date
from functools import partial
from typing import Final

import structlog

from app.chat.answer_steps import AnswerState, QuestionResult
from app.chat.context import Context, passage_tokens, plan_blocks, plan_context, plan_corpus, with_earlier
from app.chat.history import newest
from app.chat.model.prompts import Prompts
from app.chat.model.tokens import MESSAGE_TOKENS, estimate
from app.chat.records import BudgetGiven
from app.chat.source_items import FRAME_TOKENS
from app.chat.types import Message
from app.law.asked_text import asked_blocks
from app.law.binding import binding_first
from app.law.units import celex_of
from app.presets import Purpose
from app.search.answer_kinds import asked_kinds
from app.search.blocks import FoundBlock, for_model, ranked_blocks
from app.search.filters import admits
from app.search.recorder import record
from app.search.retrieval import Hit, Retrieval

HISTORY_SHARE: Final = 4
"""The history gets at most 1/4 of the tokens for prompt and pages."""

EARLIER_SHARE: Final = 0.2
"""Up to this share of the budget is kept for pages of earlier answers."""

log = structlog.get_logger(__name__)


class PlanContext:
    """Plans the sources, from the pages found, and the prompt."""

    def __init__(self, prompts: Prompts, today: Callable[[], date]) -> None:
        self._prompts = prompts
        self._today = today

    def __call__(self, state: AnswerState) -> tuple[()]:
        result = state.result
        question, hits = result.retrieval.question, _quotable(result)
        blocks = ranked_blocks(question, _asked(result), result.language, hits)
        if result.retrieval.mode == "lookup":
            blocks = asked_blocks(blocks, hits)
        elif state.has_law:
            blocks = binding_first(blocks, hits)
        blocks = _within_first(blocks, result.retrieval)
        context, state.messages = self._planned(state, blocks)
        state.context = context.with_blocks(blocks)
        return ()

    def _planned(self, state: AnswerState, blocks: Sequence[FoundBlock]) -> tuple[Context, list[Message]]:
        """Return the context and its prompt, which is empty without a model or if no page fits into it."""
        query, result = state.query, state.result
        options, budget = query.options, query.options.budget_tokens
        hits = result.retrieval.all_hits
        plan = partial(_sources, result, blocks)
        if query.model is None:
            record(BudgetGiven, tokens=budget)
            return plan(budget), []
        room = query.model.context_tokens - options.answer_tokens
        history = newest(query.history, room // HISTORY_SHARE, result.language)
        is_law = {state.has_law and bool(celex_of(hit.page)) for hit in hits}

        def prompt(context: Context, *, is_corpus: bool = False) -> list[Message]:
            return self._prompts.answer(
                question=query.question,
                meant=result.meant,
                sources=context.used,
                history=history,
                language=result.language,
                today=self._today(),
                site=options.site,
                purpose=_purpose(is_law, otherwise=options.purpose),
                with_law=True in is_law,
                time=result.retrieval.time,
                sources_first=is_corpus,
            )

        empty = prompt(plan_context((), 0))
        room -= sum(MESSAGE_TOKENS + estimate(message.content, result.language) for message in empty)
        if corpus := self._corpus(state, room):
            return corpus, prompt(corpus, is_corpus=True)
        record(BudgetGiven, tokens=min(budget, room))
        context = _with_earlier(plan, state.earlier(), min(budget, room))
        if context.used or not hits:
            return context, prompt(context)
        log.warning("model_context_too_small", context_tokens=query.model.context_tokens, left=room)
        return plan(budget), []

    def _corpus(self, state: AnswerState, room: int) -> Context | None:
        """Return all pages of the site if the preset has small sites read as a whole and they fit into
        ``room``, otherwise None."""
        tokens = min(state.query.options.corpus_tokens, room)
        if tokens <= 0:
            return None
        found = state.search.all_pages(state.query.sources, tokens // FRAME_TOKENS)
        pages = [page for page in found if admits(state.query.filters, page.metadata)]
        return plan_corpus(pages, tokens) if pages else None


def _sources(result: QuestionResult, blocks: Sequence[FoundBlock], budget: int) -> Context:
    """Return the sources that fit into ``budget`` tokens: the best blocks or the passages found, as the
    preset says. A text that the question only names is given from its beginning."""
    retrieval, options = result.retrieval, result.query.options
    if retrieval.mode == "lookup":
        return plan_context(retrieval.hits, budget)
    if options.context == "blocks":
        read = _within_first(for_model(blocks), retrieval)
        context = plan_blocks(read, retrieval.hits, budget, options.linked_share)
        if context.used:
            return context
    return plan_context(retrieval.hits, budget, options.linked_share)


def _with_earlier(plan: Callable[[int], Context], earlier: Sequence[Hit], budget: int) -> Context:
    """Return the planned context with the pages of earlier answers below it."""
    if not earlier:
        return plan(budget)
    kept = min(passage_tokens(earlier), int(budget * EARLIER_SHARE))
    return with_earlier(plan(budget - kept), earlier, budget)


def _within_first(blocks: Sequence[FoundBlock], retrieval: Retrieval) -> list[FoundBlock]:
    """Return the blocks, first those of the pages that the question is about."""
    about = retrieval.about
    if not about:
        return list(blocks)
    return sorted(blocks, key=lambda block: block.page.ref not in about)


def _asked(result: QuestionResult) -> str:
    """Return the text that says what kind of answer is wanted: the question, or the text searched for if the
    question names no kind ("and the pool?") and no model reads it."""
    asked, retrieval = result.query.question, result.retrieval
    if result.query.model is not None or asked_kinds(asked):
        return asked
    return retrieval.question


def _quotable(result: QuestionResult) -> Sequence[Hit]:
    """Return the hits that blocks are taken from. Without a model these are only the pages that the question
    is known to be about, if there are any."""
    hits, about = result.retrieval.hits, result.retrieval.about
    if result.query.model is not None or not about:
        return hits
    return [hit for hit in hits if hit.page.ref in about]


def _purpose(is_law: Set[bool], *, otherwise: Purpose) -> Purpose:
    """Return the prompt for units of law or for other pages; ``otherwise`` if both or none were found."""
    if len(is_law) != 1:
        return otherwise
    return "law" if True in is_law else "answer"
