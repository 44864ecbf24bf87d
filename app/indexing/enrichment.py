"""Enrichment: what features add to the chunks of pages before these are embedded."""

from collections.abc import Sequence
from typing import Protocol

from ingest.pipeline import PreparedPage
from ingest.protocols import Recipe
from ingest.types import PageRef


class Enrichment(Protocol):
    """Some pages whose chunks were enriched."""

    @property
    def pages(self) -> Sequence[PreparedPage]:
        """The pages, in their order."""

    def note_written(self, removed: Sequence[PageRef]) -> None:
        """Note that the pages have been written to the index. ``removed``: those that are not to be there, or
        cannot be."""


class ChunkEnricher(Protocol):
    """Adds to chunks what is known of them. Indexing waits for nothing: what has to be made first is noted,
    and the page is indexed again with it later."""

    @property
    def build_recipe(self) -> Recipe:
        """What it adds to the recipe of a generation's build."""

    def read_only(self) -> "ChunkEnricher":
        """Return the same for pages that are written elsewhere than to the installation's index: it notes
        nothing of them."""

    def enrich(self, pages: Sequence[PreparedPage]) -> Enrichment:
        """Enrich the chunks of pages that are about to be written."""
