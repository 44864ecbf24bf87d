"""Reports whether another server can be used: by its last use, otherwise by a cheap request for that purpose.

A request is made only if somebody asks for the outcome, and at most once in ``IDLE_SECONDS``.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ingest.errors import AuskunftError
from ingest.said import Said

IDLE_SECONDS: Final = 60.0
"""The age up to which an outcome is valid and makes a check unnecessary."""

CHECK_SECONDS: Final = 2.0
"""The time limit of the request."""

WAIT_SECONDS: Final = 2.5
"""The longest wait for a check, which may take longer than its limit: resolving a name has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of the last use or check. ``text``: the result and its age, in words."""

    ok: bool
    text: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    at: float
    is_use: bool
    error: AuskunftError | None


class Availability:
    """Tracks whether one server can be used. ``check`` makes the request, in a separate thread, and raises
    ``AuskunftError`` if the server cannot be used. Thread-safe."""

    def __init__(self, check: Callable[[], object], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._check = check
        self._clock = clock
        self._lock = threading.Lock()
        self._uses = 0
        self._last: _Event | None = None
        self._checked = threading.Event()
        self._checked.set()
        self._wait_until = 0.0

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Start no checks within the block, because somebody is waiting for the server."""
        with self._lock:
            self._uses += 1
        try:
            yield
        finally:
            with self._lock:
                self._uses -= 1

    def record(self, error: AuskunftError | None = None) -> None:
        """Record a use that succeeded, or failed with ``error``."""
        with self._lock:
            self._last = _Event(at=self._clock(), is_use=True, error=error)

    def refresh(self) -> None:
        """Start a check if the last outcome is too old and nobody is using the server."""
        with self._lock:
            is_known = self._last is not None and self._clock() - self._last.at < IDLE_SECONDS
            if is_known or self._uses or not self._checked.is_set():
                return
            self._checked.clear()
            self._wait_until = time.monotonic() + WAIT_SECONDS
        threading.Thread(target=self._run_check, name="availability", daemon=True).start()

    def outcome(self) -> Outcome:
        """Return the last outcome; wait up to ``WAIT_SECONDS`` for a check that is due or running."""
        self.refresh()
        is_checked = self._checked.wait(max(0.0, self._wait_until - time.monotonic()))
        with self._lock:
            last, is_used = self._last, self._uses > 0
        if last is not None:
            ago = _words(self._clock() - last.at)
            if last.error is not None:
                return Outcome(ok=False, text=Said("{error} ({ago} ago)", error=last.error, ago=ago))
            return Outcome(
                ok=True, text=Said("answered {ago} ago" if last.is_use else "asked {ago} ago", ago=ago)
            )
        if is_used and is_checked:
            return Outcome(ok=True, text=Said("is being used for the first time"))
        return Outcome(ok=False, text=Said("does not answer within {seconds:g} s", seconds=WAIT_SECONDS))

    def _run_check(self) -> None:
        started = self._clock()
        error: AuskunftError | None = AuskunftError("its state cannot be checked: see the log")
        try:
            self._check()
            error = None
        except AuskunftError as failure:
            error = failure
        finally:
            with self._lock:
                if self._last is None or self._last.at <= started:  # a use since then is better evidence
                    self._last = _Event(at=self._clock(), is_use=False, error=error)
            self._checked.set()


def listed_names(document: object) -> set[str]:
    """Return the names in an OpenAI-compatible list of models, also without Ollama's tag ``:latest``."""
    models = document.get("data") if isinstance(document, dict) else None
    listed = models if isinstance(models, list) else []
    names = {str(each.get("id")) for each in listed if isinstance(each, dict)}
    return names | {name.removesuffix(":latest") for name in names}


def _words(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:,.0f} min"
