"""Pulls a website: accepts what changed while it is crawled, and deletes what vanished.

A page is deleted when two crawls in a row found nothing at its address, or at once where it moved to another
address of the site and was found there. What could not be reached says nothing. If too many are missing
(:mod:`app.sources.deletion_guard`), nothing is deleted until a person confirms it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.errors import ConflictError, NeedsAttentionError, SourceUnavailableError
from app.pages.pulls import ListedPage
from app.sources.deletion_guard import DeletionGuard
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from app.sources.source_pull import Progress, PullContext, SourcePull
from ingest.fetching.validators import Validators
from ingest.protocols import WebsiteCrawl, WebsiteSource
from ingest.types import UNDETERMINED, Delete, PageRef
from ingest.website.visits import Absent, Broken, Found, Same, Unreachable, Visit

ACCEPT_PAGES: Final = 20
ABSENCES_TO_DELETE: Final = 2


class WebsitePull(SourcePull[WebsiteSource]):
    """One pull of a website."""

    def __init__(self, context: PullContext, source: WebsiteSource, guard: DeletionGuard) -> None:
        super().__init__(context, source, guard)
        self._batch: list[Found] = []
        self._validators: dict[str, Validators] = {}
        self._absent: list[Absent] = []
        self._present: set[str] = set()
        self._faults = 0

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """See :meth:`app.sources.pull.Puller.pull`."""
        stored = self._store.refs(self._name)
        validators = {item.id: known for item, known in self._pulls.validators(self._name).items()}
        known = {ref.id: validators.get(ref.id, Validators()) for ref in stored}
        crawl = self._source.crawl(known)
        done = 0
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
        except ConflictError:  # what another, which took over, has found is newer
            self._batch = []
            raise
        finally:  # whatever else ends the crawl, what it found before is kept
            self._accept()
        if not self.result.left:
            self._remember_validators()
        self._delete(stored)
        self._finish(crawl)

    def _take(self, visit: Visit) -> None:
        """Take in what came of one address. Raises ``SourceUnavailableError`` after several in a row."""
        self._faults = self._faults + 1 if isinstance(visit, Unreachable) else 0
        match visit:
            case Found():
                self._present.add(visit.address)
                self._batch.append(visit)
            case Same():
                self._present.add(visit.address)
                self.result.unchanged += 1
            case Absent():
                self._absent.append(visit)
            case Broken():
                self.result.failures[self._item(visit.address)] = visit.error
            case Unreachable():
                self.result.waiting[self._item(visit.address)] = str(visit.error)
                if self._faults == MAX_FAULTS_IN_A_ROW:
                    raise SourceUnavailableError(
                        f"{MAX_FAULTS_IN_A_ROW} pages in a row cannot be fetched: {visit.error}"
                    )
        if len(self._batch) == ACCEPT_PAGES:
            self._accept()

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
        if why := self._guard.refusal(len(missing), len(stored), of=f"source {self._name!r}"):
            raise NeedsAttentionError(why)
        moved = {address for address, visit in absent.items() if visit.moved_to in self._present}
        gone = [p.ref for p in missing if p.ref.id in moved or p.absences >= ABSENCES_TO_DELETE]
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
