"""Annotations of pages and units of law, which override automatic results: where a text is cut into chunks,
and the units it refers to. A feature provides them; without it there are none."""

from collections.abc import Hashable, Sequence
from typing import Final, Protocol

from app.law.links import Target
from app.search.types import IndexedPage
from ingest.types import Page

Span = tuple[int, int]
"""Start and end of a slice of a text, in bytes of its UTF-8."""


class UnitAnnotations(Hashable, Protocol):
    """All annotations at one moment. Compared by identity, so that they can be a key of a cache."""

    def cuts(self, page: Page) -> Sequence[int] | None:
        """Return the character offsets in the page's text at which chunks begin, without the first chunk's;
        ``None`` if they are not annotated."""

    def references(self, page: IndexedPage, near: Sequence[Span] = ()) -> list[Target] | None:
        """Return the units that the page refers to, or that its chunks around the ``near`` slices refer to;
        ``None`` if they are not annotated."""


class NoAnnotations:
    """The absence of annotations."""

    def cuts(self, page: Page) -> None:
        """See :class:`UnitAnnotations`."""

    def references(self, page: IndexedPage, near: Sequence[Span] = ()) -> None:
        """See :class:`UnitAnnotations`."""


NO_ANNOTATIONS: Final[UnitAnnotations] = NoAnnotations()


def none_now() -> UnitAnnotations:
    """Return no annotations, for use without a feature that provides them."""
    return NO_ANNOTATIONS
