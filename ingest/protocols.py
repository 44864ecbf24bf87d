"""Protocols of the plugins of each kind. Plugins are entry points (see :mod:`ingest.registry`).

A plugin imports no other plugin and not the pipeline. Each protocol has a contract suite in
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
"""What determines a plugin's output, JSON-serialisable: equal recipes give equal results."""


class Source(Protocol):
    """Where pages come from."""

    name: str

    def documents(self) -> Iterator[str]:
        """Name every document, broken ones too. Raises ``SourceError`` if the whole source is unreadable."""
        ...

    def pages(self, document: str) -> Sequence[RawPage] | None:
        """The document's pages; ``None`` if it is gone.

        Raises ``PageError`` if it cannot be read, and ``SourceUnavailableError`` if it cannot be now.
        """
        ...


@runtime_checkable
class WarningSource(Source, Protocol):
    """A source that reads damaged documents as well as it can, and tells."""

    def warnings(self) -> Sequence[str]:
        """What was wrong with the documents that were read, each in a line that names the document."""
        ...


class ListedSource(Source, Protocol):
    """A source that tells what it has without delivering it, so that only what changed is fetched.

    Its factory takes ``name``, ``fetcher`` (:class:`ingest.fetching.Fetcher`) and the options of its table in
    the settings.
    """

    def listing(self, updated_after: datetime | None = None) -> Sequence[ListingItem]:
        """Every page once, or those updated since. What comes back is complete.

        Raises ``SourceError`` if it cannot be, or names no page at all, and ``SourceUnavailableError``.
        """
        ...

    def page(self, listed: ListingItem) -> RawPage | None:
        """The page; ``None`` if there is none now. Raises ``PageError`` and ``SourceUnavailableError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedDocument:
    """All pages of one document as they were fetched, and by what its server tells that it is unchanged."""

    name: str
    pages: tuple[RawPage, ...]
    validators: Validators


@runtime_checkable
class DocumentSource(Source, Protocol):
    """A source that is told what to fetch: documents of many pages, each replaced as a whole.

    Its factory takes ``name``, ``fetcher`` and the options of its table in the settings.
    """

    def wanted(self) -> Sequence[PageRef]:
        """Names everything that is to be fetched, in the language it is to be in. Raises ``SourceError`` and
        ``SourceUnavailableError``."""
        ...

    def fetch(self, wanted: PageRef, known: Validators) -> FetchedDocument | None:
        """The document; ``None`` if it is what came with the ``known`` validators, or there is none yet.

        Raises ``PageError`` and ``SourceUnavailableError``.
        """
        ...


class WebsiteCrawl(Protocol):
    """One crawl of a website. ``reasons``: why addresses gave no page, counted; ``left_out``: how many were
    not visited because there were too many; ``pending``: how many are still to be visited; ``step``: the
    visit that was yielded last, in short; ``listing``: what the sitemaps list, without steps."""

    reasons: Counter[str]
    listing: Trail

    @property
    def step(self) -> Step: ...

    @property
    def left_out(self) -> int: ...

    @property
    def pending(self) -> int: ...

    def visits(self) -> Iterator[Visit | Begun | None]:
        """Visit every address once, and say before that it begins.

        Raises ``SourceError`` and ``SourceUnavailableError``.
        """
        ...


@runtime_checkable
class WebsiteSource(Protocol):
    """A source whose pages are found while they are fetched.

    Its factory takes ``name``, ``fetcher`` and the options of its table in the settings.
    """

    name: str

    def crawl(self, known: Mapping[str, Validators], trail: Trail = ...) -> WebsiteCrawl:
        """Return a crawl; ``known``: addresses of earlier ones, with their validators; ``trail``: of one that
        was stopped, with which it goes on."""
        ...


class Converter(Protocol):
    """Turns one raw field into Markdown."""

    version: str

    def accepts(self, field: RawField) -> bool:
        """True if this converter is for the field's media type."""
        ...

    def convert(self, field: RawField, url: str) -> str:
        """The field as Markdown, links made absolute against ``url``. Raises ``PageError``."""
        ...


class Chunker(Protocol):
    """Cuts a page's fields into chunks: a pure function of the page."""

    recipe: Recipe

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """The chunks of every non-empty field, by field, then by position."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Safe to call from several threads.

    ``batch_size``: how many texts are embedded at once; other work may come between two batches, so that one
    should take no longer than a second.
    ``recipe`` needs no server and holds neither address nor key. Its factory, the class or function behind
    the entry point, may name the ``packages`` that it needs with the ``extra`` that installs them, and
    ``recipe_options``: options that are copied into the recipe, so that an embedder can be made again from an
    older recipe. One that compares questions with passages otherwise than with one another has
    ``towards_passages`` (:class:`QuestionTurner`). It may have ``check(processes=N, **options)``, which loads
    nothing and raises ``PluginError`` for what N processes would lack. One that has ``close()`` is closed in
    the end.
    """

    recipe: Recipe
    max_tokens: int
    batch_size: int

    @property
    def dims(self) -> int:
        """The length of every vector; may ask a server. Raises ``EmbedderUnavailableError``."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """``(n, dims)`` float32, L2-normalised. Raises ``EmbedderUnavailableError``."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """``(dims,)`` float32, L2-normalised. Raises ``EmbedderUnavailableError``."""
        ...


@runtime_checkable
class QuestionTurner(Protocol):
    """An embedder that has learned where the answers to questions are."""

    def towards_passages(self, question: Vectors) -> Vectors:
        """A question's vector as passages are compared with it, both ``(dims,)`` and L2-normalised."""
        ...


class Reranker(Protocol):
    """Scores texts by how well they answer a question. Safe to call from several threads.

    ``recipe`` needs no server and holds neither address nor key. A factory may name the ``packages`` that it
    needs with the ``extra`` that installs them. One that asks a server has its ``availability``
    (:class:`ingest.availability.Availability`); one that has ``close()`` is closed in the end.
    """

    @property
    def recipe(self) -> Recipe:
        """What decides the scores."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite number for each of the texts, in their order; higher is better, whatever the scale.

        ``texts``: as they were found, the best first, which may count too. A visitor waits. Raises
        ``RerankerUnavailableError``.
        """
        ...


class VectorCache(Protocol):
    """Keeps vectors by recipe and text hash, so that unchanged text is never embedded twice."""

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """The known ones of ``hashes``, each a ``(dims,)`` float32 vector; a damaged one is anything else."""
        ...

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Store durably; an entry that exists stays as it is."""
        ...

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """Forget these: what was kept of them is damaged."""
        ...
