"""The base of the pulls of all kinds of sources."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from app.errors import HaltedError, HaltReason
from app.pages.pulls import PullLog
from app.pages.store import PageStore
from app.sources.breakage import BreakageWatch
from app.sources.deletion_guard import DeletionGuard
from app.sources.halts import halted
from app.sources.pull_result import RENEW_SECONDS, PullResult
from ingest.protocols import DocumentSource, ListedSource, WebsiteSource

Kind = TypeVar("Kind", ListedSource, DocumentSource, WebsiteSource)

Progress = Callable[[int, int], None]
"""Called with the number of pages fetched so far, and of all that have to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullContext:
    """Where ``worker`` pulls to. ``wake`` is called with the number of pages that were just accepted."""

    store: PageStore
    pulls: PullLog
    worker: str
    wake: Callable[[int], None]


class SourcePull(Generic[Kind]):
    """One pull of ``source``, with its ``result``. ``_done``: the pages that it and those which it goes on
    with have visited, if they are remembered."""

    def __init__(self, context: PullContext, source: Kind, guard: DeletionGuard) -> None:
        self.result = PullResult()
        self._store, self._pulls = context.store, context.pulls
        self._worker, self._wake = context.worker, context.wake
        self._source: Kind = source
        self._name: str = source.name
        self._guard = guard
        self._done = 0
        self._renewed = time.monotonic()

    def _renew(self) -> None:
        """Hold the source for another while, now and then."""
        if time.monotonic() - self._renewed > RENEW_SECONDS:
            self._pulls.renew(self._name, self._worker)
            self._renewed = time.monotonic()

    def _check(self, watch: BreakageWatch) -> None:
        """Raise ``HaltedError`` if the source broke; a pull that was stopped says nothing yet."""
        if not self.result.left and (reasons := watch.verdict()):
            raise halted(self._name, reasons)

    def _check_deletions(self, gone: int, known: int) -> None:
        """Raise ``HaltedError`` if too many of the ``known`` pages are ``gone``."""
        if why := self._guard.refusal(gone, known, of=f"source {self._name!r}"):
            raise HaltedError(why, [HaltReason(code="missing", count=gone, pages=known)])

    def _end(self, *, is_complete: bool, updated_after: datetime | None = None) -> None:
        """Note how it ended. ``updated_after``: where the next one begins, unless there is a problem."""
        problem = self.result.problem()
        self._pulls.finish(
            self._name,
            self._worker,
            problem="" if self._done and self.result.left else problem,
            outcome="partial" if problem else "complete",
            is_complete=is_complete,
            left=self.result.left,
            updated_after=None if problem else updated_after,
        )
