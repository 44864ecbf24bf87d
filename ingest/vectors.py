"""An embedding cache in memory, for temporary work, and the check of stored vectors."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from ingest.types import Vectors

LENGTH_TOLERANCE: Final = 0.01
"""The most by which a vector's length may differ from 1: more than any embedder's rounding error."""


def valid_rows(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Return a mask of the valid rows of ``vectors``, shape ``(n, dims)``: finite, of length 1."""
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
        """Return the cached vectors by hash, each ``(dims,)`` float32."""
        with self._lock:
            known = self._vectors[recipe]
            return {text_hash: known[text_hash].copy() for text_hash in hashes if text_hash in known}

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Store; existing entries stay as they are."""
        with self._lock:
            known = self._vectors[recipe]
            for text_hash, vector in vectors.items():
                known.setdefault(text_hash, vector.copy())

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """Delete these vectors."""
        with self._lock:
            for text_hash in hashes:
                self._vectors[recipe].pop(text_hash, None)
