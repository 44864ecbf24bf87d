"""Fills a generation: compares it with the page store, and writes what it lacks, until nothing differs.

:mod:`app.indexing.difference` explains why no version is missed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from app.errors import IndexDamagedError, NotFoundError
from app.indexing.build import GenerationBuild
from app.indexing.difference import Difference, difference
from app.indexing.page_writer import BATCH_PAGES, PageWriter
from app.indexing.progress import BatchProgress
from app.indexing.retry import Retry
from app.indexing.stopping import WorkControl
from app.pages.bulk import chunks
from app.pages.page_queue import POISON
from app.pages.store import PageStore
from app.pages.types import Failed, Indexed, Outcome
from app.search.index import SearchIndex
from app.search.types import Remove
from ingest.types import PageRef

SHOWN: Final = 3
POISONED: Final = Failed(reason="poison", message=POISON)

T = TypeVar("T")


@dataclass(kw_only=True, eq=False)
class GenerationFiller:
    """Fills generations of one index from one page store."""

    store: PageStore
    index: SearchIndex
    writer: PageWriter
    retry: Retry

    def fill(self, build: GenerationBuild) -> dict[PageRef, Failed]:
        """Write until only pages that cannot be indexed differ from the page store. Return the reasons."""
        # Pages removed earlier are removed here as well, so that a worker that has been hanging since then
        # cannot bring them back: the index remembers the sequences of removals.
        gone = (version for version in self.store.versions() if not version.served)
        self._remove(build, [Remove(ref=version.ref, sequence=version.sequence) for version in gone])
        before: dict[PageRef, int] = {}
        while True:
            found = self.attempt(build, lambda: self._compare(build))
            if rejected := sorted(ref for ref, _ in before.items() & found.sequences.items()):
                self._recover_rejected_writes(build, rejected)
                found = self.attempt(build, lambda: self._compare(build))
            self._remove(build, found.surplus)
            self._write(build, [*found.missing, *found.early])
            if found.finished:
                return {ref: _failure(build.outcomes.get(ref)) for ref in found.failed}
            before = found.sequences

    def held_if_whole(self, build: GenerationBuild, number: int) -> dict[PageRef, int] | None:
        """Return the sequences in a generation, or None if it is damaged or gone."""
        try:
            return self.held(build, number)
        except (IndexDamagedError, NotFoundError):
            return None

    def held(self, build: GenerationBuild, number: int) -> dict[PageRef, int]:
        """Return the sequences in a generation."""
        self.attempt(build, self.index.refresh)
        return self.attempt(build, lambda: dict(self.index.refs(number)))

    def attempt(self, build: GenerationBuild, step: Callable[[], T]) -> T:
        """Take a step, again after a failure that may pass, and renew the build's lease."""
        result = self.retry(step, build.lease.renew)
        build.lease.renew()
        return result

    def _compare(self, build: GenerationBuild) -> Difference:
        watermark = self.store.watermark()
        self.index.refresh()
        held = dict(self.index.refs(build.generation.number))
        return difference(self.store.versions(), held, watermark, build.failed())

    def _remove(self, build: GenerationBuild, removals: Sequence[Remove]) -> None:
        number = build.generation.number
        for some in chunks(removals):
            self.attempt(build, partial(self.index.write, number, some))
            for removal in some:
                build.settle(removal, Indexed())

    def _write(self, build: GenerationBuild, refs: Sequence[PageRef]) -> None:
        build.progress.expect(len(refs))

        def progress(batch: BatchProgress) -> None:
            build.lease.renew()
            build.progress.show_batch(batch)

        def attempt(step: Callable[[], T]) -> T:
            # Renews the lease after each step, because a batch of slow conversions may outlast the lease.
            return self.attempt(build, step)

        work = WorkControl(progress=progress, attempt=attempt)
        for start in range(0, len(refs), BATCH_PAGES):
            pages = self.store.read(refs[start : start + BATCH_PAGES])
            [outcomes] = self.writer.write(pages, [build.generation], work)
            for page, outcome in zip(pages, outcomes, strict=True):
                build.settle(page, outcome)
            build.progress.settle(len(pages))
            build.lease.renew()

    def _recover_rejected_writes(self, build: GenerationBuild, rejected: Sequence[PageRef]) -> None:
        """Renumber all pages, once, because written pages are missing from the generation.

        The generation may remember removals with higher sequences, from before a backup of the page store was
        restored. Raises ``IndexDamagedError`` if that was not the reason.
        """
        if not build.renumbered:
            build.renumbered = True
            self.store.renumber(self.store.watermark())
            return
        number, shown = build.generation.number, ", ".join(ref.id for ref in rejected[:SHOWN])
        raise IndexDamagedError(
            f"generation {number} loses what is written to it ({len(rejected)} pages: {shown}): "
            "check the index, then run `auskunft reindex` again"
        )


def _failure(outcome: Outcome | None) -> Failed:
    return outcome if isinstance(outcome, Failed) else POISONED
