"""An embedding cache in memory, for temporary work, and the check of stored vectors."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from ingest.types import Vectors

LENGTH_TOLERANCE: Final = 0.01
"""How far from 1 a vector's length may be: more than any embedder's rounding error."""


def valid_rows(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Return which of ``vectors``, shape ``(n, dims)``, are valid: finite, of length 1."""
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        found: npt.NDArray[np.bool_] = np.abs(lengths - 1) <= LENGTH_TOLERANCE
    return found


class MemoryVectorCache:
    """Vectors by recipe and text hash; an ``ingest.protocols.VectorCache``. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._vectors: defaultdict[str, dict[str, Vectors]] = defaultdict(dict)

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the cached ones of ``hashes``, each a ``(dims,)`` float32 vector."""
        with self._lock:
            known = self._vectors[recipe]
            return {text_hash: known[text_hash].copy() for text_hash in hashes if text_hash in known}

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Store; an entry that exists stays as it is."""
        with self._lock:
            known = self._vectors[recipe]
            for text_hash, vector in vectors.items():
                known.setdefault(text_hash, vector.copy())

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """Remove these."""
        with self._lock:
            for text_hash in hashes:
                self._vectors[recipe].pop(text_hash, None)
