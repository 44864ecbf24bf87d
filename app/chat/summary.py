"""The form of an answer for small models: passages first, as without a model, and below them a few sentences
that the model makes of them.

Each of these is checked by the passages, and cites the one that says it; what they do not say, and what says
little of what was asked, is left out.
So an answer with the model is never less, later or surer than one without it.
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
from app.chat.text.figure_kinds import kind_of
from app.chat.text.figure_words import masked
from app.chat.text.figures import Figure, figures_of
from app.chat.text.plain_text import TextUnit, text_units, with_table_header
from app.chat.written_answer import FilteredReply, prompt_hash, with_summary
from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.blocks import for_model
from app.search.certainty import is_unsure
from app.search.languages import question_language
from app.search.recorder import record
from app.search.types import Degradation, Retrieval

if TYPE_CHECKING:
    from app.chat.answer_steps import AnswerState, QuestionResult
    from app.chat.model.metered import LanguageModel
    from app.chat.text.figure_subjects import FigureSubjects
    from app.chat.types import Message

READ_TOKENS: Final = 700
"""Of the passages that the model reads: with the prompt hardly a thousand."""

SUMMARY_TOKENS: Final = 160
"""Of the longest reply."""

RELEVANT_SHARE: Final = 0.7
"""Of the similarity of the best quote to the question, what a sentence needs (docs/quality.md)."""

_ASKED_END: Final = re.compile(r"[\s?!.:]+\Z")
_END: Final = re.compile(r"[.!?…:]*\Z")
_FINISHED: Final = re.compile(r"[.!?…][\"'“”’»«)]*\Z")
_HALF_A_LINK: Final = re.compile(r"\]\(|\[[^\]]*\Z")
_DAY: Final = re.compile(
    r"\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\bmittwochs?\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:nicht|kein\w*|nie|niemals|nichts|not|no|never|nothing|cannot)\b|n['’]t\b", re.IGNORECASE
)
_EMPHASIS: Final = re.compile(r"\*\*|__")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence of the reply and the source that says it. ``is_figure``: True for a figure alone."""

    text: str
    number: int
    listed: bool
    is_figure: bool = False


class QuoteAndSummarise:
    """Answers with passages, as :class:`app.chat.excerpt_answer.Quote` does, and below them with what a small
    model makes of them. Raises ``ModelError`` after a cancellation."""

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
        """The end of an answer of passages with what the model makes of them."""
        result, context = state.result, state.read
        read, question = _read(result, context), _question(state)
        messages = self._prompts.summary(question=question, sources=read.used, language=result.language)
        known = evidence(result.query, read)
        reply, failures = self._reply(model, messages, state, known)
        record(AnswerWritten, model=model.name)
        sentences = _relevant(list(_checked(reply, state, read, known)), state)
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
        """What the model says of its own, without citations, and the reason why it failed."""
        told = self._prompts.summary(question="", sources=(), language=state.result.language)
        instructions = [message.content for message in told]
        answer = AnswerFilter(set(), FigureFilter(known, ""), instructions, _question(state))
        reply = FilteredReply(model.stream(messages, SUMMARY_TOKENS, state.query.cancellation), answer)
        text = "".join(delta.text for delta in reply if delta)
        if reply.failures or answer.verdict in ("none", "outside"):
            return "", reply.failures
        return text, ()


def _relevant(sentences: Sequence[_Sentence], state: AnswerState) -> Sequence[_Sentence]:
    """Those nearly as near to the question as what is quoted, and a figure alone; all where that cannot be
    told."""
    quoted = [block.markdown for block in visible_blocks(state.read)]
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
    """True if the search is sure that the pages answer the question: of others a model makes too much."""
    return not is_unsure(retrieval) and not retrieval.absent_words and retrieval.mode != "lookup"


def _question(state: AnswerState) -> str:
    """The question as the model reads it; one that goes on behind the one before it, as its search may leave
    out what that asked for. One with pinned pages is whole."""
    query, retrieval = state.query, state.result.retrieval
    earlier = [turn.content for turn in query.history if turn.role == "user"]
    if earlier and retrieval.about and state.curated is None:
        return f"{earlier[-1]} {query.question}"
    return retrieval.question


def _read(result: QuestionResult, context: Context) -> Context:
    """What the model reads: the blocks that are quoted, then the next best ones, as far as there is room."""
    quoted = visible_blocks(context)
    others = (block for block in for_model(context.blocks) if not any(block is each for each in quoted))
    numbers = {source.page.ref: source.number for source in context.used}
    planned = plan_blocks([*quoted, *others], result.retrieval.hits, READ_TOKENS)
    sources = (replace(source, number=numbers.get(source.page.ref)) for source in planned.used)
    return Context(sources=tuple(source for source in sources if source.number is not None))


