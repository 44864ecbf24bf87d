"""Checks vectors from a model or server and scales them to unit length."""

import numpy as np
from numpy.typing import ArrayLike

from ingest.types import Vectors


def unit_rows(rows: ArrayLike) -> Vectors:
    """Convert ``(n, dims)`` numbers to float32 rows of length 1.

    Raises ``ValueError`` for anything that is not a matrix of numbers, and for rows without a direction:
    all zeros, or with infinite numbers or NaN.
    """
    matrix = np.asarray(rows, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError("no vectors of equal length")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ValueError("a vector that is not finite")
    if not lengths.all():
        raise ValueError("a vector of zeros")
    unit: Vectors = (matrix / lengths).astype(np.float32)
    return unit
