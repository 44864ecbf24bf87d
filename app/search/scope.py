"""The hooks by which a field of knowledge, such as law, narrows a search and extends its hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from app.search.fusion import Scored
from app.search.types import Candidate, Hit, IndexedPage, Retrieval, TimeFilter
from ingest.types import PageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a scope extends the hits of a search by meaning from.

    ``candidates``: all that qualified, best first. ``pages(refs)``: those pages that may be shown.
    ``near(collections, k)``: the ``k`` pages of these collections (:func:`app.search.types.collection`) whose
    content is nearest to the question, best first; ``like(text, collections, k)``: nearest to a text
    instead; ``hits(scored)``: such pages as hits, with their chunks that are near;
    ``relevance(texts)``: that of texts to the question, of fewer where the time is up.
    """

    question: str
    language: str | None
    limit: int
    candidates: Sequence[Candidate]
    pages: Callable[[Sequence[PageRef]], Sequence[IndexedPage]]
    near: Callable[[frozenset[str], int], list[Scored]]
    like: Callable[[str, frozenset[str], int], list[Scored]]
    hits: Callable[[Sequence[Scored]], tuple[Hit, ...]]
    relevance: Callable[[Sequence[str]], Sequence[float]]


class SearchScope(Protocol):
    """The limits of one question's search."""

    @property
    def hidden(self) -> frozenset[str]:
        """The collections (:func:`app.search.types.collection`) that are not searched."""
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

    def now(self) -> "KnowledgeField":
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
