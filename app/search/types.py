"""What flows between the search index, retrieval and answering."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal

from app.presets import KeywordMode
from ingest.protocols import Recipe
from ingest.types import EmbeddedPage, FieldName, Page, PageRef, RawPage, Vectors

RetrievalMode = Literal["semantic", "keyword", "lookup"]
"""How pages were found: by meaning and words, by words alone, or because the question only names them."""

Degradation = Literal[
    "daily_limit",
    "rephrase_failed",
    "rephrase_rejected",
    "time_dropped",
    "embedder_unavailable",
    "model_unavailable",
    "keyword_any_word",
    "keyword_no_match",
]
"""Labels of the steps by which an answer was degraded; each has a sentence in the UI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFilter:
    """Which law a question is about, in days.

    ``at``: the texts that applied then, today's if not given. ``published_from`` and ``published_before``:
    acts published in that time, the second day not included; without a limit where not given.
    """

    at: date | None = None
    published_from: date | None = None
    published_before: date | None = None

    def __bool__(self) -> bool:
        return self != ANY_TIME

    def admits(self, published: date | None) -> bool:
        """Whether an act published then is asked for; one of an unknown day only where none is named."""
        start, end = self.published_from, self.published_before
        if published is None:
            return start is None and end is None
        return (start is None or start <= published) and (end is None or published < end)


ANY_TIME: Final = TimeFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecipe:
    """What a physical index is made with. ``embedder`` decides how questions are embedded;
    ``build`` (embedder, chunker, context line, converter versions) decides whether a reindex is advised."""

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
    it holds; empty for one that was made without."""

    number: int
    state: GenerationState
    recipe: GenerationRecipe
    created: datetime
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """The page is to be gone as of ``sequence``."""

    ref: PageRef
    sequence: int


Update = EmbeddedPage | Remove


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What became of one update. ``superseded`` is success: the index already has a higher sequence."""

    ref: PageRef
    sequence: int
    status: Literal["written", "superseded", "failed"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """One question to the index.

    ``words``: the question's content words (lower case, distinct, stop words removed) for the keyword
    clause and coverage; the index analyses them per language. ``vector``: the embedded question, or
    ``None``. ``k``: per field, how many pages (ranked by their best chunk) the kNN clause brings.
    ``sources``: the scope, inside every clause. ``similarity``: per field, the raw cosine below which its
    kNN clause brings no page. ``generation``: the one whose embedder made ``vector``. ``without``: the
    collections (:func:`collection`) whose pages no clause brings; ``within``: the only collections whose
    pages any brings, ``None`` for all. Like ``sources`` they hold inside every clause, so that ``k`` counts
    the other pages.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A page as the index serves it: ``fields`` holds the non-empty fields' Markdown, ``content_spans``
    the byte offsets of the content's chunk cores by position, ``metadata`` what the page came with (nothing
    for a page that an Auskunft without it wrote)."""

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
    def title(self) -> str:
        """What to call the page: its title, else its name, else its id; a unit of law by both."""
        name, title = self.fields.get("name", ""), self.fields.get("title", "")
        if "celex" in self.metadata and name and title != name:
            return f"{name}: {title}" if title else name
        return title or name or self.ref.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkHit:
    """A chunk near the question: its core's byte offsets in the field and its raw cosine."""

    position: int
    start: int
    end: int
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A page that at least one clause brought.

    ``chunks``: up to 3 best chunks of each field in ``QuerySpec.k``, best first, whichever clause brought the
    page; so ``chunks[f][0].cosine`` is the field's best raw cosine. A field is missing where the page has no
    chunk in it, or none that reaches ``QuerySpec.similarity``. ``near``: the fields whose kNN clause brought
    the page; ``keyword``: whether the keyword clause did. ``coverage`` in [0, 1]: how much of the question's
    word weight the page holds.
    """

    page: IndexedPage
    chunks: Mapping[FieldName, tuple[ChunkHit, ...]]
    near: frozenset[FieldName]
    keyword: bool
    coverage: float

    @property
    def similarity(self) -> dict[FieldName, float]:
        """The best raw cosine of each field."""
        return {name: hits[0].cosine for name, hits in self.chunks.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A slice of a field's Markdown, ``start``/``end`` its byte offsets."""

    field: FieldName
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """A piece of a page's content (Markdown) that holds words of the question.

    ``marks``: where they are, as character offsets in ``text``, in order, not overlapping.
    """

    text: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A page that qualified, in rank order, with the passages that go to the model or the reader.

    ``focus``: the byte offset in its content at which the chunk nearest to the question begins. ``ended``:
    the day from which its text no longer applies, of law that does not. ``linked``: pages that it refers to,
    to be read after it.
    """

    rank: int
    page: IndexedPage
    score: float
    coverage: float
    similarity: Mapping[FieldName, float]
    passages: tuple[Passage, ...]
    focus: int | None = None
    ended: date | None = None
    linked: tuple["Hit", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What a question found. ``keyword_hits`` are offered to the reader when nothing qualified. ``time``: the
    time that it was narrowed to. ``relevance``: how near the content of the nearest page is, 0 as unrelated
    text and 1 the same; ``None`` where meaning was not searched."""

    question: str
    mode: RetrievalMode
    degraded: tuple[Degradation, ...]
    hits: tuple[Hit, ...]
    keyword_hits: tuple[Hit, ...] = ()
    time: TimeFilter = ANY_TIME
    relevance: float | None = None

    @property
    def reading_order(self) -> tuple[Hit, ...]:
        """The hits in the order in which they are read, each before what it links to, every page once, where
        it comes first."""
        ordered: dict[PageRef, Hit] = {}
        for hit in self.hits:
            for each in (hit, *hit.linked):
                ordered.setdefault(each.page.ref, each)
        return tuple(ordered.values())


def collection(source: str, document: str, kind: str) -> str:
    """The name of the collection with the pages of ``kind`` in a document of ``source``, such as the recitals
    of one version of an act. The names of a few thousand collections do for a hundred times as many pages."""
    return f"{source}:{document}#{kind}"


def collection_of(page: RawPage | Page | IndexedPage) -> str:
    """The name of the collection that a page belongs to."""
    return collection(page.ref.source, page.document, page.kind)
