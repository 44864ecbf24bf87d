"""The hooks by which a field of knowledge, such as law, narrows a search and extends its hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final, Protocol

from app.search.fusion import Scored, cosine
from app.search.retrieval import Hit, Retrieval, TimeFilter
from app.search.types import Candidate, IndexedPage, QuerySpec
from ingest.types import PageRef, Vectors

if TYPE_CHECKING:
    from app.search.block_comparison import BlockComparison
    from app.search.query import Meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The results of a search by meaning, from which a scope extends the hits.

    ``candidates``: all that qualified, best first. ``pages(refs)``: returns the pages that may be shown.
    ``hits(scored)``: turns pages into hits, with their near chunks. ``search(spec)``: returns the candidates
    for another ``spec`` than the question's. ``blocks``: embeds texts; without it, none are compared.
    """

    question: str
    language: str | None
    limit: int
    candidates: Sequence[Candidate]
    pages: Callable[[Sequence[PageRef]], Sequence[IndexedPage]]
    hits: Callable[[Sequence[Scored]], tuple[Hit, ...]]
    search: Callable[[QuerySpec], list[Candidate]]
    spec: QuerySpec
    meaning: Meaning
    blocks: BlockComparison | None

    def near(self, collections: frozenset[str], k: int) -> list[Scored]:
        """Return the ``k`` pages of ``collections`` (:func:`app.search.types.collection_of`) whose content is
        nearest to the question, best first."""
        return self._nearest(self.spec, collections, k)

    def like(self, text: str, collections: frozenset[str], k: int) -> list[Scored]:
        """Return the ``k`` pages of ``collections`` nearest to ``text``; empty if it cannot be embedded."""
        vectors = self._embedded([text])
        return self._nearest(replace(self.spec, vector=vectors[0]), collections, k) if vectors else []

    def relevance(self, texts: Sequence[str]) -> list[float]:
        """Return the relevance of texts to the question; only of the first ones if time runs out."""
        return [self.meaning.relevance(each) for each in self._embedded(texts)]

    def _embedded(self, texts: Sequence[str]) -> list[Vectors]:
        return self.blocks.embedded(texts, self.meaning.embedder) if self.blocks else []

    def _nearest(self, spec: QuerySpec, collections: frozenset[str], k: int) -> list[Scored]:
        if not collections:
            return []
        thresholds = self.meaning.thresholds
        found = self.search(replace(spec, k={"content": k}, keyword="none", within=collections))
        near = [page for page in found if thresholds.passes("content", page.similarity["content"])]
        return cosine(near, thresholds)


class SearchScope(Protocol):
    """The limits of one question's search."""

    @property
    def hidden(self) -> frozenset[str]:
        """The collections (:func:`app.search.types.collection_of`) to leave out of the search."""

    def distinct(self, scored: Sequence[Scored], language: str | None) -> Sequence[Scored]:
        """Return the pages, best first, without those that repeat a better one."""

    def ended(self, page: IndexedPage) -> date | None:
        """Return the day from which the page's text no longer applies; ``None`` if it still does."""

    def extend(self, hits: tuple[Hit, ...], results: Results) -> tuple[Hit, ...]:
        """Return the hits with further pages, at most ``results.limit``, and with linked pages."""


class FieldScope(SearchScope, Protocol):
    """The limits of one question's search in a field of knowledge."""

    def look_up(self, question: str, language: str | None, cited: Sequence[str] = ()) -> Retrieval | None:
        """Return the text that the question only names; ``None`` if there is none. ``cited``: ids of the
        pages that were cited before."""

    def has(self, page: IndexedPage) -> bool:
        """Return True if the page belongs to the field."""

    def completed(self, found: Retrieval, question: str, language: str | None) -> Retrieval:
        """Return the result for the question, completed by facts of the field."""


class KnowledgeField(Protocol):
    """A field of knowledge that pages may belong to, such as law. Thread-safe."""

    def now(self) -> KnowledgeField:
        """Return the field for one question; its state is read when it is first needed, and does not change
        after that."""

    def scope(self, sources: frozenset[str], time: TimeFilter) -> FieldScope | None:
        """Return the limits of a search; ``None`` if no page of the sources belongs to the field. Raises
        ``PageStoreUnavailableError``."""


class _AllPages:
    """A scope that leaves a search as it is."""

    hidden: frozenset[str] = frozenset()

    def distinct(self, scored: Sequence[Scored], language: str | None) -> Sequence[Scored]:
        return scored

    def ended(self, page: IndexedPage) -> date | None:
        return None

    def extend(self, hits: tuple[Hit, ...], results: Results) -> tuple[Hit, ...]:
        return hits


ALL_PAGES: Final[SearchScope] = _AllPages()
