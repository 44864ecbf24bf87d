"""Data types that a search returns to its callers: hits with their passages, and how sure they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal, NamedTuple, Self

from app.presets import Thresholds
from app.search.absent_act import AbsentAct
from app.search.filters import Filter
from app.search.types import Generation, IndexedPage
from ingest.fingerprints import recipe_hash
from ingest.types import FieldName, PageRef, Vectors

RetrievalMode = Literal["semantic", "keyword", "lookup"]
"""How pages were found: by meaning and words, by words alone, or because the question only names a text."""

Degradation = Literal[
    "daily_limit",
    "rephrase_failed",
    "rephrase_rejected",
    "time_dropped",
    "embedder_unavailable",
    "reranker_unavailable",
    "model_unavailable",
    "keyword_any_word",
    "keyword_no_match",
]
"""Labels of what failed or was left out while answering; the UI has a sentence for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFilter:
    """Limits a question to texts by date.

    ``at``: texts that applied on this day; today by default. ``published_from`` and ``published_before``:
    texts of acts published in this period, the second day excluded; unlimited by default.
    """

    at: date | None = None
    published_from: date | None = None
    published_before: date | None = None

    def __bool__(self) -> bool:
        return self != ANY_TIME

    def admits(self, published: date | None) -> bool:
        """True if the day is within the period; an unknown day only if the period is unlimited."""
        start, end = self.published_from, self.published_before
        if published is None:
            return start is None and end is None
        return (start is None or start <= published) and (end is None or published < end)


ANY_TIME: Final = TimeFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A slice of a field's Markdown. ``start`` and ``end`` are byte offsets."""

    field: FieldName
    start: int
    end: int
    text: str


class NearChunk(NamedTuple):
    """A chunk of a page's content near the question: its core's byte offsets, and its ``relevance``
    (:meth:`app.presets.Thresholds.relevance`)."""

    start: int
    end: int
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NearBlock:
    """A block that was itself embedded and compared with the question: its byte offsets in the field, and
    its relevance (:meth:`app.presets.Thresholds.relevance`)."""

    field: FieldName
    start: int
    end: int
    relevance: float


LinkKind = Literal["definition", "reference", "recital"]
"""Why a page accompanies a hit: it defines a term of the question, the hit refers to it, or it is a recital
of the hit's act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A page that qualified, with the passages that go to the model or the visitor.

    * ``rank``: from 1. ``score``: by the preset's ranking; a reranker changes only the rank.
    * ``near_chunks``: chunks of the content, the nearest to the question first. ``field_relevances``: of the
      other fields that were compared with it. ``compared_blocks``: the blocks that were. ``likelihoods``: by
      field and start, how likely (0 to 1) a block answers it (:mod:`app.search.block_reader`).
    * ``ended``: the day from which the text no longer applies.
    * ``linked``: pages that accompany this one; ``link``: why this one accompanies another hit; ``explains``:
      the provision that this recital gives reasons for. ``contexts``: what a model wrote to place the
      passages, if the preset passes it on.
    """

    rank: int
    page: IndexedPage
    score: float
    coverage: float
    similarity: Mapping[FieldName, float]
    passages: tuple[Passage, ...]
    near_chunks: tuple[NearChunk, ...] = ()
    compared_blocks: tuple[NearBlock, ...] = ()
    likelihoods: Mapping[tuple[FieldName, int], float] = field(default_factory=dict)
    field_relevances: Mapping[FieldName, float] = field(default_factory=dict)
    ended: date | None = None
    linked: tuple["Hit", ...] = ()
    link: LinkKind | None = None
    contexts: tuple[str, ...] = ()
    explains: PageRef | None = None


def is_law_best(hits: Sequence[Hit]) -> bool:
    """True if the best page is a unit of law."""
    return any(hit.page.is_law for hit in hits[:1])


Certainty = Literal["answered", "near", "far"]
"""Judgement of the best page: it may well answer the question, it only comes near, or it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedQuestion:
    """A question's ``vector``, shape ``(dims,)``, and how it was compared with the pages. ``recipe``: the
    hash of its embedder's. ``thresholds``: the preset's, for cosines of this embedder."""

    vector: Vectors
    recipe: str
    generation: int
    thresholds: Thresholds

    @classmethod
    def of(cls, vector: Vectors, generation: Generation, thresholds: Thresholds) -> Self:
        """Return a question that was compared with the pages of ``generation``."""
        recipe = recipe_hash(generation.recipe.embedder)
        return cls(vector=vector, recipe=recipe, generation=generation.number, thresholds=thresholds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The result for a question.

    * ``keyword_hits``: pages offered to the visitor if nothing qualified.
    * ``time``, ``filters``: limits of the search. ``as_of``: the day whose law was searched, if any matched.
    * ``relevance``: that of the nearest content, 0 for unrelated text and 1 for the same; ``None`` if meaning
      was not searched. ``embedded``: the vector that was searched with.
    * ``certainty``: of the best page. ``is_foreign``: no page found is in the question's language.
    * ``about``: the pages that a follow-up is about, or that editors pinned: only these are quoted.
    * ``other_readings``: what the question may mean instead, as full questions.
    * ``absent``: acts it is about that are not searched. ``absent_words``: words that carry the question and
      that no page has.
    * ``language``: in which the question names a text; empty if it names none or the language is unclear.
    """

    question: str
    mode: RetrievalMode
    degraded: tuple[Degradation, ...]
    hits: tuple[Hit, ...]
    keyword_hits: tuple[Hit, ...] = ()
    time: TimeFilter = ANY_TIME
    filters: tuple[Filter, ...] = ()
    relevance: float | None = None
    certainty: Certainty = "answered"
    is_foreign: bool = False
    about: frozenset[PageRef] = frozenset()
    other_readings: tuple[str, ...] = ()
    absent: tuple[AbsentAct, ...] = ()
    as_of: date | None = None
    absent_words: tuple[str, ...] = ()
    language: str = ""
    embedded: EmbeddedQuestion | None = field(default=None, compare=False, repr=False)

    @property
    def all_hits(self) -> tuple[Hit, ...]:
        """The hits, then the pages linked to them; each page only at its first place."""
        linked = (each for hit in self.hits for each in hit.linked)
        ordered: dict[PageRef, Hit] = {}
        for hit in (*self.hits, *linked):
            ordered.setdefault(hit.page.ref, hit)
        return tuple(ordered.values())
