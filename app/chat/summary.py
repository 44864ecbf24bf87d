"""The form of an answer for small models: passages, as without a model, with a summary by the model below.

Each sentence of the summary is checked against the passages and cites the one that states it. Sentences that
no passage states, or that have little to do with the question, are left out. So an answer with a small model
is never shorter, later or surer than one without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from app.chat.context import Context, plan_blocks
from app.chat.events import DoneEvent, Event
from app.chat.evidence import evidence, named_words_of, subjects
from app.chat.excerpt_answer import Quote, visible_blocks
from app.chat.model.prompts import Prompts
from app.chat.records import AnswerWritten
from app.chat.text.answer_filter import AnswerFilter
from app.chat.text.attribution import MINIMUM_WORDS, probable_sources
from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_filter import FigureFilter
from app.chat.text.figure_keys import Figure
from app.chat.text.figure_kinds import kind_of
from app.chat.text.figure_words import masked
from app.chat.text.figures import figures_of
from app.chat.text.plain_text import TextUnit, text_units, with_table_header
from app.chat.written_answer import FilteredReply, prompt_hash, with_summary
from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.blocks import for_model
from app.search.certainty import is_unsure
from app.search.languages import question_language
from app.search.recorder import record
from app.search.retrieval import Degradation, Retrieval

if TYPE_CHECKING:
    from app.chat.answer_steps import AnswerState, QuestionResult
    from app.chat.model.metered import LanguageModel
    from app.chat.text.figure_subjects import FigureSubjects
    from app.chat.types import Message

READ_TOKENS: Final = 700
"""At most so many tokens of passages for the model: hardly a thousand with the prompt."""

SUMMARY_TOKENS: Final = 160
"""At most so many tokens of reply."""

RELEVANT_SHARE: Final = 0.7
"""A sentence needs this share of the best quote's similarity to the question (docs/quality.md)."""

_ASKED_END: Final = re.compile(r"[\s?!.:]+\Z")
_END: Final = re.compile(r"[.!?…:]*\Z")
_FINISHED: Final = re.compile(r"[.!?…][\"'“”’»«)]*\Z")
_HALF_A_LINK: Final = re.compile(r"\]\(|\[[^\]]*\Z")
_DAY: Final = re.compile(
    r"\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\b(?:mittwoch|sonnabend)s?\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:nicht|kein\w*|nie|niemals|nichts|not|no|never|nothing|cannot)\b|n['’]t\b", re.IGNORECASE
)
_EMPHASIS: Final = re.compile(r"\*\*|__")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence of the reply and the number of the source that states it. ``listed``: True for an item of a
    list; ``is_figure``: True if the whole reply is hardly more than a figure."""

    text: str
    number: int
    listed: bool
    is_figure: bool = False


class QuoteAndSummarise:
    """Answers with passages, as :class:`app.chat.excerpt_answer.Quote` does, and a small model's summary of
    them below. Raises ``ModelError`` after a cancellation."""

    name = "Quote"

    def __init__(self, prompts: Prompts) -> None:
        self._quote = Quote()
        self._prompts = prompts

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        model = state.query.summariser
        if model is None or not can_summarise(state.result.retrieval):
            yield from self._quote(state)
            return
        for event in self._quote(state):
            if isinstance(event, DoneEvent):
                yield from self._below(event, model, state)
            else:
                yield event

    def _below(self, passages: DoneEvent, model: LanguageModel, state: AnswerState) -> Iterator[Event]:
        """Yield the end of an answer of passages, with the model's summary below if any of it holds."""
        result, question = state.result, _question(state)
        context = _model_context(result, state.planned)
        messages = self._prompts.summary(question=question, sources=context.used, language=result.language)
        known = evidence(result.query, context)
        reply, failures = self._reply(model, messages, state, known)
        record(AnswerWritten, model=model.name)
        sentences = _relevant(list(_checked(reply, state, context, known)), state)
        text = _written(sentences)
        if not text or len(text) > len(passages.answer):
            yield replace(passages, degraded=(*passages.degraded, *failures))
            return
        yield from with_summary(
            passages,
            text,
            status="answered",
            citations=[each.number for each in sentences],
            model=model.name,
            prompt=prompt_hash(messages),
        )

    def _reply(
        self, model: LanguageModel, messages: Sequence[Message], state: AnswerState, known: Evidence
    ) -> tuple[str, tuple[Degradation, ...]]:
        """Return the model's filtered text without citations, empty if it failed or found no answer; and why
        it failed."""
        told = self._prompts.summary(question="", sources=(), language=state.result.language)
        instructions = [message.content for message in told]
        answer = AnswerFilter(set(), FigureFilter(known, ""), instructions, _question(state))
        reply = FilteredReply(model.stream(messages, SUMMARY_TOKENS, state.query.cancellation), answer)
        text = "".join(delta.text for delta in reply if delta)
        if reply.failures or answer.verdict in ("none", "outside"):
            return "", reply.failures
        return text, ()


