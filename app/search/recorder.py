"""Records what the parts of one answer did, for people who want to see how it came about.

Each part reports by :func:`record`. If no recorder is open in this thread, as for every visitor's question,
no record is made. The records of a search are defined here, those of its answer in :mod:`app.chat.records`.
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
from app.search.retrieval import Certainty, Hit, Retrieval
from app.search.types import Candidate, Generation, QuerySpec

P = ParamSpec("P")

TranslatedWords = Mapping[str, tuple[str, ...]]
"""Words of a question with their translations, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A record of a part, and the seconds since the one before it."""

    part: object
    seconds: float


class Recorder:
    """Keeps the records of one answer, in order. For one thread."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.parts: list[Recorded] = []
        self._clock = clock
        self._last = clock()

    def add(self, part: object) -> None:
        """Keep the record of a part that has just ended."""
        now = self._clock()
        self.parts.append(Recorded(part=part, seconds=now - self._last))
        self._last = now


_open: Final[ContextVar[Recorder | None]] = ContextVar("recorder", default=None)


def record(part: Callable[P, object], *args: P.args, **values: P.kwargs) -> None:
    """Make the record and keep it, if a recorder is open."""
    recorder = _open.get()
    if recorder is not None:
        recorder.add(part(*args, **values))


@contextmanager
def recording() -> Iterator[Recorder]:
    """Open a recorder for this thread until the block ends."""
    recorder = Recorder()
    token = _open.set(recorder)
    try:
        yield recorder
    finally:
        _open.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A ``word`` of the question that no page has, and the spelling that was searched for instead.
    ``is_compound``: the word was split into its parts."""

    word: str
    spelt: str
    is_compound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBegun:
    """The beginning of a search. ``asked``: the question before words were corrected."""

    asked: str
    query: Query
    preset: Preset


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEmbedded:
    """The generation that the question was embedded for, and the thresholds for its cosines."""

    generation: Generation
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsTranslated:
    """The question's words as they were also searched for in another language of the pages."""

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
    """Pages by their score, best first, and those among them that do not repeat a better one."""

    best: Sequence[Scored]
    distinct: Sequence[Scored]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """The reranker's scores of the first candidates, in the order before reranking."""

    scores: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesMatched:
    """A search by words alone. ``spec``: the query to the index."""

    mode: KeywordMode
    spec: QuerySpec
    candidates: Sequence[Candidate]
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertaintyJudged:
    """The judgement of the best page. ``score``: the page's. ``off_topic``: the question's relevance to
    off-topic examples, if they were compared. ``threshold``: what both together must reach to come near; 0 if
    none is known. ``answers``: the likelihood of the likeliest block, 0 to 1, if blocks were read."""

    score: float
    off_topic: float | None
    threshold: float
    answers: float | None
    certainty: Certainty


class WordEvidence(Protocol):
    """Evidence that a word that no page has carries a question, as relevances (:meth:`Thresholds.relevance`).

    ``without``: of the question without the word to the whole question. ``explained``: how much less relevant
    the best block becomes without the word, as a share of what the question itself loses. ``nearest``: of the
    nearest word in the best blocks. ``is_compound``: the word shares a part with a word of these blocks.
    ``is_part``: it begins or ends one of them.
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
    """The words of the question that no page has and that may carry it. Their evidence is computed when it
    is accessed."""

    words: Sequence[WordEvidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEnded:
    """The result of a search."""

    retrieval: Retrieval


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """The result for a question that only names a text."""

    retrieval: Retrieval
