"""Rebuilding the index while the old generation is live: fill a generation, promote it, keep the old one.

A rebuild and a rollback work alike: a generation (new and empty, or retired and outdated) becomes the target
of claims and is filled (:mod:`app.indexing.filling`) until it equals the page store; then it goes live.
"""

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import structlog

from app.errors import AuskunftError, InputError, NotFoundError
from app.indexing.build import GenerationBuild
from app.indexing.filling import POISONED, GenerationFiller
from app.indexing.generations import (
    UNKNOWN_PAGE,
    BuildLease,
    Generations,
    check_location,
    check_losses,
    check_own,
)
from app.indexing.page_writer import PageWriter
from app.indexing.progress import ProgressCounter, Show, silent
from app.indexing.retry import Retry
from app.pages.rebuilds import AttemptResult
from app.pages.store import PageStore
from app.pages.types import Failed, StoredVersion
from app.search.index import SearchIndex, current_generation, find_current
from app.search.types import Generation, GenerationRecipe
from ingest.types import PageRef

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildResult:
    """The generation that went live, and the number of its pages. ``kept``: the generation to which
    ``auskunft rollback`` would return. ``new_embedder``: questions need another embedder from now on."""

    number: int
    kept: int | None
    pages: int
    new_embedder: bool
    failures: dict[PageRef, Failed]
    seconds: float


