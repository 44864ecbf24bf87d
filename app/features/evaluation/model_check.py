"""Asks a language model eight questions on the sample site in each form of answers, to see if it suits.

The pages are given, so that the model alone is judged. Only its own words in an answer count, because
passages are shown without a model, too.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

from app.chat.answer import Answerer
from app.chat.events import DeltaEvent, DoneEvent
from app.chat.model.prompts import Prompts
from app.chat.options import ChatOptions, Form
from app.chat.pipelines import model_options
from app.chat.site_search import SiteSearch
from app.chat.summary import READ_TOKENS
from app.chat.text.catalogue import nearest_label, texts
from app.chat.text.citations import CITATION
from app.chat.text.figure_evidence import Evidence
from app.chat.text.figures import figures_of
from app.chat.types import Message
from app.chat.written_answer import SUPPORTED
from app.demo.source import sample_pages
from app.errors import ModelError
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.sheets import SharedRephrasings, SheetModel
from app.indexing.progress import Progress, Show, silent
from app.search.passages import whole_content
from app.search.retrieval import Hit, Retrieval
from app.search.types import IndexedPage
from app.settings.chat import ChatSettings
from ingest.converters.process import ConverterProcess

LIMIT_SECONDS: Final = 60.0
"""The time limit of a reply; settings may allow less."""

SERIES_SECONDS: Final = 120.0
"""After this time no further question is asked in the same form."""

WAIT_SECONDS: Final = 30.0
"""A visitor waits this long for an answer in the full form. In the small form passages come first."""

FEW_TOKENS: Final = 1_000
"""Tokens of sources for a model that is slow, or that many sources confuse."""

PAGES: Final = 10
"""Pages found for each question, as in most presets."""

LEAST_RIGHT: Final[Mapping[Form, float]] = {"full": 0.8, "small": 0.5}
"""The share of answers that must be right; lower in the small form, which also shows passages."""

MOST_WRONG: Final = 1 / 8
"""The share of questions that may be answered wrongly."""

IN_A_ROW: Final = 2
"""After this many failures in a row nothing more is asked in the same form."""

AWAY: Final = ("unreachable", "rate_limited", "refused")
"""Failures that every question would cause."""

QUESTIONS: Final = Path(str(files(__package__))) / "model_questions.jsonl"

_HELLO: Final = Message(role="user", content="Hello")
_HELLO_TOKENS: Final = 32

ModelOutcome = Literal["right", "wrong", "passages", "refused"]
"""Judgement of the model's own words.

* ``right``: they have the figures of the reference answer
* ``wrong``: they have another figure, or replace the passages without the right ones
* ``passages``: neither, and the visitor has the passages
* ``refused``: no figure, for a question without an answer; with a figure they are ``wrong``
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer to one question. ``first_seconds``: until its first text, of the passages or the model;
    ``prompt_tokens``: of what the model read; ``failure``: the error that cut it short."""

    answerable: bool
    outcome: ModelOutcome
    first_seconds: float
    seconds: float
    prompt_tokens: int
    failure: ModelError | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The answers in one form. ``budget_tokens``: of the sources that the model reads. A slow model gets
    fewer questions."""

    form: Form
    budget_tokens: int
    answers: list[CheckedAnswer]

    @property
    def answerable(self) -> int:
        """The number of questions asked that have an answer."""
        return sum(answer.answerable for answer in self.answers)

    def count(self, outcome: ModelOutcome) -> int:
        """Count the answers with this outcome."""
        return sum(answer.outcome == outcome for answer in self.answers)

    @property
    def failures(self) -> list[ModelError]:
        """The errors that cut answers short."""
        return [answer.failure for answer in self.answers if answer.failure]

    def typical(self, value: Callable[[CheckedAnswer], float]) -> float:
        """Return the median of a value over the answers."""
        return median(map(value, self.answers))

    @property
    def is_late(self) -> bool:
        """True if answers in the full form take longer than visitors wait."""
        return self.form == "full" and self.typical(lambda answer: answer.seconds) > WAIT_SECONDS

    @property
    def is_broken_off(self) -> bool:
        """True if the model failed several times in a row."""
        return len(self.answers) >= IN_A_ROW and all(each.failure for each in self.answers[-IN_A_ROW:])

    @property
    def suits(self) -> bool:
        """True if answers in this form are better than those without a model."""
        is_right = self.count("right") >= LEAST_RIGHT[self.form] * self.answerable > 0
        return is_right and not self.is_late and self.count("wrong") <= MOST_WRONG * len(self.answers)


