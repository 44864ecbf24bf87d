"""Rebuilding the index while the old one serves: fill a generation by difference, promote, keep the old one.

A rebuild and a rollback are the same: a generation (new and empty, or retired and behind) becomes the target
of claims and is compared with the page store until nothing differs; then it goes live. Why that leaves no
hole stands in :mod:`app.search.difference`.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.errors import IndexUnavailableError, InputError, NeedsAttentionError, NotFoundError
from app.generations import BuildLease, Generations
from app.indexing import BATCH_PAGES, PageWriter
from app.pages.claims import POISON
from app.pages.refs import chunks
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, Outcome, Stored
from app.search.difference import Difference, difference
from app.search.index import SearchIndex
from app.search.live import current_generation, find_current
from app.search.types import Generation, GenerationRecipe, Remove
from ingest.types import PageRef

SHOWN: Final = 3
POISONED: Final = Failed(reason="poison", message=POISON)

LOST_SHARE: Final = 0.05
"""Of the pages that the live generation serves: if more would be lost, the new one does not go live."""

Progress = Callable[[int, int, int], None]
"""Called with the pages written, how many there are to write, and the windows embedded so far."""


def silent(_written: int, _total: int, _windows: int) -> None:
    """No progress is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """Which generation went live with how many pages, and what the one before is. ``kept``: the generation
    that ``auskunft rollback`` would bring back."""

    number: int
    kept: int | None
    pages: int
    failures: dict[PageRef, Failed]
    seconds: float


@dataclass(slots=True, kw_only=True)
class _Filling:
    """A generation being filled. ``outcomes`` of the versions tried, whose ``sequences`` these are."""

    generation: Generation
    lease: BuildLease
    progress: Progress
    started: float = field(default_factory=time.monotonic)
    sequences: dict[PageRef, int] = field(default_factory=dict)
    outcomes: dict[PageRef, Outcome] = field(default_factory=dict)
    written: int = 0
    windows: int = 0

    def settle(self, version: Stored | Remove, outcome: Outcome) -> None:
        """Note what came of a version."""
        self.sequences[version.ref] = version.sequence
        self.outcomes[version.ref] = outcome

    def indexed(self) -> dict[PageRef, int]:
        """Which versions the generation has got."""
        return {ref: self.sequences[ref] for ref, out in self.outcomes.items() if isinstance(out, Indexed)}

    def failed(self) -> dict[PageRef, int]:
        """Which versions were tried in vain."""
        return {ref: self.sequences[ref] for ref, out in self.outcomes.items() if isinstance(out, Failed)}


