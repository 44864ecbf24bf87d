"""Enrichment: features add to the chunks of pages before these are embedded."""

from collections.abc import Sequence
from typing import Protocol

from ingest.pipeline import PreparedPage
from ingest.protocols import Recipe
from ingest.types import PageRef


class Enrichment(Protocol):
    """Pages whose chunks were enriched."""

    @property
    def pages(self) -> Sequence[PreparedPage]:
        """The pages, in their order."""

    def note_written(self, removed: Sequence[PageRef]) -> None:
        """Note that the pages have been written to the index. ``removed``: pages that must not, or cannot, be
        in it."""


class ChunkEnricher(Protocol):
    """Adds information to chunks. Indexing does not wait: missing information is noted, and the page is
    indexed again once it is available."""

    @property
    def build_recipe(self) -> Recipe:
        """The part that it adds to the recipe of a generation's build."""

    def read_only(self) -> "ChunkEnricher":
        """Return a variant that notes nothing, for pages that are not written to the installation's index."""

    def enrich(self, pages: Sequence[PreparedPage]) -> Enrichment:
        """Enrich the chunks of pages that are about to be written."""
