"""Annotations of pages and units of law, which count in place of what is found automatically: where a text is
cut into chunks, and which units it refers to. They say it in a feature; without one nothing is said."""

from collections.abc import Hashable, Sequence
from typing import Final, Protocol

from app.law.links import Target
from app.search.types import IndexedPage
from ingest.types import Page

Span = tuple[int, int]
"""Start and end of a slice of a text, in bytes of its UTF-8."""


class UnitAnnotations(Hashable, Protocol):
    """All of it at one moment. Compared by identity, so that it can be a key of a cache."""

    def cuts(self, page: Page) -> Sequence[int] | None:
        """The characters of the page's text where a chunk begins, without the first; ``None`` where nobody
        says."""

    def references(self, page: IndexedPage, near: Sequence[Span] = ()) -> list[Target] | None:
        """What the page refers to, or its chunks that the ``near`` slices are in; ``None`` where nobody
        says."""


class NoAnnotations:
    """Nobody says anything."""

    def cuts(self, page: Page) -> None:
        """See :class:`UnitAnnotations`."""

    def references(self, page: IndexedPage, near: Sequence[Span] = ()) -> None:
        """See :class:`UnitAnnotations`."""


NO_ANNOTATIONS: Final[UnitAnnotations] = NoAnnotations()


def none_now() -> UnitAnnotations:
    """What people say where no feature asks them."""
    return NO_ANNOTATIONS
