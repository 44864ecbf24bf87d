"""The embedding cache in memory, for scratch work that is not to outlive its process."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from threading import Lock

from ingest.types import Vectors


class MemoryVectorCache:
    """Vectors by recipe and text hash; a ``ingest.protocols.VectorCache``. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._vectors: defaultdict[str, dict[str, Vectors]] = defaultdict(dict)

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """The known ones of ``hashes``, each a ``(dims,)`` float32 vector."""
        with self._lock:
            known = self._vectors[recipe]
            return {text_hash: known[text_hash].copy() for text_hash in hashes if text_hash in known}

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep; an entry that exists stays as it is."""
        with self._lock:
            known = self._vectors[recipe]
            for text_hash, vector in vectors.items():
                known.setdefault(text_hash, vector.copy())
