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
    """What a search by meaning gave beside its hits: all ``candidates``, best first.

    ``pages``: gives those pages that may be shown. ``near``: gives the so many pages of some collections
    (:func:`app.search.types.collection`) whose content is nearest to the question, best first.
    """

    question: str
    language: str | None
    limit: int
    candidates: Sequence[Candidate]
    pages: Callable[[Sequence[PageRef]], Sequence[IndexedPage]]
    near: Callable[[frozenset[str], int], list[Scored]]


class SearchScope(Protocol):
    """The scope of one question."""

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