def _checked(reply: str, state: AnswerState, read: Context, known: Evidence) -> Iterator[_Sentence]:
    """The sentences of the reply that the passages say, each once, with the source that does."""
    if _is_figure(reply):
        if number := _source_of_figure(reply.strip(), state, read, known):
            yield _Sentence(text=reply.strip(), number=number, listed=False, is_figure=True)
        return
    bound, has_day_columns = subjects(state.result, read), _has_day_columns(read)
    said: set[str] = set()
    for unit in _whole(list(text_units(_EMPHASIS.sub("", reply))), state.result.language):
        if has_day_columns and _DAY.search(unit.text):
            continue
        numbers = probable_sources(unit.text, read.used)
        if not numbers or unit.text in said or not _is_as_negative(unit.text, numbers[0], read):
            continue
        if _has_support(unit.text, known, bound):
            said.add(unit.text)
            yield _Sentence(text=unit.text, number=numbers[0], listed=unit.listed)


def _whole(units: Sequence[TextUnit], language: str) -> Iterator[TextUnit]:
    """Those in the language of the answer that are neither broken off, nor have half a link."""
    for unit in units:
        is_broken_off = len(units) > 1 and unit is units[-1] and not _FINISHED.search(unit.text)
        if is_broken_off or _HALF_A_LINK.search(unit.text):
            continue
        if question_language(unit.text) in {None, language}:
            yield unit


def _is_as_negative(sentence: str, number: int, read: Context) -> bool:
    """True if the sentence is negated where the one of its source that shares most of its words is, and only
    there."""
    source = next(each for each in read.used if each.number == number)
    language = source.page.ref.language
    own = set(analysis.tokens(sentence, language))
    texts = [unit.text for unit in text_units(source.text)]
    nearest = max(texts, key=lambda text: len(own.intersection(analysis.tokens(text, language))))
    return bool(_NEGATION.search(sentence)) == bool(_NEGATION.search(nearest))


def _has_day_columns(read: Context) -> bool:
    """True if a table tells days by row and column, such as of collections: a small model mixes these up."""
    units = (unit for source in read.used for unit in text_units(with_table_header(source.text)))
    return any(
        sum(bool(_DAY.search(cell)) for cell in unit.cells) > 1 for unit in units if not unit.is_header
    )


def _has_support(sentence: str, known: Evidence, bound: FigureSubjects) -> bool:
    """True if its figures stand in the passages, and with what it says of them."""
    figures = FigureFilter(known, "", bound)
    figures.feed(sentence)
    figures.close()
    return not figures.unsupported


def _is_figure(reply: str) -> bool:
    """True for a reply of hardly more than a figure ("10 euros")."""
    figures = figures_of(reply)
    beside = masked(reply, (figure.span for figure in figures))
    return bool(figures) and len(analysis.words(beside)) < MINIMUM_WORDS and "\n" not in reply.strip()


def _source_of_figure(reply: str, state: AnswerState, read: Context, known: Evidence) -> int | None:
    """The number of the source that says a figure of what the question names; ``None`` where it is not of the
    kind that is asked for, or may be one of something else."""
    question, figures = _question(state), figures_of(reply)
    kinds = [kind for kind in asked_kinds(question) if kind.found.search(reply)]
    if not kinds:
        return None
    sentence = f"{_ASKED_END.sub('', question)}: {reply}"
    if not _has_support(sentence, known, subjects(state.result, read)):
        return None
    best: tuple[int, list[tuple[int, str]]] = (0, [])
    for source in read.used:
        for unit in text_units(source.text):
            named = named_words_of(unit.text, question, source.page.ref.language)
            if source.number is None or named < max(best[0], 1):
                continue
            if any(kind.found.search(unit.text) for kind in kinds):
                best = named, [*(best[1] if named == best[0] else []), (source.number, unit.text)]
    said = [(number, text) for number, text in best[1] if _has_only(figures, reply, text)]
    return said[0][0] if len(said) == len(best[1]) > 0 else None


def _has_only(figures: Sequence[Figure], reply: str, text: str) -> bool:
    """True if a text has the figures of a reply and no other ones of their kinds."""
    kinds, known = {kind_of(figure, reply) for figure in figures}, Evidence([reply])
    others = (figure for figure in figures_of(text) if kind_of(figure, text) in kinds)
    return not Evidence([text]).lacks(figures) and not known.lacks(others)


def _written(sentences: Sequence[_Sentence]) -> str:
    """The sentences in Markdown, with their citations; a list if one is an item."""
    cited = [_END.sub(rf" [{each.number}]\g<0>", each.text, count=1) for each in sentences]
    if any(each.listed for each in sentences):
        return "\n".join(f"- {text}" for text in cited)
    return " ".join(cited)
