"""Distinguishes an outage of the model from a chunk that is too much for it.

A server that cannot be reached or is overloaded is away. A reply that does not end, breaks off or is refused
may be the chunk's fault. It is, if the model replies to another chunk afterwards; several such failures
without a reply in between mean that the model is away.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from app.errors import ModelError

MOST_SUSPICIONS: Final = 3

_TOO_MUCH: Final = frozenset({400, 413, 422})

_AWAY: Final = frozenset({"unreachable", "rate_limited"})


def is_too_much(error: ModelError) -> bool:
    """Return True if the endpoint works but rejects this request."""
    return error.http_status in _TOO_MUCH


@dataclass(slots=True)
class OutageDetector:
    """Counts failures whose cause is not known yet. Safe to use from several threads."""

    _suspected: list[Callable[[], object]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def failed(self, error: ModelError, blame: Callable[[], object]) -> bool:
        """Note a failure. Return True if the model is away; otherwise ``blame`` is called once the model has
        replied again."""
        with self._lock:
            self._suspected.append(blame)
            is_away = error.kind in _AWAY or len(self._suspected) >= MOST_SUSPICIONS
            if is_away:
                self._suspected.clear()
            return is_away

    def replied(self) -> None:
        """Note that the model has replied, so that earlier failures are blamed on their chunks."""
        with self._lock:
            blamed, self._suspected = self._suspected, []
        for blame in blamed:
            blame()
