"""Base classes of the pulls of all kinds of sources."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from app.errors import ConflictError, HaltedError, HaltReason, PageError, SourceUnavailableError
from app.pages.announcements import document_of
from app.pages.crawl_notes import Note, address_of
from app.pages.pulls import PullLog
from app.pages.store import PageStore
from app.sources.breakage import BreakageWatch, Quarantine
from app.sources.deletion_guard import DeletionGuard
from app.sources.halts import halted
from app.sources.pull_result import PullResult
from ingest.page_guard import fatal_error, guarded
from ingest.protocols import DocumentSource, ListedSource, WebsiteSource
from ingest.types import PageRef, RawPage
from ingest.website.visits import Trail

Kind = TypeVar("Kind", bound=ListedSource | DocumentSource | WebsiteSource)

Progress = Callable[[int, int], None]
"""Called with the numbers of pages fetched so far and of all pages to be fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullContext:
    """The stores to which ``worker`` pulls. ``wake`` is called with the number of pages just accepted."""

    store: PageStore
    pulls: PullLog
    worker: str
    wake: Callable[[int], None]


class SourcePull(Generic[Kind]):
    """One pull of ``source``, or the rest of a stopped one, with its ``result``. ``_done``: pages visited so
    far, including before a stop; ``_unsaved``: notes not stored yet. ``is_full``: it looks at all pages."""

    is_full = True

    def __init__(self, context: PullContext, source: Kind, guard: DeletionGuard) -> None:
        self.result = PullResult()
        self._store, self._pulls = context.store, context.pulls
        self._worker, self._wake = context.worker, context.wake
        self._source: Kind = source
        self._name: str = source.name
        self._guard = guard
        self._done = 0
        self._unsaved: dict[str, Note] = {}
        self._saved = time.monotonic()
        self._fatal = self._pulls.skipped_pages(self._name)

    @contextmanager
    def _reading(self, item: PageRef) -> Iterator[None]:
        """Record the page before it is read, because reading may kill this process. Raises ``PageError`` for
        a page that has killed workers before, and for unexpected errors."""
        if (address := address_of(item)) in self._fatal:
            raise fatal_error()
        self._pulls.renew(self._name, self._worker, begun=address)
        with guarded(item.id):
            yield

    def _fail(self, item: PageRef, note: Note, error: PageError) -> None:
        note.failure = error.reason, str(error)
        self.result.failures[item] = error

    def _miss(self, item: PageRef, note: Note, error: SourceUnavailableError) -> None:
        note.waits_for = self.result.waiting[item] = str(error)

    def _noted(self) -> tuple[Trail, list[Note]]:
        """The notes of earlier workers. None if deletions are confirmed, because these notes were made
        without that confirmation."""
        if self._guard.confirmed:
            self._pulls.forget_notes(self._name)
        return self._pulls.noted(self._name)

    def _repeat(self, note: Note, item: PageRef) -> None:
        """Apply an earlier worker's note on a page."""
        self._done += 1
        if note.failure is not None:
            self.result.failures[item] = PageError(*note.failure)
        elif note.waits_for:
            self.result.waiting[item] = note.waits_for

    def _keep_notes(self, left: int, listing: Trail | None = None) -> None:
        """Store the notes of visits. ``left``: how many pages are still to be visited."""
        notes, self._unsaved = self._unsaved, {}
        if not notes:
            return
        seconds, self._saved = time.monotonic() - self._saved, time.monotonic()
        self._pulls.note(
            self._name,
            self._worker,
            notes.values(),
            listing=listing,
            done=self._done,
            left=left,
            seconds=seconds,
        )

    def _check_deletions(self, gone: int, known: int) -> None:
        """Raise ``HaltedError`` if too many of the ``known`` pages are ``gone``."""
        if why := self._guard.refusal(gone, known, of=f"source {self._name!r}"):
            raise HaltedError(why, [HaltReason(code="missing", count=gone, pages=known)])

    def _set_failures(self) -> None:
        """Store which pages could not be read."""
        failures = {document_of(ref): error for ref, error in self.result.failures.items()}
        self._store.set_rejected(self._name, failures)

    def _end(self, *, is_complete: bool, updated_after: datetime | None = None) -> None:
        """Record the end of the pull. ``updated_after``: where the next one begins, unless there is a
        problem."""
        problem = self.result.problem()
        self._pulls.finish(
            self._name,
            self._worker,
            problem="" if self.result.left else problem,
            outcome="partial" if problem else "complete",
            is_complete=is_complete and not self.result.left,
            left=self.result.left,
            updated_after=None if problem else updated_after,
        )


class WatchedPull(SourcePull[Kind]):
    """A pull of pages that may look broken: those are held back until it is known if their source broke.

    ``_batch``: notes of the pages to be stored next.
    """

    def __init__(self, context: PullContext, source: Kind, guard: DeletionGuard) -> None:
        super().__init__(context, source, guard)
        self._batch: list[Note] = []
        self._watch_over(0)

    def _watch_over(self, known: int) -> None:
        """Watch for breakage among ``known`` pages."""
        self._watch = BreakageWatch(known=known)
        self._quarantine = Quarantine[Note](self._watch)

    def _repeat(self, note: Note, item: PageRef) -> None:
        super()._repeat(note, item)
        if note.look is not None and not self._guard.takes_over:
            self._watch.note(note.look)
        if note.page is not None and self._guard.takes_over:
            self._batch.append(note)
        elif note.page is not None:
            self._quarantine.hold(note, note.look)

    def _pass(self, note: Note) -> None:
        """Store a page with the next batch, or once its source is known to be well."""
        self._batch += self._quarantine.admit(note, note.look)
        self._drop()

    def _release(self, *, is_interrupted: bool = False) -> None:
        self._batch += self._quarantine.release(is_interrupted=is_interrupted)
        self._drop()

    def _drop(self) -> None:
        """Let the next pull fetch pages that may not be stored now."""
        for note in self._quarantine.dropped:
            note.page = note.validators = None
            self._unsaved[note.step.address] = note
        self._quarantine.dropped = []

    def _accept(self) -> None:
        """Store the batch and remove its pages from their notes."""
        batch, self._batch = self._batch, []
        self._store_pages([(note, note.page) for note in batch if note.page is not None])
        for note in batch:
            note.page = None
            self._unsaved[note.step.address] = note

    @abstractmethod
    def _store_pages(self, batch: Sequence[tuple[Note, RawPage]]) -> None:
        """Store the pages of a batch, which may be empty."""

    @contextmanager
    def _keeping(self, save: Callable[[], None]) -> Iterator[None]:
        """Call ``save`` in the end, so that fetched pages are kept whatever ends the pull."""
        try:
            yield
            if not self.result.left:
                self._release()
        except ConflictError:  # another worker took over; its results are newer
            self._batch, self._unsaved = [], {}
            raise
        except MemoryError:  # treated like a dead process: the next one resumes
            raise
        except Exception:
            self._release(is_interrupted=True)
            raise
        finally:
            save()

    def _check(self) -> None:
        """Raise ``HaltedError`` if the source broke; a stopped pull has no verdict yet."""
        if not self.result.left and (reasons := self._watch.verdict()):
            raise halted(self._name, reasons)
