"""Notes what the parts of one answer do, for people who want to see how it came about.

Each tells what it did by :func:`record`. Without a recorder that is open in this thread, as for every
visitor's question, nothing is made or kept. The parts of a search are here, those of its answer in
:mod:`app.chat.records`.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, ParamSpec, Protocol

from app.presets import KeywordMode, Preset, Thresholds
from app.search.chunk_ranking import ScoredChunk
from app.search.fusion import Scored
from app.search.query import Query
from app.search.types import Candidate, Certainty, Generation, Hit, QuerySpec, Retrieval

P = ParamSpec("P")

TranslatedWords = Mapping[str, tuple[str, ...]]
"""Words of a question with their translations, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a part told, and the seconds since the part before it."""

    part: object
    seconds: float


class Recorder:
    """Keeps the parts of one answer, in order. For one thread."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.parts: list[Recorded] = []
        self._clock = clock
        self._last = clock()

    def add(self, part: object) -> None:
        """Keep a part that has just ended."""
        now = self._clock()
        self.parts.append(Recorded(part=part, seconds=now - self._last))
        self._last = now


_open: Final[ContextVar[Recorder | None]] = ContextVar("recorder", default=None)


def record(part: Callable[P, object], *args: P.args, **values: P.kwargs) -> None:
    """Make the part and keep it, if a recorder is open."""
    recorder = _open.get()
    if recorder is not None:
        recorder.add(part(*args, **values))


@contextmanager
def recording() -> Iterator[Recorder]:
    """Open a recorder for what this thread does meanwhile."""
    recorder = Recorder()
    token = _open.set(recorder)
    try:
        yield recorder
    finally:
        _open.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A word of the question that no page has, and what was searched for in its place. ``is_compound``: a
    compound, and its parts."""

    word: str
    spelt: str
    is_compound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBegun:
    """A search begins. ``asked``: the question before words were corrected."""

    asked: str
    query: Query
    preset: Preset


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEmbedded:
    """The question was embedded for the generation, whose cosines have these thresholds."""

    generation: Generation
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsTranslated:
    """The question's words were searched for in another language of the pages, too."""

    language: str
    words: TranslatedWords


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatesFound:
    """The pages that the index returned and that may be shown; those that qualified are ranked."""

    spec: QuerySpec
    candidates: Sequence[Candidate]
    qualified: Sequence[Candidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunksRanked:
    """The chunks that the index returned, of pages that may be shown, best first."""

    spec: QuerySpec
    chunks: Sequence[ScoredChunk]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesRanked:
    """Pages by their score, best first, and those of them that do not say the same as a better one."""

    best: Sequence[Scored]
    distinct: Sequence[Scored]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """The reranker's scores of what was ranked first, in that order."""

    scores: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesMatched:
    """A search by words alone. ``spec``: what the index was asked."""

    mode: KeywordMode
    spec: QuerySpec
    candidates: Sequence[Candidate]
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertaintyJudged:
    """A judgement of the best page by its ``score`` and by the question's relevance to what visitors ask of
    no website. ``threshold``: what both must reach together to come near; 0 if none is known. ``answers``:
    how likely the likeliest block answers, 0 to 1, where blocks were read."""

    score: float
    off_topic: float | None
    threshold: float
    answers: float | None
    certainty: Certainty


class WordEvidence(Protocol):
    """How far a word that no page has carries a question, as relevances (:meth:`Thresholds.relevance`).

    ``without``: of what is asked without the word to the whole. ``explained``: how much less relevant the
    best block becomes without the word, as a share of what the question itself loses. ``nearest``: of the
    nearest word of the best blocks. ``is_compound``: it has a part in common with one of them. ``is_part``:
    it begins or ends one.
    """

    @property
    def without(self) -> float: ...
    @property
    def explained(self) -> float: ...
    @property
    def nearest(self) -> float: ...
    @property
    def is_compound(self) -> bool: ...
    @property
    def is_part(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsUnknown:
    """The words of the question that no page has and that may carry it. Their evidence is taken when it is
    read."""

    words: Sequence[WordEvidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEnded:
    """The result of a search."""

    retrieval: Retrieval


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """The question only names a text, which was looked up."""

    retrieval: Retrieval
