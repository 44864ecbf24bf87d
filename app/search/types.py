"""Data that flows between the search index, retrieval and answering."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal, NamedTuple

from app.presets import KeywordMode, Thresholds
from app.search.absent_act import AbsentAct
from app.search.fields import FieldValues
from app.search.filters import Filter
from ingest.protocols import Recipe
from ingest.text import shortened
from ingest.types import PUBLISHED, EmbeddedPage, FieldName, Page, PageRef, RawPage, Vectors

TITLE_CHARACTERS: Final = 500
"""The most that is shown of a title."""

RetrievalMode = Literal["semantic", "keyword", "lookup"]
"""How pages were found: by meaning and words, by words alone, or because the question only names them."""

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
"""Labels of the steps by which an answer was degraded; each has a sentence in the UI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFilter:
    """Which texts a question is about, in days.

    ``at``: those that applied then, today's by default. ``published_from`` and ``published_before``: those of
    acts published in that time, the second day not included; without a limit by default.
    """

    at: date | None = None
    published_from: date | None = None
    published_before: date | None = None

    def __bool__(self) -> bool:
        return self != ANY_TIME

    def admits(self, published: date | None) -> bool:
        """True if what was published then is asked for; of an unknown day only where no day is given."""
        start, end = self.published_from, self.published_before
        if published is None:
            return start is None and end is None
        return (start is None or start <= published) and (end is None or published < end)


ANY_TIME: Final = TimeFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecipe:
    """What a generation is built with. ``embedder``: how questions are embedded. ``build``: the versions of
    embedder, chunker, context line and converters; where they differ from today's, a reindex is advised."""

    embedder: Recipe
    build: Recipe

    @property
    def dims(self) -> int:
        """The length of every vector in the generation."""
        return int(self.embedder["dims"])


