"""Rebuilding the index through the queue: any number of workers write, one at a time begins and ends it.

A rebuild is *queued* until a worker has made the new generation and listed what must be written to it. While
it is *running*, workers claim batches of these pages; what comes in meanwhile, the claims of the queue write
to both generations. When all is written, one worker completes it: it compares the generation with the page
store, writes what it still lacks, and makes it live (:mod:`app.indexing.rebuild`). Every step can be
repeated, and a worker that dies is followed by the next, which goes on with the same generation.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import structlog

from app.errors import (
    AuskunftError,
    ConflictError,
    DataFolderError,
    EmbedderUnavailableError,
    ForeignIndexError,
    IndexDamagedError,
    IndexUnavailableError,
    NeedsAttentionError,
    NotFoundError,
    PageStoreUnavailableError,
    PluginError,
)
from app.indexing.generations import BuildLease, Generations
from app.indexing.indexer import PageWriter
from app.indexing.rebuild import Rebuilder
from app.indexing.stopping import HANDED_BACK, Stop, StoppedError, WorkControl, never
from app.pages.rebuilds import AttemptResult, Rebuild, RebuildLog, RebuildState
from app.pages.store import PageStore
from app.pages.types import Outcome, StoredVersion, Waiting
from app.search.generations import find_current
from app.search.index import SearchIndex
from app.search.types import Generation, GenerationRecipe

BATCH_PAGES: Final = 128
OTHER_SETTINGS: Final = (
    "a worker has other settings than the one that began this rebuild: restart all workers"
)

log = structlog.get_logger(__name__)

_PASSING: Final = (
    EmbedderUnavailableError,
    IndexUnavailableError,
    DataFolderError,
    PageStoreUnavailableError,
)


class RebuildQueue:
    """Rebuilds of one index from one page store, step by step. ``wake`` is called with the number of pages
    that wait to be written; ``rebuilder`` should not wait by itself for a server that is away."""

    def __init__(
        self,
        *,
        log: RebuildLog,
        store: PageStore,
        index: SearchIndex,
        writer: PageWriter,
        generations: Generations,
        reindexer: Rebuilder,
        recipe: Callable[[], GenerationRecipe],
        worker: str,
        wake: Callable[[int], None],
        retry_seconds: float,
        work_seconds: float = 120.0,
    ) -> None:
        self._log = log
        self._store = store
        self._index = index
        self._writer = writer
        self._generations = generations
        self._reindexer = reindexer
        self._recipe = recipe
        self._worker = worker
        self._wake = wake
        self._retry_seconds = retry_seconds
        self._work_seconds = work_seconds

    def request(self, source: str | None = None, *, take_over: bool = False) -> Rebuild:
        """Ask for a rebuild, or for the pages of one ``source`` to be written again in place.

        Raises ``ConflictError`` while another is under way.
        """
        rebuild = self._log.request(source, take_over=take_over)
        self._wake(1)
        return rebuild

    def cancel(self, rebuild_id: str) -> Rebuild:
        """End a rebuild; the old generation goes on serving. Raises ``NotFoundError``, and
        ``ConflictError`` if it has ended already."""
        self._log.cancel(rebuild_id)
        self._wake(1)
        return self.get(rebuild_id)

    def get(self, rebuild_id: str) -> Rebuild:
        """A rebuild as it is now. Raises ``NotFoundError``."""
        return self._counted(self._log.get(rebuild_id))

    def all(self) -> list[Rebuild]:
        """The last ones, newest first."""
        return [self._counted(rebuild) for rebuild in self._log.all()]

    def active(self) -> Rebuild | None:
        """The one under way, without counting its pages."""
        return self._log.active()

    def advance(self, stop: Stop = never) -> bool:
        """Do the next step of the rebuild under way; whether there may be another to do at once.

        Raises ``IndexUnavailableError``, ``EmbedderUnavailableError``, ``DataFolderError`` and
        ``PageStoreUnavailableError`` while something is away; the rebuild says so, and waits.
        """
        rebuild = self._log.active()
        if rebuild is None:
            return False
        try:
            if _is_being_written(rebuild) and self._write_batch(rebuild, stop):
                return True
            return self._plan_alone(rebuild)
        except ConflictError as error:  # others have it in hand
            self._log.note(rebuild.id, str(error))
        except NeedsAttentionError as error:
            self._end(rebuild, "needs_attention", str(error))
        except (ForeignIndexError, IndexDamagedError) as error:
            self._end(rebuild, "failed", str(error))
        except _PASSING as error:
            self._log.note(rebuild.id, str(error))
            raise
        except AuskunftError as error:
            self._end(rebuild, "failed", str(error))
        return False

    def _counted(self, rebuild: Rebuild) -> Rebuild:
        """With the progress of a source's pages, which are in the queue like all others."""
        if rebuild.source is None or rebuild.state != "running":
            return rebuild
        return replace(rebuild, written=max(0, rebuild.pages - self._store.pending(source=rebuild.source)))

    def _plan_alone(self, rebuild: Rebuild) -> bool:
        if not self._log.hold(rebuild.id, self._worker):
            return False
        try:
            return self._plan(self._log.get(rebuild.id))
        finally:
            self._log.let_go(rebuild.id, self._worker)

    def _plan(self, rebuild: Rebuild) -> bool:
        """What has to be done by one worker alone; whether there is more to do after it."""
        went_live = self._went_live(rebuild)
        if rebuild.cancelled and not went_live:
            self._end(rebuild, "cancelled", "")
            return False
        if rebuild.source is not None:
            return self._rewrite(rebuild, rebuild.source)
        if rebuild.state == "queued":
            return self._begin(rebuild)
        if went_live or self._log.is_written():  # else others are at it
            self._complete(rebuild)
        return False

    def _went_live(self, rebuild: Rebuild) -> bool:
        """Whether its generation is live: whoever promoted it may have died before the end."""
        if rebuild.generation is None:
            return False
        live = find_current(self._index)
        return live is not None and live.number == rebuild.generation

    def _rewrite(self, rebuild: Rebuild, source: str) -> bool:
        """Pages of one source go through the queue like all others."""
        if rebuild.state == "queued":
            self._reindexer.requeue(source)
            self._wake(self._log.begin(rebuild.id, None))
            return True
        if not self._store.pending(source=source):
            counts = self._store.counts(source)
            written, failed = counts.get("indexed", 0), counts.get("failed", 0)
            self._log.finish(rebuild.id, "done", written=written, failed=failed)
        return False

    def _begin(self, rebuild: Rebuild) -> bool:
        try:
            self._store.begin_build(rebuild.id)
        except ConflictError as error:  # one that was begun by hand
            self._log.note(rebuild.id, str(error))
            return False
        self._generations.drop_leftovers()
        lease = self._lease(rebuild)
        generation = self._reindexer.begin(lease, take_over=rebuild.take_over)
        self._wake(self._log.begin(rebuild.id, generation.number))
        return True

    def _complete(self, rebuild: Rebuild) -> None:
        self._store.begin_build(rebuild.id)
        rebuilt = self._reindexer.complete(
            self._generation(rebuild),
            self._lease(rebuild),
            self._log.tried(),
            take_over=rebuild.take_over,
        )
        self._store.end_build(rebuild.id)
        note = "the embedder is another one now: restart `auskunft serve`" if rebuilt.new_embedder else ""
        self._log.finish(rebuild.id, "done", note, written=rebuilt.pages, failed=len(rebuilt.failures))

    def _end(self, rebuild: Rebuild, state: RebuildState, reason: str) -> None:
        """End it without success, and leave no generation behind, unless another worker is at its end."""
        if not self._log.hold(rebuild.id, self._worker):
            return
        begun = self._log.get(rebuild.id)
        if begun.generation is not None and not self._went_live(begun):
            self._generations.discard(begun.generation)
        self._store.end_build(rebuild.id)
        self._log.finish(rebuild.id, state, reason)
        log.warning("rebuild_ended", rebuild=rebuild.id, state=state, reason=reason)

    def _write_batch(self, rebuild: Rebuild, stop: Stop) -> bool:
        """Write some pages to the new generation; whether any were left to be."""
        generation = self._generation(rebuild)
        pages = self._store.read(self._log.claim(self._worker, BATCH_PAGES))
        if not pages:
            return False
        until = time.monotonic() + self._work_seconds
        try:
            outcomes = self._written(pages, generation, lambda: stop() or time.monotonic() > until)
        except (*_PASSING, PluginError) as error:
            waiting = Waiting(reason=error.code, seconds=self._retry_seconds)
            self._settle(pages, [waiting] * len(pages))
            raise
        except NotFoundError:  # it was cancelled
            outcomes = []
        self._settle(pages, [*outcomes, *[HANDED_BACK] * (len(pages) - len(outcomes))])
        self._store.renew_build(rebuild.id)
        if rebuild.reason:
            self._log.note(rebuild.id, "")
        return True

    def _written(self, pages: Sequence[StoredVersion], generation: Generation, stop: Stop) -> list[Outcome]:
        """The outcomes of the first pages, as far as they were worked on."""
        work = WorkControl(progress=lambda _windows: None, stop=stop)
        try:
            prepared = self._writer.prepare(pages, generation, work.stop)
            planned = self._writer.embed(prepared, generation, work.embedded())
        except StoppedError:
            return []
        return self._writer.write(planned, generation)

    def _settle(self, pages: Sequence[StoredVersion], outcomes: Sequence[Outcome]) -> None:
        tried = zip(pages, outcomes, strict=True)
        self._log.settle(
            self._worker,
            {page.ref: AttemptResult(sequence=page.sequence, outcome=out) for page, out in tried},
        )

    def _generation(self, rebuild: Rebuild) -> Generation:
        """Raises ``IndexDamagedError`` if it is gone, and ``ConflictError`` where this worker would make it
        otherwise than the one that began it."""
        known = {generation.number: generation for generation in self._index.generations()}
        generation = known.get(rebuild.generation or 0)
        if generation is None:
            raise IndexDamagedError(f"generation {rebuild.generation}, which was being built, is gone")
        if generation.recipe != self._recipe():
            raise ConflictError(OTHER_SETTINGS)
        return generation

    def _lease(self, rebuild: Rebuild) -> BuildLease:
        return _RebuildLease(self._store, self._log, rebuild.id, self._worker)


class _RebuildLease(BuildLease):
    """The right to build, held by the rebuild, and to end it, held by the worker."""

    def __init__(self, store: PageStore, log: RebuildLog, rebuild: str, worker: str) -> None:
        super().__init__(store, rebuild)
        self._log = log
        self._rebuild = rebuild
        self._holder = worker

    def renew(self) -> None:
        """Hold both for another while. Raises ``ConflictError`` where another has them."""
        super().renew()
        self._log.renew(self._rebuild, self._holder)


def _is_being_written(rebuild: Rebuild) -> bool:
    return rebuild.state == "running" and rebuild.source is None and not rebuild.cancelled
