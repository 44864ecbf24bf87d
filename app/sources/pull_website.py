"""Pulls a website: accepts what changed while it is crawled, and deletes what vanished.

A page is deleted when two crawls in a row found nothing at its address, or at once where it moved to another
address of the site and was found there. What could not be reached says nothing. If too many are missing
(:mod:`app.sources.deletion_guard`), nothing is deleted until a person confirms it. Pages that look broken
wait until all were seen: if the website broke (:mod:`app.sources.breakage`), none of them is stored.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.errors import ConflictError, HaltReason, SourceUnavailableError
from app.pages.pulls import ListedPage
from app.sources.breakage import FEW_PAGES, BreakageWatch, Quarantine
from app.sources.deletion_guard import DeletionGuard
from app.sources.halts import halted
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from app.sources.source_pull import Progress, PullContext, SourcePull
from ingest.fetching.validators import Validators
from ingest.protocols import WebsiteCrawl, WebsiteSource
from ingest.types import UNDETERMINED, Delete, PageRef, RawPage
from ingest.website.addresses import origin_of
from ingest.website.visits import Absent, Broken, Found, Same, Unreachable, Visit

ACCEPT_PAGES: Final = 20


class WebsitePull(SourcePull[WebsiteSource]):
    """One pull of a website."""

    def __init__(self, context: PullContext, source: WebsiteSource, guard: DeletionGuard) -> None:
        super().__init__(context, source, guard)
        self._batch: list[Found] = []
        self._validators: dict[str, Validators] = {}
        self._known: dict[str, list[PageRef]] = {}
        self._origins: set[str] = set()
        self._targets: Counter[str] = Counter()
        self._watch = BreakageWatch(known=0)
        self._quarantine = Quarantine[Found](self._watch)
        self._absent: list[Absent] = []
        self._present: set[str] = set()
        self._faults = 0

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """See :meth:`app.sources.pull.Puller.pull`."""
        stored = self._store.refs(self._name)
        self._know(stored)
        validators = {item.id: known for item, known in self._pulls.validators(self._name).items()}
        known = {ref.id: validators.get(ref.id, Validators()) for ref in stored}
        crawl = self._source.crawl(known)
        done = 0
        is_interrupted = True
        try:
            for visit in crawl.visits():
                self._renew()
                if stop():
                    self.result.left = crawl.pending + 1
                    break
                if visit is not None:
                    done += 1
                    self._take(visit)
                    progress(done, done + crawl.pending)
            is_interrupted = self.result.left > 0
        except ConflictError:  # what another, which took over, has found is newer
            self._batch = []
            self._quarantine = Quarantine(self._watch)
            raise
        finally:  # whatever else ends the crawl, what it found before is kept
            self._batch += self._quarantine.released(is_interrupted=is_interrupted)
            self._accept()
        if not self.result.left:
            self._remember_validators()
        self._delete(stored)
        self._finish(crawl)

    def _know(self, stored: list[PageRef]) -> None:
        """Look out for breakage, unless everything is to be taken over."""
        if self._guard.takes_over:
            return
        known = defaultdict[str, list[PageRef]](list)
        for ref in stored:
            known[ref.id].append(ref)
        self._known, self._watch = dict(known), BreakageWatch(known=len(known))
        self._quarantine = Quarantine(self._watch)
        self._origins = set(map(origin_of, known))

    def _take(self, visit: Visit) -> None:
        """Take in what came of one address. Raises ``SourceUnavailableError`` after several in a row, and
        ``HaltedError`` where the website moved to another one."""
        self._faults = self._faults + 1 if isinstance(visit, Unreachable) else 0
        match visit:
            case Found():
                self._present.add(visit.address)
                self._find(visit)
            case Same():
                self._present.add(visit.address)
                self._watch.unchanged()
                self.result.unchanged += 1
            case Absent():
                self._absent.append(visit)
                self._miss(visit)
            case Broken():
                if visit.address in self._known:
                    self._watch.gone()
                self.result.failures[self._item(visit.address)] = visit.error
            case Unreachable():
                self.result.waiting[self._item(visit.address)] = str(visit.error)
                if self._faults == MAX_FAULTS_IN_A_ROW:
                    raise SourceUnavailableError(
                        f"{MAX_FAULTS_IN_A_ROW} pages in a row cannot be fetched: {visit.error}"
                    )
        if len(self._batch) >= ACCEPT_PAGES:
            self._accept()

    def _find(self, found: Found) -> None:
        """Store a page with the next batch, or once the website is known to be well."""
        origin = origin_of(found.address)
        if self._origins and origin not in self._origins:
            raise halted(self._name, [HaltReason(code="moved", text=origin)])
        self._batch += self._quarantine.passed(found, self._before(found.address), found.page)

    def _before(self, address: str) -> list[RawPage]:
        """The page as it is stored, in each of its languages."""
        refs = self._known.get(address)
        return [each.page for each in self._store.read(refs) if each.page is not None] if refs else []

    def _miss(self, absent: Absent) -> None:
        """Note that a known page is not there, unless it was deleted, moved to an address of its own, or a
        person confirmed that it is gone."""
        if absent.address not in self._known:
            return
        if absent.is_gone:
            self._watch.deleted()
            return
        self._targets[absent.moved_to] += 1
        if self._is_moved(absent) or (absent.certain and self._guard.confirmed):
            self._watch.unchanged()
        else:
            self._watch.gone()

    def _is_moved(self, absent: Absent) -> bool:
        return bool(absent.moved_to) and self._targets[absent.moved_to] < FEW_PAGES

    def _accept(self) -> None:
        """Store what was fetched."""
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        news = 0
        sent = {found.page.ref for found in batch}
        for result in self._store.accept_documents(self._name, [found.page for found in batch]):
            if result.status == "accepted":
                (self.result.changed if result.ref in sent else self.result.deleted).append(result.ref)
                news += 1
            else:
                self.result.unchanged += 1
        self._validators |= {found.address: found.validators for found in batch}
        if news:
            self._wake(news)

    def _remember_validators(self) -> None:
        """Remember by what pages are known to be unchanged: at the end alone, for what is unchanged comes
        without its links, so that those which were not followed yet would never be."""
        for address, validators in self._validators.items():
            self._pulls.remember_validators(self._item(address), validators)

    def _delete(self, stored: list[PageRef]) -> None:
        """Count the absences of pages that are stored, and delete those that moved or vanished."""
        absent = {visit.address: visit for visit in self._absent if visit.certain}
        seen = self._pulls.seen(self._name)
        missing = [
            replace(page, absences=page.absences + 1)
            for page in (seen.get(ref, ListedPage(ref=ref)) for ref in stored if ref.id in absent)
        ]
        back = [p for p in seen.values() if p.ref.id in self._present and p.absences]
        self._pulls.remember([*missing, *(replace(page, absences=0) for page in back)])
        moved = {address for address, visit in absent.items() if visit.moved_to in self._present}
        lost = [p for p in missing if p.ref.id not in moved or not self._is_moved(absent[p.ref.id])]
        self._check_deletions(len(lost), len(stored))
        self._check(self._watch)
        least = self._guard.least_absences
        gone = [p.ref for p in missing if p.ref.id in moved or p.absences >= least]
        deletes = [Delete(source=ref.source, id=ref.id, language=ref.language) for ref in gone]
        accepted = self._store.accept(deletes)
        self.result.deleted += [result.ref for result in accepted if result.status == "accepted"]
        self.result.absent = len(missing) - len(gone)
        self._pulls.remember(ListedPage(ref=ref) for ref in gone)
        if gone:
            self._wake(len(gone))

    def _finish(self, crawl: WebsiteCrawl) -> None:
        result = self.result
        result.listed = len(self._present)
        for why, count in crawl.reasons.most_common():
            result.warnings.append(f"{count} without a page: {why}")
        if crawl.left_out:
            result.warnings.append(
                f"{crawl.left_out} addresses left out: too many, or too far from the start"
            )
        failures = {ref.id: error for ref, error in result.failures.items()}
        self._store.set_rejected(self._name, failures)
        self._end(is_complete=not result.problem())

    def _item(self, address: str) -> PageRef:
        return PageRef(source=self._name, id=address, language=UNDETERMINED)
