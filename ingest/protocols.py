"""Protocols of the plugins. Plugins are entry points (see :mod:`ingest.registry`).

A plugin imports neither another plugin nor the pipeline. Each protocol has a contract suite in
``tests/contracts/`` that every implementation passes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from ingest.fetching.validators import Validators
from ingest.types import Chunk, ListingItem, Page, PageRef, RawField, RawPage, Vectors
from ingest.website.visits import Begun, Step, Trail, Visit

Recipe = Mapping[str, str | int | bool]
"""JSON-serialisable values that determine a plugin's output: equal recipes give equal results."""


class Source(Protocol):
    """A place that pages come from."""

    name: str

    def documents(self) -> Iterator[str]:
        """Yield the name of every document, even of broken ones.

        Raises ``SourceError`` if the whole source is unreadable.
        """

    def pages(self, document: str) -> Sequence[RawPage] | None:
        """Return the document's pages, or ``None`` if it is gone.

        Raises ``PageError`` if it cannot be read, and ``SourceUnavailableError`` if a later try may succeed.
        """


@runtime_checkable
class WarningSource(Source, Protocol):
    """A source that reads damaged documents as well as it can, and reports the damage."""

    def warnings(self) -> Sequence[str]:
        """Return the defects of the documents read so far, one line each, beginning with the document."""


class ListedSource(Source, Protocol):
    """A source with a listing of its pages, so that only changed pages are fetched.

    Its factory takes ``name``, ``fetcher`` (:class:`ingest.fetching.client.Fetcher`) and the options of its
    table in the settings.
    """

    def listing(self, updated_after: datetime | None = None) -> Sequence[ListingItem]:
        """List every page once, or only those updated since ``updated_after``. The list is complete.

        Raises ``SourceError`` if it is incomplete or has no page at all, and ``SourceUnavailableError``.
        """

    def page(self, listed: ListingItem) -> RawPage | None:
        """Return the page, or ``None`` if it no longer exists.

        Raises ``PageError`` and ``SourceUnavailableError``.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedDocument:
    """All pages of one document as fetched, and the validators that show later if it has changed."""

    name: str
    pages: tuple[RawPage, ...]
    validators: Validators


@runtime_checkable
class DocumentSource(Source, Protocol):
    """A source whose settings name what to fetch: documents of many pages, each replaced as a whole.

    Its factory takes ``name``, ``fetcher`` and the options of its table in the settings.
    """

    def wanted(self) -> Sequence[PageRef]:
        """Return a reference for every document to fetch, with the language wanted.

        Raises ``SourceError`` and ``SourceUnavailableError``.
        """

    def fetch(self, wanted: PageRef, known: Validators) -> FetchedDocument | None:
        """Return the document, or None if it has not changed since the ``known`` validators or does not
        exist yet.

        Raises ``PageError`` and ``SourceUnavailableError``.
        """


class WebsiteCrawl(Protocol):
    """One crawl of a website.

    * ``reasons``: why addresses gave no page, with counts
    * ``left_out``: the number of addresses not visited: too many, or too far from the start
    * ``pending``: the number of addresses still to visit
    * ``step``: the visit that was yielded last, in short
    * ``listing``: a trail of what the sitemaps list, without steps
    """

    reasons: Counter[str]
    listing: Trail

    @property
    def step(self) -> Step: ...

    @property
    def left_out(self) -> int: ...

    @property
    def pending(self) -> int: ...

    def visits(self) -> Iterator[Visit | Begun | None]:
        """Visit every address once; yield ``Begun`` before each visit, ``None`` if there is no news.

        Raises ``SourceError`` and ``SourceUnavailableError``.
        """


@runtime_checkable
class WebsiteSource(Protocol):
    """A source whose pages are found while they are fetched.

    Its factory takes ``name``, ``fetcher`` and the options of its table in the settings.
    """

    name: str

    def crawl(self, known: Mapping[str, Validators], trail: Trail = ...) -> WebsiteCrawl:
        """Return a crawl. ``known``: validators by address, from earlier crawls. ``trail``: that of an
        interrupted crawl to resume."""


class Converter(Protocol):
    """Turns one raw field into Markdown."""

    version: str

    def accepts(self, field: RawField) -> bool:
        """Return True if this converter is for the field's media type."""

    def convert(self, field: RawField, url: str) -> str:
        """Return the field as Markdown, with links made absolute against ``url``. Raises ``PageError``."""


class Chunker(Protocol):
    """Cuts a page's fields into chunks: a pure function of the page."""

    recipe: Recipe

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """Return the chunks of every non-empty field, by field, then by position."""


class Embedder(Protocol):
    """Turns texts into vectors. Safe to call from several threads.

    ``batch_size``: the number of texts to embed at once. A batch should take at most a second, because other
    work waits for its end.
    ``recipe`` is known without a server, and contains neither address nor key.

    The factory, the class or function behind the entry point, may have:

    * ``packages`` that it needs, and the ``extra`` that installs them
    * ``recipe_options``: options that are copied into the recipe, so that an embedder can be rebuilt from it
    * ``check(processes=N, **options)``: loads nothing; raises ``PluginError`` for what N processes would lack

    The embedder may have ``towards_passages`` (:class:`QuestionTurner`), if it compares questions with
    passages in another way than with each other, and ``close()``, which is called at the end.
    """

    recipe: Recipe
    max_tokens: int
    batch_size: int

    @property
    def dims(self) -> int:
        """The length of every vector; may need the server. Raises ``EmbedderUnavailableError``."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return ``(n, dims)`` float32, L2-normalised. Raises ``EmbedderUnavailableError``."""

    def embed_query(self, text: str) -> Vectors:
        """Return ``(dims,)`` float32, L2-normalised. Raises ``EmbedderUnavailableError``."""


@runtime_checkable
class QuestionTurner(Protocol):
    """An embedder that maps a question's vector towards the passages that answer such questions."""

    def towards_passages(self, question: Vectors) -> Vectors:
        """Return the vector to compare passages with; both are ``(dims,)`` and L2-normalised."""


class Reranker(Protocol):
    """Scores texts by how well they answer a question. Safe to call from several threads.

    ``recipe`` is known without a server, and contains neither address nor key. A factory may name the
    ``packages`` that it needs and the ``extra`` that installs them. A reranker that uses a server has an
    ``availability`` (:class:`ingest.availability.Availability`); ``close()``, if it has one, is called at the
    end.
    """

    @property
    def recipe(self) -> Recipe:
        """The values that determine the scores."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one finite number for each text, in their order; higher is better, on any scale.

        ``texts`` come as the search ranked them, the best first; a score may depend on that. A visitor is
        waiting. Raises ``RerankerUnavailableError``.
        """


class VectorCache(Protocol):
    """Keeps vectors by recipe and text hash, so that unchanged text is never embedded twice."""

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the cached vectors by hash, each ``(dims,)`` float32; a damaged one may be anything."""

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Store durably; existing entries stay as they are."""

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """Delete these vectors, because they are damaged."""
