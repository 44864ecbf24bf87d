"""Tells work that grows with its input from work that grows with the input's square, on busy machines too."""

import gc
import time
from collections.abc import Callable
from typing import Final

TRIES: Final = 5

# Four times the size is four times the work, sixteen times if it grows with the square.
TIMES: Final = 4
MOST: Final = 12

# Work this short says nothing about its growth, s.
SHORT: Final = 0.5


def grows_with_size(work: Callable[[int], object], size: int) -> bool:
    """Whether ``work`` on :data:`TIMES` the ``size`` takes about as many times as long.

    The processor time of this thread counts, and of several tries the shortest: what else the machine does
    makes a try longer, never shorter.
    """
    small = large = float("inf")
    for _ in range(TRIES):
        small = min(small, _seconds(work, size))
        large = min(large, _seconds(work, TIMES * size))
        if large < MOST * small + SHORT:
            return True
    return False


def _seconds(work: Callable[[int], object], size: int) -> float:
    gc.disable()  # what it collects was made by other tests, too
    try:
        start = time.thread_time()
        work(size)
        return time.thread_time() - start
    finally:
        gc.enable()
