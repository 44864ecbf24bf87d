"""The vectors of questions as they are stored: float16, half the size. Pure functions."""

from typing import Final

import numpy as np

from app.chat.redaction import redacted
from app.search.types import Retrieval
from ingest.types import Vectors

_STORED: Final = np.dtype("<f2")


def to_bytes(vector: Vectors) -> bytes:
    """Return a vector, shape ``(dims,)``, as it is stored."""
    return vector.astype(_STORED).tobytes()


def from_bytes(stored: bytes | None) -> Vectors | None:
    """Return the stored vector in float32, of unit length; ``None`` without one, or for a damaged one."""
    if not stored or len(stored) % _STORED.itemsize:
        return None
    vector = np.frombuffer(stored, dtype=_STORED).astype(np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if np.isfinite(length) and length else None


def storable_vector(retrieval: Retrieval | None) -> tuple[str, bytes | None]:
    """Return the hash of the embedder's recipe and the question's vector as it was searched. No vector if
    meaning was not searched, or if the question tells who asked: a vector keeps what its text says."""
    embedded = None if retrieval is None else retrieval.embedded
    if retrieval is None or embedded is None or redacted(retrieval.question) != retrieval.question:
        return "", None
    return embedded.recipe, to_bytes(embedded.vector)
