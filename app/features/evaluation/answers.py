"""Judges answers without a language model against gold spans: what people see and what a model would read.

The answer is the rendered Markdown without the sentence above its passages. The context is the titles and
texts of the sources, in the order of the prompt.
"""

import html
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final
from urllib.parse import unquote, urlsplit

import nh3

from app.chat.answer import Answerer
from app.chat.documents import SourceDocument
from app.chat.energy import Energy, Meter
from app.chat.events import AnswerCertainty, DoneEvent, Status
from app.chat.source_items import SourceItem, read_texts, short_title
from app.chat.text.catalogue import without_label
from app.chat.text.citations import CITATION, NUMBERS_IN_BRACKETS, cited_numbers
from app.chat.text.deep_links import is_whole_page
from app.chat.text.render import BlockRenderer
from app.chat.types import CitedPage, Turn
from app.errors import PoolError, QuestionError
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.spans import AnswerGrade
from app.features.evaluation.words import Words, beginning, markdown_words, words
from app.indexing.progress import Progress, Show, silent
from ingest.text import shortened

CONTEXT_CHARACTERS: Final = (2_000, 4_000, 8_000, 16_000)

REFUSALS: Final[frozenset[Status]] = frozenset({"no_answer", "out_of_scope", "greeting"})
"""Statuses of answers in which no passage poses as an answer."""

_DIRECTIVE: Final = ":~:"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSource:
    """A page that a model would read: its id, title and link; ``cited``: True if the answer cites it."""

    page: str
    title: str
    href: str
    cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """A question and its answer.

    ``shown``: the answer as people see it. ``is_right``: True if it contains the gold answer; ``within``: the
    same for the first N characters of the context, by N; ``grade``: how well it answers. Without gold spans
    these are ``None`` or empty. ``certainty``: as the answer states it. ``absent_words``: words of the
    question that the answer says are on no page. ``links``: for each cited web page, True if its link opens
    the quoted passage. ``sources``: what a model would read; ``context``: their text. ``energy``: what the
    answer took, or ``None`` if unknown.
    """

    question: PoolQuestion
    status: Status
    shown: str
    is_right: bool | None
    grade: AnswerGrade | None
    certainty: AnswerCertainty
    within: Mapping[int, bool]
    links: tuple[bool, ...]
    sources: tuple[AnswerSource, ...] = ()
    context: str = ""
    absent_words: tuple[str, ...] = ()
    energy: Energy | None = None

    @property
    def is_refused(self) -> bool:
        """True if the question was not answered."""
        return self.status in REFUSALS


def judge_answers(
    answerer: Answerer,
    questions: Sequence[PoolQuestion],
    sources: frozenset[str],
    show: Show = silent,
    meter: Meter | None = None,
) -> Iterator[JudgedAnswer]:
    """Answer every question without a model.

    ``show`` is called with the progress; ``meter`` measures the energy of each answer. Raises ``PoolError``
    for a question that cannot be asked, and what ``Answerer.stream`` raises.
    """
    for number, question in enumerate(questions, start=1):
        measurement = meter.begin() if meter else None
        try:
            done = _answer(answerer, question, sources)
        finally:
            energy = measurement.end() if measurement else None
        yield replace(judged_answer(question, done), energy=energy)
        show(Progress(done=number, total=len(questions), unit="questions"))


def _answer(answerer: Answerer, question: PoolQuestion, sources: frozenset[str]) -> DoneEvent:
    try:
        events = answerer.stream(
            question.question,
            history=question.history,
            language=question.language,
            sources=sources,
            model_disabled="model_unavailable",
        )
        return next(event for event in events if isinstance(event, DoneEvent))
    except QuestionError as error:
        named = repr(question.id or shortened(question.question, 60))
        raise PoolError("question {named} of the pool: {why}", named=named, why=error) from error


def judged_answer(question: PoolQuestion, done: DoneEvent) -> JudgedAnswer:
    """Judge one answer."""
    seen = visible_text(without_label(done.answer))
    shown = without_citations(seen)
    context = context_text(done.sources)
    return JudgedAnswer(
        question=question,
        status=done.status,
        shown=shown,
        is_right=question.is_in(words(shown)) if question.has_text else None,
        grade=_grade(question, done, words(shown)) if question.has_text else None,
        certainty=done.certainty,
        within=_within(question, context) if question.has_text else {},
        links=tuple(_opened(question.question, done, seen)),
        sources=tuple(_used(question.question, done)),
        context=context,
        absent_words=done.retrieval.absent_words if done.retrieval else (),
    )


