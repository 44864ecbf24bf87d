"""Rebuilding the index through the queue: many workers write, but only one at a time begins or ends a
rebuild.

A rebuild is *queued* until a worker has made the new generation and listed the pages to write to it. While it
is *running*, workers claim batches of these pages; pages that are saved meanwhile are written to both
generations by their own claims. When all pages are written, one worker completes the rebuild: it compares the
generation with the page store, writes what is still missing, and makes it live (:mod:`app.indexing.rebuild`).
Every step can be repeated: if a worker dies, the next one resumes with the same generation. A rollback to an
earlier generation consists of this last step alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import structlog

from app.errors import (
    AuskunftError,
    ConflictError,
    ForeignIndexError,
    IndexDamagedError,
    NeedsAttentionError,
    NotFoundError,
    PluginError,
)
from app.indexing.generations import BuildLease, Generations
from app.indexing.page_writer import PageWriter
from app.indexing.rebuild import Rebuilder, RebuildResult
from app.indexing.stopping import AWAY, ClaimRunner, Stop, StoppedError, WorkControl, never
from app.pages.builds import Builds
from app.pages.rebuilds import AttemptResult, Rebuild, RebuildLog, RebuildState
from app.pages.store import PageStore
from app.pages.types import Outcome, StoredVersion
from app.search.index import SearchIndex, find_current
from app.search.types import Generation, GenerationRecipe

BATCH_PAGES: Final = 128
OTHER_SETTINGS: Final = (
    "a worker has different settings from the one that started this rebuild: restart all workers"
)

log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False)
class RebuildQueue:
    """Rebuilds of one index from one page store, step by step. ``wake`` is called with the number of pages
    that are due to be written; ``rebuilder`` must not itself wait for an unavailable server."""

    rebuilds: RebuildLog
    store: PageStore
    builds: Builds
    index: SearchIndex
    writer: PageWriter
    generations: Generations
    rebuilder: Rebuilder
    recipe: Callable[[], GenerationRecipe]
    worker: str
    wake: Callable[[int], None]
    retry_seconds: float
    work_seconds: float = 120.0

    @cached_property
    def _runner(self) -> ClaimRunner:
        return ClaimRunner(retry_seconds=self.retry_seconds, work_seconds=self.work_seconds)

    def request(self, source: str | None = None, *, take_over: bool = False) -> Rebuild:
        """Request a rebuild, or rewriting the pages of one ``source`` in place.

        Raises ``ConflictError`` while another rebuild is active.
        """
        rebuild = self.rebuilds.request(source, take_over=take_over)
        self.wake(1)
        return rebuild

    def request_rollback(self, number: int) -> Rebuild:
        """Request that a retired generation is brought up to date and made live again.

        Raises ``NotFoundError``, ``InputError`` if it is not retired, and ``ConflictError`` while a rebuild
        is active.
        """
        self.rebuilder.retired_generation(number)
        rebuild = self.rebuilds.request(generation=number)
        self.wake(1)
        return rebuild

    def cancel(self, rebuild_id: str) -> Rebuild:
        """Cancel a rebuild; the old generation stays live. Raises ``NotFoundError``, and ``ConflictError`` if
        it has already ended."""
        self.rebuilds.cancel(rebuild_id)
        self.wake(1)
        return self.get(rebuild_id)

    def get(self, rebuild_id: str) -> Rebuild:
        """Return a rebuild with its current progress. Raises ``NotFoundError``."""
        return self._with_progress(self.rebuilds.get(rebuild_id))

    def all(self) -> list[Rebuild]:
        """Return the latest rebuilds, newest first."""
        return [self._with_progress(rebuild) for rebuild in self.rebuilds.all()]

    def active(self) -> Rebuild | None:
        """Return the active rebuild or None; ``written`` is not filled in if it is of a source."""
        return self.rebuilds.active()

    def advance(self, stop: Stop = never) -> bool:
        """Do the next step of the active rebuild. Return True if there may be another to do at once.

        Raises ``IndexUnavailableError``, ``EmbedderUnavailableError``, ``DataFolderError`` and
        ``PageStoreUnavailableError`` while something is unavailable; the rebuild records this as its reason,
        and waits.
        """
        rebuild = self.rebuilds.active()
        if rebuild is None:
            return False
        try:
            if _is_being_written(rebuild) and self._write_batch(rebuild, stop):
                return True
            return self._advance_held(rebuild)
        except StoppedError:
            self._end(rebuild, "cancelled", "")
        except ConflictError as error:  # another worker has it
            self.rebuilds.note(rebuild.id, str(error))
        except NeedsAttentionError as error:
            self._end(rebuild, "needs_attention", str(error))
        except (ForeignIndexError, IndexDamagedError, PluginError) as error:
            self._end(rebuild, "failed", str(error))
        except AWAY as error:
            self.rebuilds.note(rebuild.id, str(error))
            raise
        except AuskunftError as error:
            self._end(rebuild, "failed", str(error))
        return False

    def _with_progress(self, rebuild: Rebuild) -> Rebuild:
        """Fill in the progress of a rebuild of one source, whose pages are in the queue like all others."""
        if rebuild.source is None or rebuild.state != "running":
            return rebuild
        return replace(rebuild, written=max(0, rebuild.pages - self.store.pending(source=rebuild.source)))

    def _advance_held(self, rebuild: Rebuild) -> bool:
        if not self.rebuilds.hold(rebuild.id, self.worker):
            return False
        try:
            return self._advance_alone(self.rebuilds.get(rebuild.id))
        finally:
            self.rebuilds.release(rebuild.id, self.worker)

    def _advance_alone(self, rebuild: Rebuild) -> bool:
        """Begin, complete or end the rebuild, as only the worker that holds its lease may. Return True if
        there is more to do afterwards."""
        went_live = self._went_live(rebuild)
        if rebuild.cancelled and not went_live:
            self._end(rebuild, "cancelled", "")
            return False
        if rebuild.is_rollback:
            self._roll_back(rebuild, went_live)
            return False
        if rebuild.source is not None:
            return self._rewrite(rebuild, rebuild.source)
        if rebuild.state == "queued":
            return self._begin(rebuild)
        if went_live or self.rebuilds.is_written():  # otherwise others are still writing
            self._complete(rebuild)
        return False

    def _went_live(self, rebuild: Rebuild) -> bool:
        """Return True if its generation is live: the worker that promoted it may have died before ending
        it."""
        if rebuild.generation is None:
            return False
        live = find_current(self.index)
        return live is not None and live.number == rebuild.generation

    def _rewrite(self, rebuild: Rebuild, source: str) -> bool:
        """Let the queue write the pages of one source, like all others. Return True if that was started."""
        if rebuild.state == "queued":
            self.rebuilder.requeue(source)
            self.wake(self.rebuilds.begin(rebuild.id, None))
            return True
        if not self.store.pending(source=source):
            counts = self.store.counts(source)
            written, failed = counts.get("indexed", 0), counts.get("failed", 0)
            self.rebuilds.finish(rebuild.id, "done", written=written, failed=failed)
        return False

    def _roll_back(self, rebuild: Rebuild, went_live: bool) -> None:
        """Make an earlier generation live, or end a rollback whose worker died after it had."""
        number = rebuild.generation or 0
        self.builds.begin(rebuild.id)
        if went_live:
            self.builds.end(rebuild.id)
            self.rebuilds.finish(rebuild.id, "done", written=self.index.count(number))
            return
        self.generations.drop_leftovers()
        self.rebuilds.note(rebuild.id, "")
        self._finish(
            rebuild, self.rebuilder.restore(self.rebuilder.retired_generation(number), self._lease(rebuild))
        )

    def _begin(self, rebuild: Rebuild) -> bool:
        try:
            self.builds.begin(rebuild.id)
        except ConflictError as error:  # another build was started by hand
            self.rebuilds.note(rebuild.id, str(error))
            return False
        self.generations.drop_leftovers()
        lease = self._lease(rebuild)
        generation = self.rebuilder.begin(lease, take_over=rebuild.take_over)
        self.wake(self.rebuilds.begin(rebuild.id, generation.number))
        return True

    def _complete(self, rebuild: Rebuild) -> None:
        self.builds.begin(rebuild.id)
        rebuilt = self.rebuilder.complete(
            self._generation(rebuild),
            self._lease(rebuild),
            self.rebuilds.tried(),
            take_over=rebuild.take_over,
        )
        self._finish(rebuild, rebuilt)

    def _finish(self, rebuild: Rebuild, rebuilt: RebuildResult) -> None:
        self.builds.end(rebuild.id)
        note = "the embedder has changed: restart `auskunft serve`" if rebuilt.new_embedder else ""
        self.rebuilds.finish(rebuild.id, "done", note, written=rebuilt.pages, failed=len(rebuilt.failures))

    def _end(self, rebuild: Rebuild, state: RebuildState, reason: str) -> None:
        """End a rebuild without success and drop its generation, unless another worker is ending it."""
        if not self.rebuilds.hold(rebuild.id, self.worker):
            return
        started = self.rebuilds.get(rebuild.id)
        if started.generation is not None and not started.is_rollback and not self._went_live(started):
            self.generations.discard(started.generation)
        self.builds.end(rebuild.id)
        self.rebuilds.finish(rebuild.id, state, reason)
        log.warning("rebuild_ended", rebuild=rebuild.id, state=state, reason=reason)

    def _write_batch(self, rebuild: Rebuild, stop: Stop) -> bool:
        """Write some pages to the new generation. Return False if none were due."""
        generation = self._generation(rebuild)
        pages = self.store.read(self.rebuilds.claim(self.worker, BATCH_PAGES))
        if not pages:
            return False
        self._runner.run(
            len(pages),
            lambda work: self._write(pages, generation, work),
            lambda outcomes: self._settle(pages, outcomes),
            stop=stop,
        )
        self.builds.renew(rebuild.id)
        if rebuild.reason:
            self.rebuilds.note(rebuild.id, "")
        return True

    def _write(
        self, pages: Sequence[StoredVersion], generation: Generation, work: WorkControl
    ) -> list[Outcome]:
        try:
            [outcomes] = self.writer.write(pages, [generation], work)
        except NotFoundError:  # the rebuild was cancelled
            return []
        return outcomes

    def _settle(self, pages: Sequence[StoredVersion], outcomes: Sequence[Outcome]) -> None:
        tried = zip(pages, outcomes, strict=True)
        self.rebuilds.record(
            self.worker,
            {page.ref: AttemptResult(sequence=page.sequence, outcome=out) for page, out in tried},
        )

    def _generation(self, rebuild: Rebuild) -> Generation:
        """Return the generation being built. Raises ``IndexDamagedError`` if it is gone, and
        ``ConflictError`` if this worker's settings differ from those it was made with."""
        known = {generation.number: generation for generation in self.index.generations()}
        generation = known.get(rebuild.generation or 0)
        if generation is None:
            raise IndexDamagedError(
                "generation {number}, which was being built, is gone", number=rebuild.generation
            )
        if generation.recipe != self.recipe():
            raise ConflictError(OTHER_SETTINGS)
        return generation

    def _lease(self, rebuild: Rebuild) -> BuildLease:
        lease = _RebuildLease(self.builds, self.rebuilds, rebuild.id, self.worker)
        lease.is_promoting = self._went_live(rebuild)
        return lease


class _RebuildLease(BuildLease):
    """The build lease, which the rebuild holds, together with the lease on its next step, which the worker
    holds. ``is_promoting``: the generation may be live, so the rebuild can no longer be cancelled."""

    def __init__(self, builds: Builds, rebuilds: RebuildLog, rebuild: str, worker: str) -> None:
        super().__init__(builds, rebuild)
        self._rebuilds = rebuilds
        self._rebuild = rebuild
        self._step_worker = worker
        self.is_promoting = False

    def renew(self) -> None:
        """Renew both leases. Raises ``ConflictError`` if another worker has one of them, and ``StoppedError``
        if the rebuild was cancelled before its promotion."""
        super().renew()
        if self._rebuilds.renew(self._rebuild, self._step_worker) and not self.is_promoting:
            raise StoppedError

    def begin_promotion(self) -> None:
        super().begin_promotion()
        self.is_promoting = True


def _is_being_written(rebuild: Rebuild) -> bool:
    return rebuild.state == "running" and rebuild.source is None and not rebuild.cancelled
