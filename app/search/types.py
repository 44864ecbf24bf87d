"""Data types that a search index takes and returns: generations, writes, queries, candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal, NamedTuple

from app.presets import KeywordMode
from app.search.fields import FieldValues
from app.search.filters import Filter
from ingest.protocols import Recipe
from ingest.text import shortened
from ingest.types import PUBLISHED, EmbeddedPage, FieldName, Page, PageRef, RawPage, Vectors

TITLE_CHARACTERS: Final = 500
"""Longer titles are cut to this length for display."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecipe:
    """The plugins of a generation. ``embedder``: how questions are embedded. ``build``: the versions of
    embedder, chunker, context line and converters; a reindex is advised if they differ from today's."""

    embedder: Recipe
    build: Recipe

    @property
    def dims(self) -> int:
        """The length of every vector in the generation."""
        return int(self.embedder["dims"])


GenerationState = Literal["building", "live", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One physical index. Exactly one is live once any has been promoted. ``owner``: the page store whose
    pages it contains; empty if it was created without one."""

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

    * ``words``: content words (lower case, distinct, stop words removed) for the keyword clause and coverage,
      analysed per language by the index. An item of several words with spaces between them counts as one.
    * ``vector``: the embedded question, or ``None``. ``generation``: the one whose embedder made it.
    * ``k``: per field, how many pages (ranked by their best chunk) its kNN clause returns; ``similarity``:
      the lowest cosine that it returns.
    * ``sources``: only their pages are searched. ``without``: collections (:func:`collection`) to leave out.
      ``within``: the only collections to search, ``None`` for all. ``filters``: on fields of metadata; a page
      must pass all of them. These four apply within every clause, so ``k`` counts pages that pass.
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
    """A page as the index serves it. ``fields``: the Markdown of the non-empty ones. ``content_spans``: byte
    offsets of the content's chunk cores, by position. ``metadata``: as the source gave it, or empty if the
    page was written by a version without it."""

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
        """The day of publication (for a unit of law, that of its act); ``None`` if it is unknown."""
        try:
            return date.fromisoformat(self.metadata.get(PUBLISHED, "")[:10])
        except ValueError:
            return None

    @property
    def is_law(self) -> bool:
        """True for a unit of law. Its other fields only say where in the act it is."""
        return "celex" in self.metadata

    @property
    def title(self) -> str:
        """The page's title, else its name, else its id; for a unit of law, name and title. Meant for display:
        cut to ``TITLE_CHARACTERS``."""
        name, title = self.fields.get("name", ""), self.fields.get("title", "")
        if self.is_law and name and title != name:
            return shortened(f"{name}: {title}" if title else name, TITLE_CHARACTERS)
        return shortened(title or name, TITLE_CHARACTERS) or self.ref.id


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMatch:
    """A page that has the wanted words, without its text, for lists of results. ``headline``: its name and
    title. ``values``: of the declared fields that the index was built with."""

    ref: PageRef
    kind: str
    headline: str
    values: FieldValues = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPages:
    """The number of pages that have a word, and references to some of them."""

    count: int
    refs: Sequence[PageRef]


class ChunkHit(NamedTuple):
    """A chunk near the question: its core's byte offsets in the field and its raw cosine. ``context``: the
    sentence that a model wrote to place it, if the preset passes it on."""

    position: int
    start: int
    end: int
    cosine: float
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A page that at least one clause returned.

    * ``chunks``: up to 10 best chunks of each field in ``QuerySpec.k``, best first, whichever clause returned
      the page. Fields without a chunk that reaches ``QuerySpec.similarity`` are missing.
    * ``near_fields``: those whose kNN clause returned the page; ``keyword``: True if the keyword clause did.
    * ``coverage``: the share of the question's word weight that the page has, in [0, 1].
    * ``added``: amounts to add to its cosines (by field) and its coverage (as ``words``) because the page is
      in another language than the question (:mod:`app.search.fusion`).
    """

    page: IndexedPage
    chunks: Mapping[FieldName, tuple[ChunkHit, ...]]
    near_fields: frozenset[FieldName]
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

    ``context``: the text put before it when it was indexed. ``near``: its rank among the nearest chunks, from
    1, with its exact ``cosine``; ``matching``: among those with the question's words; ``None`` if not there.
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
class Highlight:
    """A fragment of a page's content (Markdown) with words of the question.

    ``marks``: their character offsets in ``text``, in order, not overlapping.
    """

    text: str
    marks: tuple[tuple[int, int], ...]


def collection(source: str, document: str, kind: str) -> str:
    """Return the name of the collection of all pages of ``kind`` in a document of ``source``, such as the
    recitals of one version of an act. A few thousand names cover a hundred times as many pages."""
    return f"{source}:{document}#{kind}"


def collection_of(page: RawPage | Page | IndexedPage) -> str:
    """Return the name of the collection that a page belongs to."""
    return collection(page.ref.source, page.document, page.kind)
