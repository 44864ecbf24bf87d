"""Values in memory that were used last, up to a size in all."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Keeps the values used last. Thread-safe."""

    def __init__(self, most: int) -> None:
        """``most``: the sum of their sizes."""
        self._most, self._size = most, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value of a key; ``None`` if it is not kept."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value that the room is large enough for, and no longer those that it is too small for."""
        if size > self._most:
            return
        with self._lock:
            self._size += size - self._values.pop(key, (value, 0))[1]
            self._values[key] = value, size
            while self._size > self._most:
                self._size -= self._values.popitem(last=False)[1][1]
