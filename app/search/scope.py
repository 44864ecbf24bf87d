"""The hooks by which a field of knowledge, such as law, narrows a search and extends its hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from app.search.fusion import Scored
from app.search.types import Candidate, Hit, IndexedPage
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