class Reindexer:
    """Builds generations of one index from one page store, and goes back to earlier ones."""

    def __init__(
        self,
        *,
        store: PageStore,
        index: SearchIndex,
        writer: PageWriter,
        generations: Generations,
        recipe: Callable[[], GenerationRecipe],
    ) -> None:
        self._store = store
        self._index = index
        self._writer = writer
        self._generations = generations
        self._recipe = recipe

    def build(self, progress: Progress = silent) -> Rebuilt:
        """Build a generation with the present settings and make it live.

        Raises ``ConflictError`` while another is built, ``NeedsAttentionError`` where too many pages would
        be lost, and what embedder, index and page store raise. Then the old generation goes on serving.
        """
        with self._generations.lease() as lease:
            generation = self._index.create(self._recipe())
            try:
                return self._bring_live(_Filling(generation=generation, lease=lease, progress=progress))
            except BaseException:
                self._generations.discard(generation.number)
                raise

    def rollback(self, number: int | None = None, progress: Progress = silent) -> Rebuilt:
        """Bring a retired generation (the newest by default) up to date and make it live again.

        Raises ``NotFoundError``, ``InputError`` for one that is not retired, and as :meth:`build`.
        """
        with self._generations.lease() as lease:
            generation = self._retired(number)
            self._writer.check(generation)
            return self._bring_live(_Filling(generation=generation, lease=lease, progress=progress))

    def requeue(self, source: str) -> list[PageRef]:
        """Make the pages of ``source`` due, to be written again into the live generation; which they are.

        Raises ``InputError`` where the settings' embedder is another than the live generation's.
        """
        used, wanted = current_generation(self._index).recipe.embedder, self._recipe().embedder
        if used != wanted:
            raise InputError(
                f"one source cannot change its embedder (the index has {used['name']!r}, the settings "
                f"{wanted['name']!r}, or in another version): run `auskunft reindex` without --source"
            )
        self._store.requeue(source)
        return self._store.refs(source)

    def _retired(self, number: int | None) -> Generation:
        known = {generation.number: generation for generation in self._index.generations()}
        retired = [item for item, generation in known.items() if generation.state == "retired"]
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
            raise InputError(
                f"generation {number} is {known[number].state}: only a retired one can come back"
            )
        return known[number]

    def _bring_live(self, filling: _Filling) -> Rebuilt:
        number, previous = filling.generation.number, find_current(self._index)
        filling.lease.set_target(number)
        failures = self._fill(filling)
        self._index.refresh()
        served, held = self._served(previous), dict(self._index.refs(number))
        if served:
            _check_losses(
                failures, [ref for ref in failures if ref in served and ref not in held], len(served)
            )
        filling.lease.renew()
        # Listed as failed before the generation that serves them goes: at no time a page is neither.
        self._store.record_failed(
            filling.sequences, {ref: failure for ref, failure in failures.items() if failure != POISONED}
        )
        self._index.promote(number)
        self._store.record_indexed(filling.indexed())
        return Rebuilt(
            number=number,
            kept=self._retire(previous, readable=served is not None),
            pages=len(held),
            failures=failures,
            seconds=time.monotonic() - filling.started,
        )

    def _fill(self, filling: _Filling) -> dict[PageRef, Failed]:
        """Write until nothing differs from the page store but what cannot be indexed; that, with reasons."""
        # What was taken out before now is taken out here as well, so that a worker that has been hanging
        # since then cannot bring it back: the index remembers the sequences of removals.
        gone = (version for version in self._store.versions() if not version.served)
        self._remove(filling, [Remove(ref=version.ref, sequence=version.sequence) for version in gone])
        before: dict[PageRef, int] = {}
        while True:
            found = self._compare(filling)
            _check_progress(filling.generation.number, before, found.sequences)
            self._remove(filling, found.surplus)
            self._write(filling, [*found.missing, *found.early])
            if found.settled:
                return {ref: _failure(filling.outcomes.get(ref)) for ref in found.failed}
            before = found.sequences

    def _compare(self, filling: _Filling) -> Difference:
        watermark = self._store.watermark()
        self._index.refresh()
        held = dict(self._index.refs(filling.generation.number))
        return difference(self._store.versions(), held, watermark, filling.failed())

    def _remove(self, filling: _Filling, removals: Sequence[Remove]) -> None:
        for some in chunks(removals):
            self._index.write(filling.generation.number, some)
            for removal in some:
                filling.settle(removal, Indexed())
            filling.lease.renew()

    def _write(self, filling: _Filling, refs: Sequence[PageRef]) -> None:
        total = filling.written + len(refs)

        def embedded(windows: int) -> None:
            filling.windows += windows
            filling.lease.renew()
            filling.progress(filling.written, total, filling.windows)

        for start in range(0, len(refs), BATCH_PAGES):
            pages = self._store.read(refs[start : start + BATCH_PAGES])
            prepared = self._writer.prepare(pages, filling.generation)
            planned = self._writer.embed(prepared, filling.generation, embedded)
            outcomes = self._writer.write(planned, filling.generation)
            for page, outcome in zip(pages, outcomes, strict=True):
                filling.settle(page, outcome)
            filling.written += len(pages)
            embedded(0)

    def _served(self, live: Generation | None) -> set[PageRef] | None:
        """What the live generation serves; ``None`` if it cannot be read any more."""
        if live is None:
            return set()
        try:
            return {ref for ref, _ in self._index.refs(live.number)}
        except IndexUnavailableError:
            return None

    def _retire(self, previous: Generation | None, *, readable: bool) -> int | None:
        if previous is not None and not readable:
            self._index.drop(previous.number)
        return self._generations.keep_one(previous.number if previous else None)


def _failure(outcome: Outcome | None) -> Failed:
    return outcome if isinstance(outcome, Failed) else POISONED


def _check_progress(generation: int, before: Mapping[PageRef, int], now: Mapping[PageRef, int]) -> None:
    stuck = sorted(ref for ref, _ in before.items() & now.items())
    if stuck:
        shown = ", ".join(ref.id for ref in stuck[:SHOWN])
        raise IndexUnavailableError(
            f"generation {generation} does not keep what is written to it ({len(stuck)} pages: {shown}): "
            "check the index, then run `auskunft reindex` again"
        )


def _check_losses(failures: Mapping[PageRef, Failed], lost: Sequence[PageRef], served: int) -> None:
    if len(lost) <= LOST_SHARE * served:
        return
    reasons = Counter(failures[ref].reason for ref in lost).most_common(SHOWN)
    counted = ", ".join(f"{count} {reason}" for reason, count in reasons)
    raise NeedsAttentionError(
        f"needs attention: {len(lost)} of the {served} pages that are served would be lost ({counted}; "
        f"{lost[0].id}: {failures[lost[0]].message}), so the index stays as it is: repair these pages or the "
        "settings, or take pages out with `auskunft remove`, then run `auskunft reindex` again"
    )
