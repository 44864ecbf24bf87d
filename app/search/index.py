"""The contract of a search index; ``tests/contracts/test_search_index.py`` runs against every implementation.

Invariants:

* A write with a lower sequence than the stored one changes nothing and is ``superseded``; an equal one is
  written again (replay after a crash). This holds across deletes: a removed page's sequence is remembered
  for at least an hour.
* A reader sees a page whole: the fields, chunks and vectors of one sequence.
* Searching never needs the page store; the index is derived and disposable.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from app.search.types import (
    Candidate,
    Generation,
    GenerationRecipe,
    Highlight,
    IndexedPage,
    QuerySpec,
    Update,
    WriteResult,
)
from ingest.types import PageRef

HITS_PER_PAGE: Final = 3
"""Chunks of a page and field that a candidate has, at most."""


class SearchIndex(Protocol):
    """Searches the live generation, writes to any. All methods raise ``IndexUnavailableError``."""

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """Every page a clause brought, from one consistent read, in no particular order.

        Empty when no generation is live. Cosines are exact. Raises ``GenerationChangedError`` where
        ``spec.generation`` is not live any more, unless it can still be searched.
        """
        ...

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        """The pages among ``refs`` that the live generation serves, in the order of ``refs``."""
        ...

    def highlights(self, refs: Sequence[PageRef], words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
        """The pieces of these pages' content that hold most of the words, in any of their forms, marked.

        A few short ones (:mod:`app.search.highlight`); pages without any are left out.
        """
        ...

    def create(self, recipe: GenerationRecipe, owner: str = "") -> Generation:
        """A new, empty generation in state ``building``. ``owner``: the page store whose pages it will hold,
        if any."""
        ...

    def write(self, generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        """Apply updates, one result each in order. Vectors that are not finite, all zero or of the wrong
        size are refused as ``failed`` with both numbers in the reason; the others are written."""
        ...

    def refresh(self) -> None:
        """Everything written so far is found by the searches that begin after this.

        Without it, that takes up to a second.
        """
        ...

    def refs(self, generation: int) -> Iterator[tuple[PageRef, int]]:
        """Every served page with its sequence."""
        ...

    def without_vectors(self, generation: int) -> Iterator[PageRef]:
        """Served pages that have words but no vector in any field, or damaged ones: no question finds them by
        its meaning."""
        ...

    def damaged(self) -> int:
        """How many pages of the live generation have damaged vectors, as far as that is known without reading
        all of them."""
        ...

    def count(self, generation: int) -> int:
        """How many pages it serves, as of the last refresh."""
        ...

    def promote(self, generation: int) -> None:
        """Make it live at once; the one that was live becomes ``retired``."""
        ...

    def drop(self, generation: int) -> None:
        """Delete a generation that is not live. Dropping the live one raises ``InputError``."""
        ...

    def generations(self) -> list[Generation]:
        """All of them, by number."""
        ...

    def live(self) -> Generation | None:
        """The one that questions use."""
        ...

    def advice(self) -> str | None:
        """What to change because of the index's size, in a sentence; ``None`` if nothing."""
        ...
