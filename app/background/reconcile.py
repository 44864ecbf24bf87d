"""Compares sources, page store and index, repairs differences, and reports them.

Nothing should differ. Differences were caused outside Auskunft (a lost volume, a restored snapshot, a
person). Sources are compared with the page store by pulling them in full (:mod:`app.sources.pull`). The page
store is compared with the live generation while pages are being saved; the order of steps distinguishes real
differences from work in progress:

1. Take the build lease, so that no other generation goes live meanwhile, and nobody else reconciles.
2. Read the *watermark*: the last sequence given.
3. Read the page store's versions.
4. Refresh the generation, then read it.
5. Check the differing pages in the page store again.

Only pages *at rest* count: the page store records that the index has their newest version. A claim writes to
the index before that is recorded, so step 4 finds the version, or one that was saved since, which is above
the watermark. Step 5 detects pages claimed between 3 and 4. For the remaining differences the page store has
no explanation.

A page is made due again only if it is still at rest at that version (one transaction). A surplus page is
removed at the sequence that it has in the index or that its removal had. This is lower than all sequences
given after 2, so a page that comes back meanwhile wins, whichever is written first. Queued and failed pages
are left alone.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

import structlog

from app.errors import AuskunftError, NeedsAttentionError
from app.indexing.difference import difference
from app.indexing.generations import BuildLease, Generations, check_location
from app.pages.bulk import chunks
from app.pages.database import utc_now
from app.pages.reconciliations import Reconciliation, ReconciliationLog
from app.pages.store import PageStore
from app.pages.types import PageVersion
from app.search.index import SearchIndex, current_generation
from app.search.types import Generation, Remove
from app.sources.pull import Puller
from app.sources.pull_result import PullResult
from ingest.types import PageRef

Kind = Literal["missing", "outdated", "damaged", "surplus"]
KINDS: Final[dict[Kind, str]] = {
    "missing": "not in the index",
    "outdated": "in the index in an older version",
    "damaged": "in the index without vectors, or with damaged ones",
    "surplus": "in the index, but deleted, excluded or unknown",
}
"""Descriptions of the kinds of differences."""

MAX_REPAIRED_SHARE: Final = 0.2
EXAMPLES: Final = 10
SHOWN: Final = 3
RENEW_EVERY: Final = 1_000

log = structlog.get_logger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancies:
    """The differences between page store and index.

    * ``due``: kind -> pages to write again, with the version they should have
    * ``surplus``: removals
    * ``ahead``: pages that the generation has in versions that the page store has not given them
    * ``compared``: number of pages on either side
    """

    due: dict[Kind, dict[PageRef, int]]
    surplus: list[Remove] = field(default_factory=list)
    ahead: list[PageRef] = field(default_factory=list)
    compared: int = 0

    def refs(self) -> dict[Kind, list[PageRef]]:
        """Return the pages to repair, by kind, sorted; leave out kinds that do not occur."""
        found: dict[Kind, list[PageRef]] = {kind: sorted(some) for kind, some in self.due.items()}
        found["surplus"] = sorted(removal.ref for removal in self.surplus)
        return {kind: refs for kind, refs in found.items() if refs}


def find_discrepancies(
    versions: Iterable[PageVersion],
    held: Mapping[PageRef, int],
    watermark: int,
    without_vectors: Collection[PageRef],
) -> Discrepancies:
    """Compare the ``held`` versions of the live generation with the page store's ``versions``: pure
    planning."""
    settled = dict(held)
    resting: dict[PageRef, PageVersion] = {}
    for version in versions:
        if version.at_rest:
            resting[version.ref] = version
        else:
            settled.pop(version.ref, None)
    found = difference(resting.values(), settled, watermark, failed={})
    ahead = {
        ref
        for ref, sequence in settled.items()
        if ref in resting and resting[ref].sequence < sequence <= watermark
    }
    lacking = {ref: sequence for ref, sequence in found.missing.items() if ref not in ahead}
    served = {ref: version.sequence for ref, version in resting.items() if version.served}
    due: dict[Kind, dict[PageRef, int]] = {
        "missing": {ref: sequence for ref, sequence in lacking.items() if ref not in settled},
        "outdated": {ref: sequence for ref, sequence in lacking.items() if ref in settled},
        "damaged": {
            ref: served[ref] for ref in without_vectors if ref in served and served[ref] == settled.get(ref)
        },
    }
    return Discrepancies(
        due=due,
        surplus=[removal for removal in found.surplus if removal.ref not in ahead],
        ahead=sorted(ahead),
        compared=len(settled.keys() | served.keys()),
    )


@dataclass(kw_only=True, eq=False)
class Reconciler:
    """Reconciles one installation. ``pulled``: the sources that can be pulled. ``wake`` is called with the
    number of pages made due."""

    store: PageStore
    index: SearchIndex
    generations: Generations
    log: ReconciliationLog
    puller: Puller
    pulled: Collection[str]
    wake: Callable[[int], None]

    def run(
        self,
        source: str | None = None,
        *,
        dry_run: bool = False,
        confirmed: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> tuple[Reconciliation, list[PageRef]]:
        """Compare everything or one source, repair differences, and record the report.

        Return the report and the pages that are due now.

        ``dry_run``: only compare the index; change and record nothing. ``confirmed``: repair, however many
        pages differ. ``stop`` ends pulls early.

        Raises ``ConflictError`` while an index is built or another process reconciles, and what page store
        and index raise; ``NeedsAttentionError`` if too many pages differ, but sources are pulled even then.
        """
        report = Reconciliation(started_at=utc_now())
        due: list[PageRef] = []
        stopped: NeedsAttentionError | None = None
        try:
            due = self._compare(report, source, dry_run=dry_run, confirmed=confirmed)
        except NeedsAttentionError as error:
            report.problem, stopped = str(error), error
        report.finished_at = utc_now()
        if dry_run:
            return report, due
        number = self.log.add(report)  # before pulls, which may outlast this process
        due += self._pull(report, source, stop)
        report.finished_at = utc_now()
        self.log.amend(number, report)
        if stopped is not None:
            raise stopped
        return report, due

    def _compare(
        self, report: Reconciliation, source: str | None, *, dry_run: bool, confirmed: bool
    ) -> list[PageRef]:
        """Compare and repair the index; return the pages that were made due."""
        with self.generations.lease() as lease:
            check_location(self.store, self.generations.location)
            live = current_generation(self.index, self.store.id)
            report.generation = live.number
            findings = self._find(live, source, lease)
            _describe(report, findings)
            if dry_run:
                report.problem = _obstacle(report, findings)
                return []
            if obstacle := _obstacle(report, findings, confirmed=confirmed):
                raise NeedsAttentionError(obstacle)
            report.problem = self._lost_again(report)
            return self._repair(report, findings, live, lease)

    def _find(self, live: Generation, source: str | None, lease: BuildLease) -> Discrepancies:
        def chosen(ref: PageRef) -> bool:
            return source in (None, ref.source)

        watermark = self.store.watermark()
        versions = [item for item in _renewing(self.store.versions(), lease) if chosen(item.ref)]
        self.index.refresh()
        listed = _renewing(self.index.refs(live.number), lease)
        held = {ref: sequence for ref, sequence in listed if chosen(ref)}
        bare = [ref for ref in self.index.without_vectors(live.number) if chosen(ref)]
        found = find_discrepancies(versions, held, watermark, bare)
        last = self.store.watermark()
        beyond = [ref for ref, sequence in held.items() if sequence > last]
        return Discrepancies(
            due={kind: self._still(some) for kind, some in found.due.items()},
            surplus=found.surplus,
            ahead=sorted({*found.ahead, *beyond}),
            compared=found.compared,
        )

    def _still(self, sequences: Mapping[PageRef, int]) -> dict[PageRef, int]:
        """Leave out pages that were saved or claimed since their versions were read."""
        at_rest = self.log.still_at_rest(sequences)
        return {ref: sequence for ref, sequence in sequences.items() if ref in at_rest}

    def _repair(
        self, report: Reconciliation, findings: Discrepancies, live: Generation, lease: BuildLease
    ) -> list[PageRef]:
        for some in chunks(findings.surplus):
            lease.renew()
            self.index.write(live.number, some)
        lease.renew()
        due = self.log.requeue({ref: n for some in findings.due.values() for ref, n in some.items()})
        if due:
            self.wake(len(due))
        report.repaired = True
        if report.counts:
            log.warning("index_repaired", generation=live.number, **report.counts)
        return due

    def _lost_again(self, report: Reconciliation) -> str:
        """Describe pages that the last reconciliation repaired and that differ again; empty if none do."""
        last = self.log.last()
        if last is None or not last.repaired or last.generation != report.generation:
            return ""
        known = {ref for refs in last.examples.values() for ref in refs}
        again = [ref for refs in report.examples.values() for ref in refs if ref in known]
        if not again:
            return ""
        return (
            f"pages that the last reconciliation repaired differ again ({', '.join(again[:SHOWN])}): "
            f"generation {report.generation} loses what is written to it: run `auskunft reindex`"
        )

    def _pull(self, report: Reconciliation, source: str | None, stop: Callable[[], bool]) -> list[PageRef]:
        due: list[PageRef] = []
        for name in self.pulled:
            if source not in (None, name):
                continue
            try:
                pulled = self.puller.pull(name, stop=stop)
            except AuskunftError as error:
                report.sources[name] = str(error)
            else:
                report.sources[name] = _summary(pulled)
                due += [*pulled.changed, *pulled.deleted]
        return due


def _describe(report: Reconciliation, findings: Discrepancies) -> None:
    found = findings.refs()
    report.pages = findings.compared
    report.counts = {kind: len(refs) for kind, refs in found.items()}
    report.examples = {
        kind: [f"{ref.source}/{ref.id} ({ref.language})" for ref in refs[:EXAMPLES]]
        for kind, refs in found.items()
    }


def _obstacle(report: Reconciliation, findings: Discrepancies, *, confirmed: bool = False) -> str:
    """Return why nothing may be repaired; empty if repairing is allowed."""
    if findings.ahead:
        shown = ", ".join(ref.id for ref in findings.ahead[:SHOWN])
        return (
            f"needs attention: generation {report.generation} has versions of {len(findings.ahead)} pages "
            f"({shown}) that this page store did not assign; was it restored from a backup? Nothing was "
            "changed: run `auskunft reindex`"
        )
    # Pages with damaged vectors do not count, because embedding a page again takes nothing away.
    counts = {kind: count for kind, count in report.counts.items() if kind != "damaged"}
    differing = sum(counts.values())
    if differing <= MAX_REPAIRED_SHARE * report.pages or confirmed:
        return ""
    counted = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return (
        f"needs attention: {differing} of {report.pages} pages differ between page store and index "
        f"({counted}), so nothing was changed: run `auskunft reindex`, or `auskunft reconcile --confirm` "
        "to repair the index in place"
    )


def _renewing(items: Iterable[T], lease: BuildLease) -> Iterator[T]:
    for number, item in enumerate(items):
        if number % RENEW_EVERY == 0:
            lease.renew()
        yield item


def _summary(pulled: PullResult) -> str:
    parts = [f"{pulled.listed} listed, {len(pulled.changed)} changed, {len(pulled.deleted)} deleted"]
    return ", ".join([*parts, pulled.problem()] if pulled.problem() else parts)
