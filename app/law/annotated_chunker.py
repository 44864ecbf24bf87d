"""Cuts texts into chunks as people annotated them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.law.annotations import UnitAnnotations
from ingest.chunkers.fields import Piece, chunks_of
from ingest.protocols import Chunker, Recipe
from ingest.types import FIELDS, Chunk, Page


class AnnotatedChunker:
    """Cuts annotated texts as people annotated them, and all others by another chunker."""

    def __init__(self, chunker: Chunker, current: Callable[[], UnitAnnotations]) -> None:
        self._chunker = chunker
        self._current = current
        self.recipe: Recipe = chunker.recipe

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """See :class:`ingest.protocols.Chunker`. Raises ``PageStoreUnavailableError``."""
        chunks = self._chunker.chunk(page)
        cuts = self._current().cuts(page)
        if cuts is None:
            return chunks
        ranked = any(chunk.ranked for chunk in chunks)
        others = [chunk for chunk in chunks if chunk.field != "content"]
        own = _cut(page, cuts, self.recipe, ranked=ranked)
        return sorted((*own, *others), key=lambda chunk: FIELDS.index(chunk.field))


def _cut(page: Page, cuts: Sequence[int], recipe: Recipe, *, ranked: bool) -> list[Chunk]:
    """Return the chunks of the page's content."""

    def pieces(markdown: str) -> list[Piece]:
        bounds = [0, *(cut for cut in cuts if cut < len(markdown)), len(markdown)]
        offsets = [len(markdown[:bound].encode()) for bound in bounds]
        return [
            Piece(offsets[at], offsets[at + 1], markdown[bounds[at] : bounds[at + 1]])
            for at in range(len(bounds) - 1)
        ]

    found = chunks_of(page, pieces, context_line=bool(recipe.get("context_line")))
    return [replace(chunk, ranked=ranked) for chunk in found if chunk.field == "content"]
