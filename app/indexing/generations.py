"""Making and dropping generations, one builder at a time, without leftovers.

Whoever makes, updates or drops a generation has the page store's build lease. A generation in state
``building`` that is found while the lease is free was therefore left by a builder that died, and is dropped.

Generations of other page stores in the same index are left alone, unless the index is deliberately taken
over.

A rebuild that would lose many pages does not go live, because a person has to find out what is wrong.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from app.errors import (
    AuskunftError,
    ConflictError,
    EmptyIndexError,
    ForeignIndexError,
    IndexUnavailableError,
    LostPageStoreError,
    NeedsAttentionError,
)
from app.pages.builds import Builds
from app.pages.store import PageStore
from app.pages.types import Failed
from app.pages.workers import WorkerRegistry
from app.search.index import SearchIndex, belongs_to, check_owner, find_current
from app.search.types import Generation, GenerationRecipe
from ingest.types import PageRef

SHOWN: Final = 3
UNKNOWN_PAGE: Final = Failed(reason="unknown", message="the page store has no such page")

REPAIR: Final = (
    "repair these pages or the settings, or take pages out with `auskunft remove`, "
    "then run `auskunft reindex` again"
)
GIVE_UP: Final = (
    "check that this is the right page store (AUSKUNFT_DATA); index the pages again, or give them up with "
    "`auskunft reindex --take-over`"
)
GIVE_UP_ALL: Final = (
    "restore the page store, or give up all pages with `auskunft reindex --take-over --confirm-deletions`"
)

MAX_LOST_SHARE: Final = 0.05
"""The largest share of the served pages that may be lost when a new generation goes live."""


class BuildLease:
    """The lease to build, which has to be renewed."""

    def __init__(self, builds: Builds, worker: str) -> None:
        self._builds = builds
        self._worker = worker

    def set_target(self, generation: int) -> None:
        """Let every claim from now on write to ``generation`` too."""
        self._builds.set_generation(self._worker, generation)
        self.renew()

    def renew(self) -> None:
        """Renew the lease. Raises ``ConflictError`` if it ran out and another builder has it."""
        if not self._builds.renew(self._worker):
            raise ConflictError("another process has started to build an index: this build is cancelled")

    def begin_promotion(self) -> None:
        """Renew the lease a last time before the generation goes live. Raises as :meth:`renew`."""
        self.renew()


def check_location(store: PageStore, location: str) -> None:
    """Raise ``IndexUnavailableError`` if the pages are in another index than ``location``: this one may be
    outdated, and pages written to it would be missing from the other."""
    indexed_in = store.indexed_in()
    if indexed_in not in ("", location):
        raise IndexUnavailableError(
            "pages were last indexed into {used}, but the settings say {named}: run `auskunft reindex`, or "
            "correct AUSKUNFT_INDEX",
            used=indexed_in,
            named=location,
        )


def check_losses(lost: Mapping[PageRef, Failed], served: int, left: int) -> None:
    """Raise ``NeedsAttentionError`` if too many of the ``served`` pages would be ``lost``, or
    ``EmptyIndexError`` if none would be ``left`` because the page store does not know them."""
    if len(lost) <= MAX_LOST_SHARE * served:
        return
    reasons = Counter(failure.reason for failure in lost.values()).most_common(SHOWN)
    counted = ", ".join(f"{count} {reason}" for reason, count in reasons)
    ref, failure = next(iter(lost.items()))
    remedy = GIVE_UP if failure == UNKNOWN_PAGE else REPAIR
    if not left and failure == UNKNOWN_PAGE:
        raise EmptyIndexError(
            f"none of the {served} pages that are served would be left, because the page store does not know "
            f"them, so the index stays as it is: {GIVE_UP_ALL}"
        )
    raise NeedsAttentionError(
        f"needs attention: {len(lost)} of the {served} pages that are served would be lost ({counted}; "
        f"{ref.id}: {failure.message}), so the index stays as it is: {remedy}"
    )


def check_own(store: PageStore, index: SearchIndex, generation: Generation) -> None:
    """Raise ``ForeignIndexError`` if ``generation`` has the pages of another page store;
    ``LostPageStoreError`` if moreover ``store`` has no pages but the generation has some."""
    if belongs_to(generation, store.id):
        return
    if not store.sources() and index.count(generation.number):
        raise LostPageStoreError(generation.number)
    raise ForeignIndexError(generation.number)


@dataclass(kw_only=True, eq=False)
class Generations:
    """The generations of one index, under the build lease of its page store.

    ``location``: the index's name for the page store's records, ``embedded`` or ``elasticsearch PREFIX``.
    """

    store: PageStore
    builds: Builds
    index: SearchIndex
    workers: WorkerRegistry
    location: str

    @contextmanager
    def lease(self) -> Iterator[BuildLease]:
        """Be the only builder; drop leftovers of earlier ones first. Raises ``ConflictError``."""
        self.release_dead()
        self.builds.begin(self.workers.id)
        try:
            self.drop_leftovers()
            yield BuildLease(self.builds, self.workers.id)
        finally:
            self.builds.end(self.workers.id)

    def release_dead(self) -> None:
        """Release claims and leases of this machine's workers that died."""
        self.workers.release_dead(self.store.release)

    def clean_up(self) -> None:
        """Drop generations left by a builder that died. Do nothing while another builds, however slowly."""
        self.release_dead()
        last = self.builds.unfinished()
        if last is not None and self.workers.lives(last.worker):
            return
        if any(generation.state == "building" for generation in self._own()):
            with suppress(ConflictError), self.lease():
                pass

    def create_first(self, recipe: Callable[[], GenerationRecipe]) -> None:
        """Make an empty generation live in a new installation. Do not if a page has ever been indexed: then
        the index is missing, which only a rebuild can repair."""
        if self.store.indexed_in() == self.location and find_current(self.index):
            return
        with suppress(ConflictError), self.lease():
            live = find_current(self.index)
            if live is None and not self.store.has_indexed():
                live = self.index.create(recipe(), self.store.id)
                self.index.promote(live.number)
            if live is not None and belongs_to(live, self.store.id):
                self.store.set_indexed_in(self.location)

    def check_live(self) -> None:
        """Raise what :func:`check_own` raises if the live generation belongs to another page store."""
        if live := find_current(self.index):
            check_own(self.store, self.index, live)

    def is_new(self) -> bool:
        """Return True if no page has ever been indexed, or the page store has not recorded in which index."""
        return not (self.store.indexed_in() and self.store.has_indexed())

    def numbers(self) -> list[int]:
        """The numbers of the generations with this page store's pages."""
        return [generation.number for generation in self._own()]

    def retired(self) -> list[Generation]:
        """The generations that a rollback can make live again, by number."""
        return [generation for generation in self._own() if generation.state == "retired"]

    def drop(self, number: int) -> None:
        """Delete a generation. Raises ``ConflictError``, ``NotFoundError``, ``InputError`` if it is live, and
        ``ForeignIndexError`` if another installation may be building it."""
        with self.lease():
            for generation in self.index.generations():
                if generation.number == number and generation.state == "building":
                    check_owner(generation, self.store.id)
            self.index.drop(number)

    def discard(self, number: int) -> None:
        """Drop a generation whose build failed; if that fails too, it is a leftover to be dropped later."""
        with suppress(AuskunftError):
            self.index.drop(number)

    def keep_one(self, previous: int | None) -> int | None:
        """Drop all retired generations except ``previous``, or except the newest if ``previous`` is not
        retired. Return the one that is kept."""
        retired = [generation.number for generation in self.retired()]
        kept = previous if previous in retired else max(retired, default=None)
        for number in retired:
            if number != kept:
                self.index.drop(number)
        return kept

    def drop_leftovers(self) -> None:
        """Drop generations left by builders that died. The caller must have the lease."""
        for generation in self._own():
            if generation.state == "building":
                self.index.drop(generation.number)

    def _own(self) -> list[Generation]:
        return [item for item in self.index.generations() if belongs_to(item, self.store.id)]
