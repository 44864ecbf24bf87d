"""Making and dropping generations: one builder at a time, and nothing left over.

Whoever makes, catches up or drops a generation holds the page store's build lease. So a generation in state
``building`` that is found while the lease is free was left by a builder that died, and is dropped.

Those of other page stores in the same place are left alone, unless the index is taken over on purpose.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from app.errors import AuskunftError, ConflictError, IndexUnavailableError
from app.pages.store import PageStore
from app.pages.workers import WorkerRegistry
from app.search.generations import belongs_to, check_owner, find_current
from app.search.index import SearchIndex
from app.search.types import Generation, GenerationRecipe


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


def check_place(store: PageStore, place: str) -> None:
    """Raises ``IndexUnavailableError`` where the pages are in another index than ``place``: this one may be
    of long ago, and pages that are written to it would be missing there."""
    indexed_in = store.indexed_in()
    if indexed_in not in ("", place):
        raise IndexUnavailableError(
            f"pages were last indexed into {indexed_in}, and the settings name {place}: run `auskunft "
            "reindex`, or correct AUSKUNFT_INDEX"
        )


class Generations:
    """The generations of one index, under the build lease of its page store.

    ``place``: which index this is, for the page store to remember: ``embedded`` or ``elasticsearch PREFIX``.
    """

    def __init__(self, *, store: PageStore, index: SearchIndex, workers: WorkerRegistry, place: str) -> None:
        self._store = store
        self._index = index
        self._workers = workers
        self.place = place

    @contextmanager
    def lease(self) -> Iterator[BuildLease]:
        """Be the only builder, beginning without leftovers of earlier ones. Raises ``ConflictError``."""
        self.release_dead()
        self._store.begin_build(self._workers.id)
        try:
            self.drop_leftovers()
            yield BuildLease(self._store, self._workers.id)
        finally:
            self._store.end_build(self._workers.id)

    def release_dead(self) -> None:
        """Take back what workers of this machine held when they died, the right to build too."""
        self._workers.release_dead(self._store.release)

    def clean_up(self) -> None:
        """Drop what a builder that died has left. Does nothing while somebody builds, however slowly."""
        self.release_dead()
        builder = self._store.last_builder()
        if builder is not None and self._workers.lives(builder):
            return
        if any(generation.state == "building" for generation in self._own()):
            with suppress(ConflictError), self.lease():
                pass

    def create_first(self, recipe: Callable[[], GenerationRecipe]) -> None:
        """Make an empty generation live in an installation that is new. If any page has ever been indexed,
        the index is missing, which only a rebuild can mend."""
        if self._store.indexed_in() == self.place and find_current(self._index):
            return
        with suppress(ConflictError), self.lease():
            live = find_current(self._index)
            if live is None and not self._store.has_indexed():
                live = self._index.create(recipe(), self._store.id)
                self._index.promote(live.number)
            if live is not None and belongs_to(live, self._store.id):
                self._store.set_indexed_in(self.place)

    def is_new(self) -> bool:
        """Whether no page has ever been indexed, or the page store does not know yet where."""
        return not (self._store.indexed_in() and self._store.has_indexed())

    def numbers(self) -> list[int]:
        """Those that hold this page store's pages."""
        return [generation.number for generation in self._own()]

    def retired(self) -> list[Generation]:
        """Those that can come back, by number."""
        return [generation for generation in self._own() if generation.state == "retired"]

    def drop(self, number: int) -> None:
        """Delete one. Raises ``ConflictError``, ``NotFoundError``, ``InputError`` if it is live, and
        ``ForeignIndexError`` if another installation may be building it."""
        with self.lease():
            for generation in self._index.generations():
                if generation.number == number and generation.state == "building":
                    check_owner(generation, self._store.id)
            self._index.drop(number)

    def discard(self, number: int) -> None:
        """Drop a generation whose build failed; what cannot be dropped now is a leftover for later."""
        with suppress(AuskunftError):
            self._index.drop(number)

    def keep_one(self, previous: int | None) -> int | None:
        """Drop all retired generations but ``previous``, or but the newest; the number of the one kept."""
        retired = [generation.number for generation in self.retired()]
        kept = previous if previous in retired else max(retired, default=None)
        for number in retired:
            if number != kept:
                self._index.drop(number)
        return kept

    def drop_leftovers(self) -> None:
        """Drop what builders that died have left; only whoever has the lease may."""
        for generation in self._own():
            if generation.state == "building":
                self._index.drop(generation.number)

    def _own(self) -> list[Generation]:
        return [item for item in self._index.generations() if belongs_to(item, self._store.id)]
