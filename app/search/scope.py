"""The hooks by which a field of knowledge, such as law, narrows a search and extends its hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final, Protocol

from app.search.fusion import Scored, cosine
from app.search.types import Candidate, Hit, IndexedPage, QuerySpec, Retrieval, TimeFilter
from ingest.types import PageRef, Vectors

if TYPE_CHECKING:
    from app.search.block_comparison import BlockComparison
    from app.search.query import Meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a scope extends the hits of a search by meaning from.

    ``candidates``: all that qualified, best first. ``pages(refs)``: those pages that may be shown.
    ``hits(scored)``: pages as hits, with their chunks that are near. ``search(spec)``: the candidates for
    another ``spec`` than the question's; ``blocks``: embeds texts, without it none are compared.
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
        """The ``k`` pages of ``collections`` (:func:`app.search.types.collection_of`) whose content is
        nearest to the question, best first."""
        return self._nearest(self.spec, collections, k)

    def like(self, text: str, collections: frozenset[str], k: int) -> list[Scored]:
        """Those nearest to ``text`` instead; none where it cannot be embedded."""
        vectors = self._embedded([text])
        return self._nearest(replace(self.spec, vector=vectors[0]), collections, k) if vectors else []

    def relevance(self, texts: Sequence[str]) -> list[float]:
        """The relevance of texts to the question; of fewer where the time is up."""
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
        """The collections (:func:`app.search.types.collection_of`) that are not searched."""
        ...

    def distinct(self, scored: Sequence[Scored], language: str | None) -> Sequence[Scored]:
        """The pages, best first, without those that say the same as a better one."""
        ...

    def ended(self, page: IndexedPage) -> date | None:
        """The day from which the page's text no longer applies; ``None`` where it still does."""
        ...

    def extend(self, hits: tuple[Hit, ...], results: Results) -> tuple[Hit, ...]:
        """The hits with further pages, ``results.limit`` at most, and with what is read beside them."""
        ...


class FieldScope(SearchScope, Protocol):
    """The limits of one question's search in a field of knowledge."""

    def look_up(self, question: str, language: str | None, cited: Sequence[str] = ()) -> Retrieval | None:
        """The text that the question names and asks nothing else about; ``None`` if there is none. ``cited``:
        the ids of the pages that were read before."""
        ...

    def has(self, page: IndexedPage) -> bool:
        """True if the page is of the field."""
        ...

    def completed(self, found: Retrieval, question: str, language: str | None) -> Retrieval:
        """What was found for the question, with what the field says of it."""
        ...


class KnowledgeField(Protocol):
    """A field of knowledge that pages are of, such as law. Thread-safe."""

    def now(self) -> KnowledgeField:
        """The field for one question: as it is when it is first needed."""
        ...

    def scope(self, sources: frozenset[str], time: TimeFilter) -> FieldScope | None:
        """The limits of a search; ``None`` where no page of the sources is of the field. Raises
        ``PageStoreUnavailableError``."""
        ...


class _AllPages:
    """Leaves a search as it is."""

    hidden: frozenset[str] = frozenset()

    def distinct(self, scored: Sequence[Scored], language: str | None) -> Sequence[Scored]:
        return scored

    def ended(self, page: IndexedPage) -> date | None:
        return None

    def extend(self, hits: tuple[Hit, ...], results: Results) -> tuple[Hit, ...]:
        return hits


ALL_PAGES: Final[SearchScope] = _AllPages()