def _relevant(sentences: Sequence[_Sentence], state: AnswerState) -> Sequence[_Sentence]:
    """Return the sentences nearly as similar to the question as the quotes, and a lone figure. If similarity
    is unknown or nothing is quoted, return all."""
    quoted = [block.markdown for block in visible_blocks(state.planned)]
    texts = [each.text for each in sentences if not each.is_figure]
    if not quoted or not texts:
        return sentences
    nearness = state.search.similarity(_question(state), [*quoted, *texts])
    if nearness is None:
        return sentences
    least = RELEVANT_SHARE * max(nearness[: len(quoted)])
    near = dict(zip(texts, nearness[len(quoted) :], strict=True))
    return [each for each in sentences if near.get(each.text, least) >= least]


def can_summarise(retrieval: Retrieval) -> bool:
    """Return True if the search is sure that the pages answer the question. From other pages a small model
    would make up an answer."""
    return not is_unsure(retrieval) and not retrieval.absent_words and retrieval.mode != "lookup"


def _question(state: AnswerState) -> str:
    """Return the question for the model. A follow-up is preceded by the last question, because the text
    searched for may lack what that one asked for. A question with pinned pages is complete in itself."""
    query, retrieval = state.query, state.result.retrieval
    earlier = [turn.content for turn in query.history if turn.role == "user"]
    if earlier and retrieval.about and state.curated is None:
        return f"{earlier[-1]} {query.question}"
    return retrieval.question


def _model_context(result: QuestionResult, context: Context) -> Context:
    """Return the context for the model: the quoted blocks, then the next best ones, as far as they fit."""
    quoted = visible_blocks(context)
    others = (block for block in for_model(context.blocks) if not any(block is each for each in quoted))
    numbers = {source.page.ref: source.number for source in context.used}
    planned = plan_blocks([*quoted, *others], result.retrieval.hits, READ_TOKENS)
    sources = (replace(source, number=numbers.get(source.page.ref)) for source in planned.used)
    return Context(sources=tuple(source for source in sources if source.number is not None))


def _checked(reply: str, state: AnswerState, context: Context, known: Evidence) -> Iterator[_Sentence]:
    """Yield the sentences of the reply that a source states, each once, with that source."""
    if _is_figure(reply):
        if number := _source_of_figure(reply.strip(), state, context, known):
            yield _Sentence(text=reply.strip(), number=number, listed=False, is_figure=True)
        return
    bound, has_day_columns = subjects(state.result, context), _has_day_columns(context)
    said: set[str] = set()
    for unit in _whole(list(text_units(_EMPHASIS.sub("", reply))), state.result.language):
        if has_day_columns and _DAY.search(unit.text):
            continue
        numbers = probable_sources(unit.text, context.used)
        if not numbers or unit.text in said or not _is_as_negative(unit.text, numbers[0], context):
            continue
        if _has_support(unit.text, known, bound):
            said.add(unit.text)
            yield _Sentence(text=unit.text, number=numbers[0], listed=unit.listed)