GenerationState = Literal["building", "live", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One physical index. Exactly one is live once any was promoted. ``owner``: the page store whose pages
    it contains; empty if created without."""

    number: int
    state: GenerationState
    recipe: GenerationRecipe
    created: datetime
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """The removal of a page as of ``sequence``."""

    ref: PageRef
    sequence: int


Update = EmbeddedPage | Remove


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """The result of one update. ``superseded`` is success: the index already has a higher sequence."""

    ref: PageRef
    sequence: int
    status: Literal["written", "superseded", "failed"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """One question to the index.

    ``words``: the question's content words (lower case, distinct, stop words removed) for the keyword
    clause and coverage; the index analyses them per language, and takes several with spaces between as one.
    ``vector``: the embedded question, or ``None``. ``k``: per field, how many pages (ranked by their best
    chunk) its kNN clause returns. ``similarity``: per field, from which cosine on. ``generation``: the
    one whose embedder made ``vector``. ``sources``: whose pages are searched. ``without``: the collections
    (:func:`collection`) that are not searched; ``within``: the only ones that are, ``None`` for all.
    ``filters``: on fields of metadata; a page passes them all. These four filter within every clause, so that
    ``k`` counts pages that pass.
    """

    words: tuple[str, ...]
    sources: frozenset[str]
    vector: Vectors | None = None
    k: Mapping[FieldName, int] = field(default_factory=dict)
    keyword: KeywordMode = "any"
    keyword_limit: int = 20
    similarity: Mapping[FieldName, float] = field(default_factory=dict)
    generation: int | None = None
    without: frozenset[str] = frozenset()
    within: frozenset[str] | None = None
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A page as the index serves it. ``fields``: the Markdown of the non-empty ones. ``content_spans``: the
    byte offsets of the content's chunk cores by position. ``metadata``: the source's own, empty for a page
    written by a version without it."""

    ref: PageRef
    document: str
    sequence: int
    url: str
    kind: str
    updated: datetime | None
    fields: Mapping[FieldName, str]
    content_spans: tuple[tuple[int, int], ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def published(self) -> date | None:
        """The day of publication, of a unit of law that of its act; ``None`` if it is not known."""
        try:
            return date.fromisoformat(self.metadata.get(PUBLISHED, "")[:10])
        except ValueError:
            return None

    @property
    def is_law(self) -> bool:
        """True for a unit of law: beside its content it has its place in the act alone."""
        return "celex" in self.metadata

    @property
    def title(self) -> str:
        """The page's title, else its name, else its id; of a unit of law name and title. For people: cut to
        ``TITLE_CHARACTERS``."""
        name, title = self.fields.get("name", ""), self.fields.get("title", "")
        if self.is_law and name and title != name:
            return shortened(f"{name}: {title}" if title else name, TITLE_CHARACTERS)
        return shortened(title or name, TITLE_CHARACTERS) or self.ref.id


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMatch:
    """A page that has words that are looked for, as a list of results knows it before it is read.
    ``headline``: its name and title. ``values``: of the fields that the index was built with."""

    ref: PageRef
    kind: str
    headline: str
    values: FieldValues = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPages:
    """The pages with a word: how many there are, and some of them."""

    count: int
    refs: Sequence[PageRef]


class ChunkHit(NamedTuple):
    """A chunk near the question: its core's byte offsets in the field and its raw cosine. ``context``: what a
    model wrote to place it, where it is to be read."""

    position: int
    start: int
    end: int
    cosine: float
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A page that at least one clause returned.

    ``chunks``: up to 10 best chunks of each field in ``QuerySpec.k``, best first, whichever clause returned
    the page; so ``chunks[f][0].cosine`` is the field's best raw cosine. A field is missing where the page has
    no chunk in it, or none that reaches ``QuerySpec.similarity``. ``near``: the fields whose kNN clause
    returned the page; ``keyword``: True if the keyword clause did. ``coverage``: the share of the question's
    word weight in the page, in [0, 1]. ``added``: what its cosines, by field, and its coverage, as
    ``words``, lack because it is in another language than the question (:mod:`app.search.fusion`).
    """

    page: IndexedPage
    chunks: Mapping[FieldName, tuple[ChunkHit, ...]]
    near: frozenset[FieldName]
    keyword: bool
    coverage: float
    added: Mapping[str, float] = field(default_factory=dict)

    @property
    def similarity(self) -> dict[FieldName, float]:
        """The best raw cosine of each field."""
        return {name: hits[0].cosine for name, hits in self.chunks.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkCandidate:
    """A chunk of a page's content that the search for chunks returned.

    ``context``: what was put before it when it was indexed. ``near``: its rank among the nearest chunks, from
    1, with its exact ``cosine``; ``matching``: among those with the question's words. ``None`` where it is
    not among them.
    """

    page: IndexedPage
    position: int
    start: int
    end: int
    context: str
    cosine: float | None = None
    near: int | None = None
    matching: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A slice of a field's Markdown, ``start``/``end`` its byte offsets."""

    field: FieldName
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """A fragment of a page's content (Markdown) with words of the question.

    ``marks``: their character offsets in ``text``, in order, not overlapping.
    """

    text: str
    marks: tuple[tuple[int, int], ...]


class NearChunk(NamedTuple):
    """A chunk of a page's content near the question: its core's byte offsets, and its ``relevance``
    (:meth:`app.presets.Thresholds.relevance`)."""

    start: int
    end: int
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NearBlock:
    """A block of a page that was compared with the question itself: its byte offsets in the field, and its
    relevance (:meth:`app.presets.Thresholds.relevance`)."""

    field: FieldName
    start: int
    end: int
    relevance: float


LinkKind = Literal["definition", "reference", "recital"]
"""Why a page is read with a hit: it defines a term of the question, the hit refers to it, or it is a recital
of the hit's act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A page that qualified, with the passages that go to the model or the reader.

    ``rank``: from 1. ``score``: of the preset's ranking; a reranker changes ranks alone. ``near``: chunks of
    the content, the nearest to the question first. ``blocks``: those that were compared with it. ``read``:
    how likely blocks that were read together with it answer it (:mod:`app.search.block_reader`), 0 to 1, by
    their fields and where they start. ``beside``: how relevant the other fields are that were compared with
    it. ``ended``: the day from which the text no longer applies. ``linked``: pages to be read with it;
    ``link``: why this one is read with another hit. ``contexts``: what a model wrote to place the passages,
    if it is to be read. ``explains``: the provision
    whose reasons it says.
    """

    rank: int
    page: IndexedPage
    score: float
    coverage: float
    similarity: Mapping[FieldName, float]
    passages: tuple[Passage, ...]
    near: tuple[NearChunk, ...] = ()
    blocks: tuple[NearBlock, ...] = ()
    read: Mapping[tuple[FieldName, int], float] = field(default_factory=dict)
    beside: Mapping[FieldName, float] = field(default_factory=dict)
    ended: date | None = None
    linked: tuple["Hit", ...] = ()
    link: LinkKind | None = None
    contexts: tuple[str, ...] = ()
    explains: PageRef | None = None


def is_law_best(hits: Sequence[Hit]) -> bool:
    """True if the best page is a unit of law."""
    return any(hit.page.is_law for hit in hits[:1])


Certainty = Literal["answered", "near", "far"]
"""By the best page's score: it may well answer the question, it only comes near, or it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedQuestion:
    """How a question was compared with the pages. ``vector``: shape ``(dims,)``. ``recipe``: the hash of its
    embedder's. ``generation``: the index's. ``thresholds``: those of the preset for its cosines."""

    vector: Vectors
    recipe: str
    generation: int
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The result for a question. ``keyword_hits``: offered to the reader when nothing qualified. ``time`` and
    ``filters``: what the search was limited to. ``relevance``: how near the content of the nearest page is, 0
    as unrelated text and 1 the same; ``None`` if meaning was not searched. ``certainty``: of the best page.
    ``is_foreign``: no page found is in the question's language. ``about``: the pages that the question is
    about, if it goes on with an earlier one or editors pinned some: passages are quoted of these alone.
    ``other_readings``: the question as it may be meant instead, in full. ``absent``: acts that it is about
    and that are not searched. ``absent_words``: words that carry it and that no page has. ``as_of``: the day
    whose law was searched, where law was found. ``embedded``: by what was searched. ``language``: in which
    the question names a text, empty if it names none or that is not plain."""

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
        """The hits, then those linked to them; every page once, where it comes first."""
        linked = (each for hit in self.hits for each in hit.linked)
        ordered: dict[PageRef, Hit] = {}
        for hit in (*self.hits, *linked):
            ordered.setdefault(hit.page.ref, hit)
        return tuple(ordered.values())


def collection(source: str, document: str, kind: str) -> str:
    """The name of the collection of all pages of ``kind`` in a document of ``source``, such as the recitals
    of one version of an act. A few thousand collections name a hundred times as many pages."""
    return f"{source}:{document}#{kind}"


def collection_of(page: RawPage | Page | IndexedPage) -> str:
    """The name of the collection that a page belongs to."""
    return collection(page.ref.source, page.document, page.kind)
