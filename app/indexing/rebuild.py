"""Rebuilding the index while the old one serves: fill a generation by difference, promote, keep the old one.

A rebuild and a rollback are the same: a generation (new and empty, or retired and behind) becomes the target
of claims and is compared with the page store until nothing differs; then it goes live. Why that leaves no
hole stands in :mod:`app.indexing.difference`.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import structlog

from app.errors import (
    AuskunftError,
    IndexDamagedError,
    InputError,
    NotFoundError,
)
from app.indexing.build import GenerationBuild, Progress, silent
from app.indexing.difference import Difference, difference
from app.indexing.generations import BuildLease, Generations, check_place
from app.indexing.indexer import BATCH_PAGES, PageWriter, Prepared
from app.indexing.promotion_guard import UNKNOWN, check_losses
from app.indexing.retry import Retry
from app.pages.claims import POISON
from app.pages.rebuilds import AttemptResult
from app.pages.refs import chunks
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, Outcome, StoredVersion
from app.search.generations import check_owner, current_generation, find_current
from app.search.index import SearchIndex
from app.search.types import Generation, GenerationRecipe, Remove
from ingest.types import PageRef

SHOWN: Final = 3
POISONED: Final = Failed(reason="poison", message=POISON)

log = structlog.get_logger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildResult:
    """Which generation went live with how many pages, and what the one before is. ``kept``: the generation
    that ``auskunft rollback`` would bring back. ``new_embedder``: questions need another one from now on."""

    number: int
    kept: int | None
    pages: int
    new_embedder: bool
    failures: dict[PageRef, Failed]
    seconds: float


class Rebuilder:
    """Builds generations of one index from one page store, and goes back to earlier ones."""

    def __init__(
        self,
        *,
        store: PageStore,
        index: SearchIndex,
        writer: PageWriter,
        generations: Generations,
        recipe: Callable[[], GenerationRecipe],
        patience: Retry,
    ) -> None:
        self._store = store
        self._index = index
        self._writer = writer
        self._generations = generations
        self._recipe = recipe
        self._patience = patience

    def build(self, progress: Progress = silent, *, take_over: bool = False) -> RebuildResult:
        """Build a generation with the present settings and make it live. ``take_over``: also in the place of
        another page store's, or of one that serves pages that this page store does not know.

        Raises ``ConflictError`` while another is built, ``NeedsAttentionError`` where too many pages would
        be lost, and what embedder, index and page store raise. Then the old generation goes on serving.
        """
        with self._generations.lease() as lease:
            generation = self._create(take_over=take_over)
            filling = GenerationBuild(
                generation=generation, lease=lease, progress=progress, take_over=take_over
            )
            try:
                return self._bring_live(filling)
            except BaseException:
                if not filling.switching:
                    self._generations.discard(generation.number)
                raise

    def begin(self, lease: BuildLease, *, take_over: bool) -> Generation:
        """Make an empty generation that claims write to from now on; :meth:`complete` brings it live.

        Raises what :meth:`build` does.
        """
        generation = self._create(take_over=take_over)
        try:
            self._outrun(GenerationBuild(generation=generation, lease=lease, progress=silent))
            lease.set_target(generation.number)
        except BaseException:
            self._generations.discard(generation.number)
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
        """Compare ``generation`` with the page store, write what it lacks, and make it live. Repeated after
        an interruption, it goes on. ``tried``: what came of the pages that others have written to it.

        Raises what :meth:`build` does, and leaves the generation as it is.
        """
        filling = GenerationBuild(generation=generation, lease=lease, progress=silent, take_over=take_over)
        for ref, known in tried.items():
            filling.settle(StoredVersion(ref=ref, sequence=known.sequence, page=None), known.outcome)
        return self._bring_live(filling)

    def rollback(self, number: int | None = None, progress: Progress = silent) -> RebuildResult:
        """Bring a retired generation (the newest by default) up to date and make it live again.

        Raises ``NotFoundError``, ``InputError`` for one that is not retired, and as :meth:`build`.
        """
        with self._generations.lease() as lease:
            self._check_owner(find_current(self._index))
            generation = self._retired(number)
            self._writer.check(generation)
            return self._bring_live(GenerationBuild(generation=generation, lease=lease, progress=progress))

    def requeue(self, source: str) -> list[PageRef]:
        """Make the pages of ``source`` due, to be written again into the live generation; which they are.

        Raises ``InputError`` where the settings' embedder is another than the live generation's.
        """
        check_place(self._store, self._generations.place)
        live = current_generation(self._index, self._store.id)
        used, wanted = live.recipe.embedder, self._recipe().embedder
        if used != wanted:
            raise InputError(
                f"one source cannot change its embedder (the index has {used['name']!r}, the settings "
                f"{wanted['name']!r}, or in another version): run `auskunft reindex` without --source"
            )
        self._store.requeue(source)
        return self._store.refs(source)

    def _create(self, *, take_over: bool) -> Generation:
        if not take_over:
            self._check_owner(find_current(self._index))
        return self._index.create(self._recipe(), self._store.id)

    def _retired(self, number: int | None) -> Generation:
        known = {generation.number: generation for generation in self._index.generations()}
        retired = [generation.number for generation in self._generations.retired()]
        if number is None:
            if not retired:
                raise NotFoundError(
                    "no earlier generation is kept: run `auskunft reindex` to build a new one"
                )
            return known[max(retired)]
        if number not in known:
            listed = ", ".join(map(str, known)) or "none"
            raise NotFoundError(f"there is no generation {number}: known are {listed}")
        if number not in retired:
            self._check_owner(known[number])
            raise InputError(
                f"generation {number} is {known[number].state}: only a retired one can come back"
            )
        return known[number]

    def _bring_live(self, filling: GenerationBuild) -> RebuildResult:
        number, previous = filling.generation.number, find_current(self._index)
        self._outrun(filling)
        filling.lease.set_target(number)
        failures = self._fill(filling)
        served = self._served(filling, previous)
        held = self._held(filling, number)
        if served:
            check_losses(self._losses(filling, served, held, failures), len(served))
        self._switch(filling, previous, failures, served or {})
        if self._store.indexed_in() != self._generations.place:
            failures = self._move(filling)
        self._store.record_indexed(filling.indexed())
        return RebuildResult(
            number=number,
            kept=self._retire(previous, readable=served is not None),
            pages=len(held),
            new_embedder=previous is not None
            and previous.recipe.embedder != filling.generation.recipe.embedder,
            failures=failures,
            seconds=time.monotonic() - filling.started,
        )

    def _move(self, filling: GenerationBuild) -> dict[PageRef, Failed]:
        """Until the page store tells that its pages are here now, workers with the earlier settings write
        to the index that they were in, and only there. Claims made after that are refused there, all earlier
        ones are of versions that are compared once more."""
        self._store.set_indexed_in(self._generations.place)
        failures = self._fill(filling)
        self._store.record_failed(
            filling.sequences, {ref: failure for ref, failure in failures.items() if failure != POISONED}
        )
        return failures

    def _check_owner(self, generation: Generation | None) -> None:
        if generation is not None:
            check_owner(generation, self._store.id)

    def _outrun(self, filling: GenerationBuild) -> None:
        """Sequences that the page store has never given are of a later state of it, before a backup was
        restored. It must not give them again: the index would take other versions for the same."""
        held = [self._read(filling, number) or {} for number in self._generations.numbers()]
        highest = max((sequence for some in held for sequence in some.values()), default=0)
        if highest > self._store.watermark():
            self._store.renumber(highest)

    def _switch(
        self,
        filling: GenerationBuild,
        previous: Generation | None,
        failures: Mapping[PageRef, Failed],
        served: Mapping[PageRef, int],
    ) -> None:
        filling.lease.renew()
        if not filling.take_over:
            self._check_owner(find_current(self._index))
        # Listed as failed before the generation that serves them goes: at no time a page is neither.
        self._store.record_failed(
            filling.sequences, {ref: failure for ref, failure in failures.items() if failure != POISONED}
        )
        filling.switching = True
        try:
            self._patiently(filling, lambda: self._index.promote(filling.generation.number))
        except BaseException:
            with suppress(AuskunftError):
                if find_current(self._index) == previous:
                    tried = filling.sequences
                    self._store.record_indexed(
                        {ref: tried[ref] for ref in failures if served.get(ref) == tried.get(ref)}
                    )
            raise

    def _fill(self, filling: GenerationBuild) -> dict[PageRef, Failed]:
        """Write until nothing differs from the page store but what cannot be indexed; that, with reasons."""
        # What was taken out before now is taken out here as well, so that a worker that has been hanging
        # since then cannot bring it back: the index remembers the sequences of removals.
        gone = (version for version in self._store.versions() if not version.served)
        self._remove(filling, [Remove(ref=version.ref, sequence=version.sequence) for version in gone])
        before: dict[PageRef, int] = {}
        while True:
            found = self._patiently(filling, lambda: self._compare(filling))
            if stuck := sorted(ref for ref, _ in before.items() & found.sequences.items()):
                self._unstick(filling, stuck)
                found = self._patiently(filling, lambda: self._compare(filling))
            self._remove(filling, found.surplus)
            self._write(filling, [*found.missing, *found.early])
            if found.settled:
                return {ref: _failure(filling.outcomes.get(ref)) for ref in found.failed}
            before = found.sequences

    def _compare(self, filling: GenerationBuild) -> Difference:
        watermark = self._store.watermark()
        self._index.refresh()
        held = dict(self._index.refs(filling.generation.number))
        return difference(self._store.versions(), held, watermark, filling.failed())

    def _remove(self, filling: GenerationBuild, removals: Sequence[Remove]) -> None:
        number = filling.generation.number
        for some in chunks(removals):
            self._patiently(filling, partial(self._index.write, number, some))
            for removal in some:
                filling.settle(removal, Indexed())

    def _write(self, filling: GenerationBuild, refs: Sequence[PageRef]) -> None:
        total = filling.written + len(refs)

        def embedded(windows: int) -> None:
            filling.windows += windows
            filling.lease.renew()
            filling.progress(filling.written, total, filling.windows)

        for start in range(0, len(refs), BATCH_PAGES):
            pages = self._store.read(refs[start : start + BATCH_PAGES])
            prepared = [self._prepare(filling, page) for page in pages]
            planned = self._patiently(
                filling, partial(self._writer.embed, prepared, filling.generation, embedded)
            )
            outcomes = self._patiently(filling, partial(self._writer.write, planned, filling.generation))
            for page, outcome in zip(pages, outcomes, strict=True):
                filling.settle(page, outcome)
            filling.written += len(pages)
            embedded(0)

    def _prepare(self, filling: GenerationBuild, page: StoredVersion) -> Prepared:
        """One by one: converting may take a minute a page, a batch longer than the lease holds."""
        [prepared] = self._patiently(filling, lambda: self._writer.prepare([page], filling.generation))
        return prepared

    def _unstick(self, filling: GenerationBuild, stuck: Sequence[PageRef]) -> None:
        """What was written is not there: the generation remembers later removals, from before a backup of the
        page store was restored. If that is not the reason either, there is none that can be mended here."""
        if not filling.renumbered:
            filling.renumbered = True
            self._store.renumber(self._store.watermark())
            return
        number, shown = filling.generation.number, ", ".join(ref.id for ref in stuck[:SHOWN])
        raise IndexDamagedError(
            f"generation {number} does not keep what is written to it ({len(stuck)} pages: {shown}): "
            "check the index, then run `auskunft reindex` again"
        )

    def _served(self, filling: GenerationBuild, live: Generation | None) -> dict[PageRef, int] | None:
        """What the live generation serves; ``None`` if that is lost."""
        return {} if live is None else self._read(filling, live.number)

    def _read(self, filling: GenerationBuild, number: int) -> dict[PageRef, int] | None:
        try:
            return self._held(filling, number)
        except (IndexDamagedError, NotFoundError):
            return None

    def _held(self, filling: GenerationBuild, number: int) -> dict[PageRef, int]:
        self._patiently(filling, self._index.refresh)
        return self._patiently(filling, lambda: dict(self._index.refs(number)))

    def _losses(
        self,
        filling: GenerationBuild,
        served: Collection[PageRef],
        held: Collection[PageRef],
        failures: Mapping[PageRef, Failed],
    ) -> dict[PageRef, Failed]:
        known = {version.ref for version in self._store.versions()}
        unknown = {ref: UNKNOWN for ref in served if ref not in known and not filling.take_over}
        return unknown | {ref: why for ref, why in failures.items() if ref in served and ref not in held}

    def _retire(self, previous: Generation | None, *, readable: bool) -> int | None:
        """The generation that is kept. The new one is live already: what cannot be dropped now is left over
        for the next rebuild."""
        try:
            if previous is not None and not readable:
                self._index.drop(previous.number)
            return self._generations.keep_one(previous.number if previous else None)
        except AuskunftError as error:
            log.warning("generations_left_over", reason=str(error))
            return previous.number if previous and readable else None

    def _patiently(self, filling: GenerationBuild, step: Callable[[], T]) -> T:
        result = self._patience(step, filling.lease.renew)
        filling.lease.renew()
        return result


def _failure(outcome: Outcome | None) -> Failed:
    return outcome if isinstance(outcome, Failed) else POISONED