def conversation(answerer: Answerer, question: PoolQuestion, sources: frozenset[str]) -> PoolQuestion:
    """Ask the earlier questions without a model, and return the question with these turns as its history.

    Raises the same errors as :func:`judge_answers`.
    """
    turns = list(question.history)
    for earlier in question.earlier:
        asked = question.model_copy(update={"question": earlier, "language": None, "history": tuple(turns)})
        done = _answer(answerer, asked, sources)
        numbered = {source.number: source.page for source in done.sources}
        cited = (numbered[number] for number in done.citations)
        pages = tuple(CitedPage(id=page.ref.id, url=page.url) for page in cited)
        turns.append(Turn(role="user", content=earlier))
        turns.append(Turn(role="assistant", content=done.answer, cited=pages))
    return question.model_copy(update={"history": tuple(turns)})


def first_block(answer: str) -> str:
    """Return the first quote of an answer (Markdown), or the whole answer if it has none."""
    lines = answer.split("\n")
    start = next((at for at, line in enumerate(lines) if line.startswith(">")), None)
    if start is None:
        return answer
    return "\n".join(takewhile(lambda line: line.startswith(">"), lines[start:]))


def _grade(question: PoolQuestion, done: DoneEvent, shown: Words) -> AnswerGrade:
    first = without_citations(visible_text(f"{done.card}\n\n{first_block(done.answer)}"))
    return answer_grade(question, done.status, words(first), shown)


def answer_grade(question: PoolQuestion, status: str, first: Words, shown: Words) -> AnswerGrade:
    """Grade an answer by the words of its ``first`` block and of everything ``shown``."""
    return "bad" if status in REFUSALS else question.grade(first, shown)


def _used(question: str, done: DoneEvent) -> Iterator[AnswerSource]:
    for source in done.sources:
        if source.used:
            yield AnswerSource(
                page=source.page.ref.id,
                title=short_title(source.page),
                href=SourceDocument.of(source, question).href,
                cited=source.number in done.citations,
            )


def _within(question: PoolQuestion, context: str) -> dict[int, bool]:
    return {limit: question.is_in(markdown_words(beginning(context, limit))) for limit in CONTEXT_CHARACTERS}


def visible_text(markdown: str) -> str:
    """An answer's Markdown as people see it, in one line."""
    return text_of_html(BlockRenderer().render(markdown))


def text_of_html(shown: str) -> str:
    """The visible text of HTML, in one line."""
    return " ".join(html.unescape(nh3.clean(shown, tags=set())).split())


def without_citations(text: str) -> str:
    """The text without the numbers of its sources, in one line."""
    return " ".join(NUMBERS_IN_BRACKETS.sub("", text).split())


def context_text(sources: Sequence[SourceItem]) -> str:
    """The titles and texts of the used sources, in Markdown."""
    return "\n\n".join(read_texts(sources))


def cited_texts(answer: str) -> dict[int, str]:
    """Map each source number to the text before it, back to the previous citation.

    Numbers that stand together share one text."""
    texts = defaultdict[int, list[str]](list)
    start, text = 0, ""
    for citation in CITATION.finditer(answer):
        text = answer[start : citation.start()].strip(" ,;") or text
        start = citation.end()
        for number in cited_numbers(citation[1], range(100)):
            texts[number].append(text)
    return {number: " ".join(pieces) for number, pieces in texts.items()}


def opens(href: str, quoted: str) -> bool:
    """Return True if the link has a text directive and the ``quoted`` text contains the words it names."""
    directives = urlsplit(href).fragment.partition(_DIRECTIVE)[2].split("&")
    wanted = [text for each in directives if each.startswith("text=") for text in _directed(each[5:])]
    return bool(wanted) and all(words(quoted).holds(words(text)) for text in wanted)


def _directed(directive: str) -> list[str]:
    """The first and the last words that a text directive marks, without the context around them."""
    parts = directive.split(",")
    return [unquote(part) for part in parts if not (part.endswith("-") or part.startswith("-"))]


def _opened(question: str, done: DoneEvent, seen: str) -> Iterator[bool]:
    """Yield for each cited web page True if its link opens the quoted passage, otherwise False.

    Pages that are a part of a document (their URL has a fragment) are skipped: no link leads further in."""
    texts = cited_texts(seen)
    for source in done.sources:
        if source.number in done.citations and is_whole_page(source.page.url):
            yield opens(SourceDocument.of(source, question).href, texts.get(source.number or 0, ""))
