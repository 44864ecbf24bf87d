"""Arrays in the columns of a generation's file."""

from typing import Any

import numpy as np


def array_of(blob: bytes, kind: str) -> Any:
    """The array in ``blob``, without an incomplete last item."""
    size = np.dtype(kind).itemsize
    return np.frombuffer(blob[: len(blob) // size * size], kind)
