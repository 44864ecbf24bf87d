"""A small installation of real parts whose chunks get contexts."""

from collections.abc import Sequence
from pathlib import Path

from app.features.contexts.chunks import ChunkContexts
from app.features.contexts.store import ContextStore
from app.features.contexts.tables import CLAIMS
from app.pages.database import utc_now
from tests.fakes.world import World


class ContextWorld(World):
    """Its chunks get ``contexts`` from ``context_store``."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, held=lambda: [CLAIMS])

    def chunk_contexts(self, model: str = "fake", prompt: str = "prompt") -> ChunkContexts:
        """The contexts of all chunks, by this model and prompt."""
        return ChunkContexts(
            store=self.context_store,
            wanted=lambda _source: True,
            model=model,
            prompt=lambda language: f"{prompt} in {language}",
            build_recipe={},
        )

    def _enrichers(self) -> Sequence[ChunkContexts]:
        self.context_store = ContextStore(self.engine, utc_now)
        self.contexts = self.chunk_contexts()
        return (self.contexts,)