class ModelCheck:
    """Asks a chat's model. ``budget_tokens``: of the sources, as the preset has it. Raises ``SettingsError``
    if the model's address is wrong."""

    def __init__(self, chat: ChatSettings, budget_tokens: int, prompts: Prompts) -> None:
        self._chat = chat
        self._budget_tokens = budget_tokens
        self._prompts = prompts
        self._questions = load_pool(QUESTIONS)

    def run(self, show: Show = silent) -> list[Series]:
        """Ask in the small form, then in the full one with few sources, then with as many as the preset has.

        Stops after a series that is late or broken off. ``show`` is called with the progress. Raises
        ``ModelError`` if the model is away, or fails every question asked in the first series."""
        forms: list[tuple[Form, int]] = [
            ("small", READ_TOKENS),
            ("full", min(FEW_TOKENS, self._budget_tokens)),
            ("full", self._budget_tokens),
        ]
        forms = list(dict.fromkeys(forms))
        total = len(forms) * len(self._questions)
        show(Progress(total=total, unit="questions"))
        self._model().complete([_HELLO], _HELLO_TOKENS, LIMIT_SECONDS)  # a server may load it first
        pages = _pages()
        tried: list[Series] = []
        for form, budget in forms:
            series = Series(form=form, budget_tokens=budget, answers=[])
            tried.append(series)
            for answer in self._answers(pages, form, budget):
                series.answers.append(answer)
                done = (len(tried) - 1) * len(self._questions) + len(series.answers)
                show(Progress(done=done, total=total, unit="questions"))
                if series.is_broken_off:
                    break
            if series.is_broken_off or series.is_late:
                break
        if len(failures := tried[0].failures) == len(tried[0].answers):
            raise failures[-1]
        return tried

    def _answers(self, pages: Sequence[IndexedPage], form: Form, budget: int) -> Iterator[CheckedAnswer]:
        """Yield the answers while there is time. Raises ``ModelError`` if the model is away."""
        model = self._model()
        search = _KnownPages({question.question: _found(question, pages) for question in self._questions})

        options = ChatOptions(
            form=form,
            budget_tokens=budget,
            answer_tokens=self._chat.answer_tokens,
            passages_seconds=self._chat.passages_seconds,
            rephrase=False,
        )
        answerer = Answerer(search, model=model, options=options, prompts=self._prompts)
        started = time.monotonic()
        for question in self._questions:
            answer = _answer(question, answerer, model)
            if answer.failure and answer.failure.kind in AWAY:
                raise answer.failure
            yield answer
            if time.monotonic() - started > SERIES_SECONDS:
                return

    def _model(self) -> SheetModel:
        chat = self._chat
        limits = {
            "first_token_seconds": min(chat.first_token_seconds, LIMIT_SECONDS),
            "answer_seconds": min(chat.answer_seconds, LIMIT_SECONDS),
        }
        return SheetModel(SharedRephrasings(), **(model_options(chat) | limits))


@dataclass(frozen=True)
class _KnownPages(SiteSearch):
    """Finds the pages that are given for each question."""

    known: Mapping[str, Retrieval]

    def retrieve(self, question: str, **_narrowed: Any) -> Retrieval:
        return self.known[question]


def _answer(question: PoolQuestion, answerer: Answerer, model: SheetModel) -> CheckedAnswer:
    model.reset()
    started = time.monotonic()
    events = answerer.stream(question.question, language=question.language)
    next(event for event in events if isinstance(event, DeltaEvent))
    first_seconds = time.monotonic() - started
    done = next(event for event in events if isinstance(event, DoneEvent))
    return CheckedAnswer(
        answerable=question.answerable,
        outcome=_outcome(question, done),
        first_seconds=first_seconds,
        seconds=time.monotonic() - started,
        prompt_tokens=model.tokens.prompt,
        failure=model.failure,
    )


def _pages() -> list[IndexedPage]:
    """Return the pages of the sample site, as an index would serve them."""
    source = sample_pages("sample")
    with ConverterProcess() as converter:
        return [
            IndexedPage(
                ref=raw.ref,
                document=raw.document,
                sequence=1,
                url=raw.url,
                kind=raw.kind,
                updated=raw.updated,
                fields=converter.convert(raw),
            )
            for document in source.documents()
            for raw in source.pages(document) or ()
        ]


def _found(question: PoolQuestion, pages: Sequence[IndexedPage]) -> Retrieval:
    """Return the pages in the question's language, the one that answers it first."""
    found = [page for page in pages if page.ref.language == question.language]
    found.sort(key=lambda page: page.ref.id not in question.gold)
    hits = (
        Hit(rank=rank, page=page, score=1.0, coverage=0.5, similarity={}, passages=whole_content(page))
        for rank, page in enumerate(found[:PAGES], start=1)
    )
    return Retrieval(question=question.question, mode="semantic", degraded=(), hits=tuple(hits))


def _outcome(question: PoolQuestion, done: DoneEvent) -> ModelOutcome:
    words = _written(done)
    asked, said = Evidence([question.question]), Evidence([CITATION.sub("", words)])
    has_figure = any(asked.lacks([figure]) for figure in figures_of(words))
    if not question.answerable:
        return "wrong" if has_figure else "refused"
    if not said.lacks(figures_of(question.answer)):
        return "right" if done.status in SUPPORTED else "passages"
    return "wrong" if has_figure or words == done.answer else "passages"


def _written(done: DoneEvent) -> str:
    """Return the model's words in an answer, without the passages above or below them."""
    if done.model is None:
        return ""
    own = texts(done.language)
    passages, label, below = done.answer.partition(own.summary)
    if label:
        return below
    for follows in (own.unverified, own.interrupted, own.wording, nearest_label(done.language)):
        passages = passages.partition(follows)[0]
    return passages
