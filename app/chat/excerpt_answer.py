"""The steps of an answer that list sources and quote them; and the answer if no page answers."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.chat.answer_steps import AnswerState, QuestionResult
from app.chat.context import Context, unnumbered_sources
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, Status
from app.chat.source_items import SourceItem
from app.chat.text.catalogue import (
    absent_words_label,
    contact_sentence,
    nearest_label,
    no_answer,
    unsure_sentence,
    verbatim_label,
)
from app.chat.text.excerpts import further_blocks, quoted_blocks, quotes
from app.search.blocks import FoundBlock
from app.search.certainty import is_unsure
from app.search.retrieval import Degradation
from ingest.types import PageRef

MODEL_FAILED: Final[tuple[Degradation, ...]] = ("model_unavailable",)


class ListSources:
    """Lists the sources, or says that no page answers if there are none to use."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        result, context = state.result, state.planned
        if not context.used:
            yield from no_pages_answer(result)
            return
        if not state.messages:
            state.context = context = context.opening(visible_blocks(context))
        yield sources_event(result, context.sources)


class Quote:
    """Answers with the best blocks of the sources if no model answers."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        if state.messages:
            return
        failures = () if state.query.model is None else MODEL_FAILED
        yield from quoted_answer(state.result, state.planned, failures)


def quoted_answer(
    result: QuestionResult, context: Context, failures: tuple[Degradation, ...] = ()
) -> Iterator[Event]:
    """Answer with the best blocks of the sources, verbatim, and the contact below them if they may not answer
    the question. ``failures``: labels of the steps that failed."""
    retrieval, blocks, contact = result.retrieval, visible_blocks(context), result.query.options.contact
    quoted = _quotes(blocks, result, context)
    heading = _label(result, _languages(context, quoted))
    parts = [heading, *(quote for _, quote in quoted)]
    if contact and (retrieval.absent_words or is_unsure(retrieval)):
        parts.append(contact_sentence(result.language, contact))
    text = "\n\n".join(parts)
    yield DeltaEvent(text=text)
    done = done_event(result, text, "extractive", context.sources)
    yield replace(
        done,
        degraded=(*result.degraded, *failures),
        citations=tuple(dict.fromkeys(number for number, _ in quoted)),
        more=_more(blocks, result, context) if blocks else (),
    )


def no_pages_answer(result: QuestionResult) -> Iterator[Event]:
    """Say that no page answers, with the pages that come near and the contact. If there are no such pages and
    the note on absent acts says why, give only the contact."""
    retrieval, contact = result.retrieval, result.query.options.contact
    sources = unnumbered_sources(retrieval.hits or retrieval.keyword_hits)
    if retrieval.absent and not sources:
        text = contact_sentence(result.language, contact) if contact else ""
    else:
        text = no_answer(result.language, has_sources=bool(sources), contact=contact)
    yield sources_event(result, sources)
    yield DeltaEvent(text=text)
    yield done_event(result, text, "no_answer", sources)


def _label(result: QuestionResult, originals: set[str]) -> str:
    """Return the sentence above the quotes, which says how far they answer the question. ``originals``: the
    languages of the pages quoted."""
    retrieval, language = result.retrieval, result.language
    if retrieval.absent_words:
        return absent_words_label(retrieval.absent_words, language, originals)
    label = nearest_label if is_unsure(retrieval) else verbatim_label
    return label(language, originals)


def unsure_note(result: QuestionResult) -> str:
    """Return the sentence that the pages may not answer the question; empty if the search is sure."""
    return unsure_sentence(_label(result, set())) if is_unsure(result.retrieval) else ""


def quoted_passages(result: QuestionResult, context: Context) -> list[tuple[int, str]]:
    """Return the best blocks of the sources, verbatim, each with its source's number."""
    return _quotes(visible_blocks(context), result, context)


def _more(quoted: list[FoundBlock], result: QuestionResult, context: Context) -> tuple[str, ...]:
    """Return quotes of further blocks of the page quoted first that are nearly as good as the best one."""
    further = further_blocks(context.blocks, quoted)
    return tuple(quote for _, quote in _quotes(further, result, context))


def _quotes(blocks: list[FoundBlock], result: QuestionResult, context: Context) -> list[tuple[int, str]]:
    return quotes(blocks, source_numbers(context), result.query.question, result.language)


def visible_blocks(context: Context) -> list[FoundBlock]:
    """Return the blocks to quote, best first."""
    return quoted_blocks(context.blocks, source_numbers(context))


def source_numbers(context: Context) -> dict[PageRef, int]:
    """Return the source numbers of the pages that may be quoted."""
    return {source.page.ref: source.number for source in context.used if source.number is not None}


def _languages(context: Context, quoted: list[tuple[int, str]]) -> set[str]:
    """Return the languages of the pages that are quoted."""
    numbers = {number for number, _ in quoted}
    return {source.page.ref.language for source in context.used if source.number in numbers}


def sources_event(result: QuestionResult, sources: tuple[SourceItem, ...]) -> SourcesEvent:
    """Return the event that lists the sources."""
    retrieval = result.retrieval
    return SourcesEvent(
        question=retrieval.question,
        mode=retrieval.mode,
        degraded=retrieval.degraded,
        time=retrieval.time,
        sources=sources,
        retrieval=retrieval,
        language=result.language,
    )


def done_event(
    result: QuestionResult, text: str, status: Status, sources: tuple[SourceItem, ...]
) -> DoneEvent:
    """Return the end of an answer without model, citations and the like, which callers add."""
    retrieval = result.retrieval
    return DoneEvent(
        answer=text,
        status=status,
        mode=retrieval.mode,
        time=retrieval.time,
        degraded=result.degraded,
        sources=sources,
        retrieval=retrieval,
        language=result.language,
    )
