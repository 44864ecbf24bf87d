"""Rebuilding the index through the queue: many workers write, one at a time begins and ends.

A rebuild is *queued* until a worker has made the new generation and listed the pages to write to it. While it
is *running*, workers claim batches of these pages; pages that are saved meanwhile are written to both
generations by their own claims. When all is written, one worker completes it: it compares the generation with
the page store, writes what it still lacks, and makes it live (:mod:`app.indexing.rebuild`). Every step can be
repeated: if a worker dies, the next one resumes with the same generation. Going back to an earlier generation
is this last step alone.
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
    "a worker has other settings than the one that began this rebuild: restart all workers"
)

log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False)
class RebuildQueue:
    """Rebuilds of one index from one page store, step by step. ``wake`` is called with the number of pages
    that are due to be written; ``rebuilder`` must not wait by itself for a server that is away."""

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
        """Request a rebuild, or that the pages of one ``source`` are written again in place.

        Raises ``ConflictError`` while another is under way.
        """
        rebuild = self.rebuilds.request(source, take_over=take_over)
        self.wake(1)
        return rebuild

    def request_rollback(self, number: int) -> Rebuild:
        """Request that a retired generation is brought up to date and serves again.

        Raises ``NotFoundError``, ``InputError`` for one that is not retired, and ``ConflictError`` while a
        rebuild is under way.
        """
        self.rebuilder.retired(number)
        rebuild = self.rebuilds.request(generation=number)
        self.wake(1)
        return rebuild

    def cancel(self, rebuild_id: str) -> Rebuild:
        """End a rebuild; the old generation stays live. Raises ``NotFoundError``, and ``ConflictError`` if it
        has ended already."""
        self.rebuilds.cancel(rebuild_id)
        self.wake(1)
        return self.get(rebuild_id)

    def get(self, rebuild_id: str) -> Rebuild:
        """Return a rebuild as it is now. Raises ``NotFoundError``."""
        return self._with_progress(self.rebuilds.get(rebuild_id))

    def all(self) -> list[Rebuild]:
        """Return the last ones, newest first."""
        return [self._with_progress(rebuild) for rebuild in self.rebuilds.all()]

    def active(self) -> Rebuild | None:
        """Return the rebuild under way; ``written`` of a source's is not filled in."""
        return self.rebuilds.active()

    def advance(self, stop: Stop = never) -> bool:
        """Do the next step of the rebuild under way. True if there may be another to do at once.

        Raises ``IndexUnavailableError``, ``EmbedderUnavailableError``, ``DataFolderError`` and
        ``PageStoreUnavailableError`` while something is away; the rebuild notes it as its reason, and waits.
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
        except ConflictError as error:  # another worker is at it
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
        """Add the progress of a source's pages, which are in the queue like all others."""
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
        """Begin, complete or end the rebuild, which only the worker that holds it may. True if there is more
        to do after it."""
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
        if went_live or self.rebuilds.is_written():  # else others are at it
            self._complete(rebuild)
        return False

    def _went_live(self, rebuild: Rebuild) -> bool:
        """True if its generation is live: the worker that promoted it may have died before the end."""
        if rebuild.generation is None:
            return False
        live = find_current(self.index)
        return live is not None and live.number == rebuild.generation

    def _rewrite(self, rebuild: Rebuild, source: str) -> bool:
        """Let the queue write the pages of one source, like all others. True if that was started."""
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
        """Make an earlier generation live, or end what died after it had."""
        number = rebuild.generation or 0
        self.builds.begin(rebuild.id)
        if went_live:
            self.builds.end(rebuild.id)
            self.rebuilds.finish(rebuild.id, "done", written=self.index.count(number))
            return
        self.generations.drop_leftovers()
        self.rebuilds.note(rebuild.id, "")
        self._finish(rebuild, self.rebuilder.restore(self.rebuilder.retired(number), self._lease(rebuild)))

    def _begin(self, rebuild: Rebuild) -> bool:
        try:
            self.builds.begin(rebuild.id)
        except ConflictError as error:  # one that was started by hand
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
        note = "the embedder is another one now: restart `auskunft serve`" if rebuilt.new_embedder else ""
        self.rebuilds.finish(rebuild.id, "done", note, written=rebuilt.pages, failed=len(rebuilt.failures))

    def _end(self, rebuild: Rebuild, state: RebuildState, reason: str) -> None:
        """End it without success, and leave no generation behind, unless another worker is ending it."""
        if not self.rebuilds.hold(rebuild.id, self.worker):
            return
        started = self.rebuilds.get(rebuild.id)
        if started.generation is not None and not started.is_rollback and not self._went_live(started):
            self.generations.discard(started.generation)
        self.builds.end(rebuild.id)
        self.rebuilds.finish(rebuild.id, state, reason)
        log.warning("rebuild_ended", rebuild=rebuild.id, state=state, reason=reason)

    def _write_batch(self, rebuild: Rebuild, stop: Stop) -> bool:
        """Write some pages to the new generation. True if any were left."""
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
        except NotFoundError:  # it was cancelled
            return []
        return outcomes

    def _settle(self, pages: Sequence[StoredVersion], outcomes: Sequence[Outcome]) -> None:
        tried = zip(pages, outcomes, strict=True)
        self.rebuilds.record(
            self.worker,
            {page.ref: AttemptResult(sequence=page.sequence, outcome=out) for page, out in tried},
        )

    def _generation(self, rebuild: Rebuild) -> Generation:
        """Return the generation that is built. Raises ``IndexDamagedError`` if it is gone, and
        ``ConflictError`` where this worker's settings differ from those that it was made with."""
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
    """The build lease, which is the rebuild's, and the lease on its next step, which is the worker's.
    ``is_promoting``: the generation may be live, so that the rebuild cannot be cancelled any more."""

    def __init__(self, builds: Builds, rebuilds: RebuildLog, rebuild: str, worker: str) -> None:
        super().__init__(builds, rebuild)
        self._rebuilds = rebuilds
        self._rebuild = rebuild
        self._step_worker = worker
        self.is_promoting = False

    def renew(self) -> None:
        """Renew both. Raises ``ConflictError`` if another worker has one of them, and ``StoppedError`` if the
        rebuild was cancelled in time."""
        super().renew()
        if self._rebuilds.renew(self._rebuild, self._step_worker) and not self.is_promoting:
            raise StoppedError

    def begin_promotion(self) -> None:
        super().begin_promotion()
        self.is_promoting = True


def _is_being_written(rebuild: Rebuild) -> bool:
    return rebuild.state == "running" and rebuild.source is None and not rebuild.cancelled
