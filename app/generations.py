"""Making and dropping generations: one builder at a time, and nothing left over.

Whoever makes, catches up or drops a generation holds the page store's build lease. So a generation in state
``building`` that is found while the lease is free was left by a builder that died, and is dropped.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from app.errors import AuskunftError, ConflictError
from app.pages.store import PageStore
from app.pages.workers import WorkerRegistry
from app.search.index import SearchIndex
from app.search.live import find_current
from app.search.types import GenerationRecipe


class BuildLease:
    """The right to build, while it is renewed."""

    def __init__(self, store: PageStore, worker: str) -> None:
        self._store = store
        self._worker = worker

    def set_target(self, generation: int) -> None:
        """Let every claim from now on write to ``generation`` too."""
        self._store.set_build_generation(self._worker, generation)
        self.renew()

    def renew(self) -> None:
        """Hold it for another while. Raises ``ConflictError`` if it ran out and another builder has begun."""
        if not self._store.renew_build(self._worker):
            raise ConflictError(
                "another process has begun to build an index meanwhile: this build is given up"
            )


class Generations:
    """The generations of one index, under the build lease of its page store."""

    def __init__(self, *, store: PageStore, index: SearchIndex, workers: WorkerRegistry) -> None:
        self._store = store
        self._index = index
        self._workers = workers

    @contextmanager
    def lease(self) -> Iterator[BuildLease]:
        """Be the only builder, beginning without leftovers of earlier ones. Raises ``ConflictError``."""
        for worker in self._workers.dead():
            self._store.release(worker)
        self._store.begin_build(self._workers.id)
        try:
            self._drop_leftovers()
            yield BuildLease(self._store, self._workers.id)
        finally:
            self._store.end_build(self._workers.id)

    def clean_up(self) -> None:
        """Drop what a builder that died has left. Does nothing while somebody builds, however slowly."""
        builder = self._store.last_builder()
        if builder is not None and self._workers.lives(builder):
            return
        if any(generation.state == "building" for generation in self._index.generations()):
            with suppress(ConflictError), self.lease():
                pass

    def create_first(self, recipe: Callable[[], GenerationRecipe]) -> None:
        """Make an empty generation live in an installation that is new: one whose page store has never
        indexed anything. Otherwise its index is missing, which only a rebuild can mend."""
        if self._store.has_indexed():
            return
        with suppress(ConflictError), self.lease():
            if find_current(self._index) is None:
                self._index.promote(self._index.create(recipe()).number)

    def drop(self, number: int) -> None:
        """Delete one. Raises ``ConflictError``, ``NotFoundError``, and ``InputError`` if it is live."""
        with self.lease():
            self._index.drop(number)

    def discard(self, number: int) -> None:
        """Drop a generation whose build failed; what cannot be dropped now is a leftover for later."""
        with suppress(AuskunftError):
            self._index.drop(number)

    def keep_one(self, previous: int | None) -> int | None:
        """Drop all retired generations but ``previous``, or but the newest; the number of the one kept."""
        retired = [item.number for item in self._index.generations() if item.state == "retired"]
        kept = previous if previous in retired else max(retired, default=None)
        for number in retired:
            if number != kept:
                self._index.drop(number)
        return kept

    def _drop_leftovers(self) -> None:
        for generation in self._index.generations():
            if generation.state == "building":
                self._index.drop(generation.number)