@dataclass(kw_only=True, eq=False)
class Rebuilder:
    """Builds generations of one index from one page store, and rolls back to earlier ones."""

    store: PageStore
    index: SearchIndex
    writer: PageWriter
    generations: Generations
    recipe: Callable[[], GenerationRecipe]
    retry: Retry

    @cached_property
    def _filler(self) -> GenerationFiller:
        return GenerationFiller(store=self.store, index=self.index, writer=self.writer, retry=self.retry)

    def build(
        self, show: Show = silent, *, take_over: bool = False, may_be_empty: bool = False
    ) -> RebuildResult:
        """Build a generation with the present settings and make it live.

        ``take_over``: do so even if the live generation belongs to another page store, or serves pages that
        this page store does not know; ``may_be_empty``: even if no page would be left.

        Raises ``ConflictError`` while another is being built, ``NeedsAttentionError`` if too many pages would
        be lost, and what embedder, index and page store raise. After an error the old generation stays live.
        """
        with self.generations.lease() as lease:
            generation = self._create(take_over=take_over)
            build = GenerationBuild(
                generation=generation,
                lease=lease,
                progress=ProgressCounter(show),
                take_over=take_over,
                may_be_empty=may_be_empty,
            )
            try:
                return self._promote(build)
            except BaseException:
                if not build.promotion_requested:
                    self.generations.discard(generation.number)
                raise

    def begin(self, lease: BuildLease, *, take_over: bool) -> Generation:
        """Make an empty generation to which claims write from now on; :meth:`complete` makes it live.

        Raises what :meth:`build` does.
        """
        generation = self._create(take_over=take_over)
        try:
            self._raise_sequence_floor(GenerationBuild(generation=generation, lease=lease))
            lease.set_target(generation.number)
        except BaseException:
            self.generations.discard(generation.number)
            raise
        return generation

    def complete(
        self,
        generation: Generation,
        lease: BuildLease,
        tried: Mapping[PageRef, AttemptResult],
        *,
        take_over: bool,
    ) -> RebuildResult:
        """Compare ``generation`` with the page store, write what it lacks, and make it live.

        After an interruption, calling it again resumes. ``tried``: the outcomes of pages that other workers
        have written to it. Raises what :meth:`build` does, and leaves the generation as it is.
        """
        build = GenerationBuild(generation=generation, lease=lease, take_over=take_over)
        for ref, known in tried.items():
            build.settle(StoredVersion(ref=ref, sequence=known.sequence, page=None), known.outcome)
        return self._promote(build)

    def rollback(self, number: int | None = None, show: Show = silent) -> RebuildResult:
        """Bring a retired generation (the newest by default) up to date and make it live again.

        Raises as :meth:`retired_generation` and :meth:`build`.
        """
        with self.generations.lease() as lease:
            return self.restore(self.retired_generation(number), lease, show)

    def restore(self, generation: Generation, lease: BuildLease, show: Show = silent) -> RebuildResult:
        """Bring a retired ``generation`` up to date and make it live again. Raises as :meth:`build`."""
        self.writer.check(generation)
        return self._promote(
            GenerationBuild(generation=generation, lease=lease, progress=ProgressCounter(show))
        )

    def requeue(self, source: str) -> list[PageRef]:
        """Make the pages of ``source`` due, to be written again to the live generation; return them.

        Raises ``InputError`` if the settings name another embedder than the live generation's.
        """
        check_location(self.store, self.generations.location)
        live = current_generation(self.index, self.store.id)
        used, wanted = live.recipe.embedder, self.recipe().embedder
        if used != wanted:
            raise InputError(
                f"one source cannot change its embedder (the index has {used['name']!r}, the settings "
                f"{wanted['name']!r}, or in another version): run `auskunft reindex` without --source"
            )
        self.store.requeue(source)
        return self.store.refs(source)

    def _create(self, *, take_over: bool) -> Generation:
        if not take_over:
            self._check_owner(find_current(self.index))
        return self.index.create(self.recipe(), self.store.id)

    def retired_generation(self, number: int | None) -> Generation:
        """Return a retired generation, without a ``number`` the newest. Raises ``NotFoundError``,
        ``InputError`` if it is not retired, and ``ForeignIndexError``."""
        self._check_owner(find_current(self.index))
        known = {generation.number: generation for generation in self.index.generations()}
        retired = [generation.number for generation in self.generations.retired()]
        if number is None:
            if not retired:
                raise NotFoundError(
                    "no earlier generation is kept: run `auskunft reindex` to build a new one"
                )
            return known[max(retired)]
        if number not in known:
            listed = ", ".join(map(str, known)) or "none"
            raise NotFoundError(f"there is no generation {number}; known: {listed}")
        if number not in retired:
            self._check_owner(known[number])
            raise InputError(
                f"generation {number} is {known[number].state}: only a retired one can be made live again"
            )
        return known[number]

    def _promote(self, build: GenerationBuild) -> RebuildResult:
        number, previous = build.generation.number, find_current(self.index)
        self._raise_sequence_floor(build)
        build.lease.set_target(number)
        failures = self._filler.fill(build)
        served = self._served(build, previous)
        held = self._filler.held(build, number)
        if served:
            check_losses(self._losses(build, served, held, failures), len(served), left=len(held))
        self._make_live(build, previous, failures, served or {})
        if self.store.indexed_in() != self.generations.location:
            failures = self._switch_backend(build)
        self.store.record_indexed(build.indexed())
        return RebuildResult(
            number=number,
            kept=self._retire(previous, readable=served is not None),
            pages=len(held),
            new_embedder=previous is not None
            and previous.recipe.embedder != build.generation.recipe.embedder,
            failures=failures,
            seconds=time.monotonic() - build.started,
        )

    def _switch_backend(self, build: GenerationBuild) -> dict[PageRef, Failed]:
        """Record that the pages are in this index now, and compare once more.

        Before the record, workers with the earlier settings write only to the previous index. After it, their
        claims are refused, and all versions claimed before are covered by this comparison."""
        self.store.set_indexed_in(self.generations.location)
        failures = self._filler.fill(build)
        self._record_failures(build, failures)
        return failures

    def _record_failures(self, build: GenerationBuild, failures: Mapping[PageRef, Failed]) -> None:
        """Record the failures in the page store, except poison, which it has already recorded."""
        self.store.record_failed(
            build.sequences, {ref: failure for ref, failure in failures.items() if failure != POISONED}
        )

    def _check_owner(self, generation: Generation | None) -> None:
        if generation is not None:
            check_own(self.store, self.index, generation)

    def _raise_sequence_floor(self, build: GenerationBuild) -> None:
        """Give every page a new, higher sequence if the index has higher ones than the page store has given.

        This happens after a backup of the page store was restored. The index would take two versions with the
        same sequence for one."""
        held = [self._filler.held_if_whole(build, number) or {} for number in self.generations.numbers()]
        highest = max((sequence for some in held for sequence in some.values()), default=0)
        if highest > self.store.watermark():
            self.store.renumber(highest)

    def _make_live(
        self,
        build: GenerationBuild,
        previous: Generation | None,
        failures: Mapping[PageRef, Failed],
        served: Mapping[PageRef, int],
    ) -> None:
        build.lease.begin_promotion()
        if not build.take_over:
            self._check_owner(find_current(self.index))
        # Recorded before the generation that serves them is retired, so that a page is always either served
        # or listed as failed.
        self._record_failures(build, failures)
        build.promotion_requested = True
        try:
            self._filler.attempt(build, lambda: self.index.promote(build.generation.number))
        except BaseException:
            with suppress(AuskunftError):
                if find_current(self.index) == previous:
                    tried = build.sequences
                    self.store.record_indexed(
                        {ref: tried[ref] for ref in failures if served.get(ref) == tried.get(ref)}
                    )
            raise

    def _served(self, build: GenerationBuild, live: Generation | None) -> dict[PageRef, int] | None:
        """The sequences that the live generation serves; ``None`` if it is damaged or gone."""
        return {} if live is None else self._filler.held_if_whole(build, live.number)

    def _losses(
        self,
        build: GenerationBuild,
        served: Collection[PageRef],
        held: Collection[PageRef],
        failures: Mapping[PageRef, Failed],
    ) -> dict[PageRef, Failed]:
        known = {version.ref for version in self.store.versions()}
        may_replace = build.take_over and (bool(held) or build.may_be_empty)
        unknown = {} if may_replace else {ref: UNKNOWN_PAGE for ref in served if ref not in known}
        return unknown | {ref: why for ref, why in failures.items() if ref in served and ref not in held}

    def _retire(self, previous: Generation | None, *, readable: bool) -> int | None:
        """Drop older generations and return the one that is kept.

        The new one is already live, so generations that cannot be dropped now are left for the next rebuild.
        """
        try:
            if previous is not None and not readable:
                self.index.drop(previous.number)
            return self.generations.keep_one(previous.number if previous else None)
        except AuskunftError as error:
            log.warning("generations_left_over", reason=str(error))
            return previous.number if previous and readable else None
