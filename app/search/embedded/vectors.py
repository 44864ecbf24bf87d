"""Which vectors can be indexed, and their unit form: then a cosine is a dot product."""

import numpy as np

from ingest.types import Vectors


def refusal(vectors: Vectors, dims: int) -> str:
    """Why ``vectors``, shape ``(n, m)``, have no cosine in ``dims`` dimensions; empty if they have."""
    n, size = vectors.shape
    if n and size != dims:
        return f"vectors have {size} numbers, the index holds {dims}: use the generation's embedder"
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        return f"vector {bad[0] + 1} of {n} is not finite"
    empty = np.flatnonzero(~vectors.any(axis=1))
    if len(empty):
        return f"vector {empty[0] + 1} of {n} is all zero"
    return ""


def normalised(vectors: Vectors) -> Vectors:
    """Each row divided by its length, computed in double precision so that no length under- or overflows."""
    exact = vectors.astype(np.float64)
    unit: Vectors = (exact / np.linalg.norm(exact, axis=1, keepdims=True)).astype(np.float32)
    return unit