def _whole(units: Sequence[TextUnit], language: str) -> Iterator[TextUnit]:
    """Yield the units in the answer's language that neither break off nor contain half a link."""
    for unit in units:
        is_broken_off = len(units) > 1 and unit is units[-1] and not _FINISHED.search(unit.text)
        if is_broken_off or _HALF_A_LINK.search(unit.text):
            continue
        if question_language(unit.text) in {None, language}:
            yield unit


def _is_as_negative(sentence: str, number: int, context: Context) -> bool:
    """Return True if the sentence and the one of its source that shares most of its words are both negated,
    or both not."""
    source = next(each for each in context.used if each.number == number)
    language = source.page.ref.language
    own = set(analysis.tokens(sentence, language))
    texts = [unit.text for unit in text_units(source.text)]
    nearest = max(texts, key=lambda text: len(own.intersection(analysis.tokens(text, language))))
    return bool(_NEGATION.search(sentence)) == bool(_NEGATION.search(nearest))


def _has_day_columns(context: Context) -> bool:
    """Return True if a row of a table has days in several columns, such as collection days: a small model
    mixes these up."""
    units = (unit for source in context.used for unit in text_units(with_table_header(source.text)))
    return any(
        sum(bool(_DAY.search(cell)) for cell in unit.cells) > 1 for unit in units if not unit.is_header
    )


def _has_support(sentence: str, known: Evidence, bound: FigureSubjects) -> bool:
    """Return True if the passages have the sentence's figures, and for the same things."""
    figures = FigureFilter(known, "", bound)
    figures.feed(sentence)
    figures.close()
    return not figures.unsupported


def _is_figure(reply: str) -> bool:
    """Return True for a reply of hardly more than a figure ("10 euros")."""
    figures = figures_of(reply)
    beside = masked(reply, (figure.span for figure in figures))
    return bool(figures) and len(analysis.words(beside)) < MINIMUM_WORDS and "\n" not in reply.strip()


def _source_of_figure(reply: str, state: AnswerState, context: Context, known: Evidence) -> int | None:
    """Return the number of the source that states a lone figure for what the question names; or None if the
    figure is not of the kind asked for, or may belong to something else."""
    question, figures = _question(state), figures_of(reply)
    kinds = [kind for kind in asked_kinds(question) if kind.found.search(reply)]
    if not kinds:
        return None
    sentence = f"{_ASKED_END.sub('', question)}: {reply}"
    if not _has_support(sentence, known, subjects(state.result, context)):
        return None
    best: tuple[int, list[tuple[int, str]]] = (0, [])
    for source in context.used:
        for unit in text_units(source.text):
            named = named_words_of(unit.text, question, source.page.ref.language)
            if source.number is None or named < max(best[0], 1):
                continue
            if any(kind.found.search(unit.text) for kind in kinds):
                best = named, [*(best[1] if named == best[0] else []), (source.number, unit.text)]
    said = [(number, text) for number, text in best[1] if _has_only(figures, reply, text)]
    return said[0][0] if len(said) == len(best[1]) > 0 else None


def _has_only(figures: Sequence[Figure], reply: str, text: str) -> bool:
    """Return True if a text has the figures of a reply and no others of their kinds."""
    kinds, known = {kind_of(figure, reply) for figure in figures}, Evidence([reply])
    others = (figure for figure in figures_of(text) if kind_of(figure, text) in kinds)
    return not Evidence([text]).lacks(figures) and not known.lacks(others)


def _written(sentences: Sequence[_Sentence]) -> str:
    """Return the sentences in Markdown with their citations; as a list if any of them is an item."""
    cited = [_END.sub(rf" [{each.number}]\g<0>", each.text, count=1) for each in sentences]
    if any(each.listed for each in sentences):
        return "\n".join(f"- {text}" for text in cited)
    return " ".join(cited)
