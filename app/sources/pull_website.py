"""Pulls a website: accepts changed pages while crawling it, and deletes pages that vanished.

A page is deleted when two crawls in a row found nothing at its address, or at once if it moved to another
address of the site and was found there. Unreachable pages do not count as missing. If too many are missing
(:mod:`app.sources.deletion_guard`), nothing is deleted until a person confirms it. Pages that look broken
are held back until all pages have been seen: if the website broke (:mod:`app.sources.breakage`), none of them
is stored.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.errors import HaltReason, SourceUnavailableError
from app.pages.crawl_notes import Look, Note
from app.pages.pulls import ListedPage
from app.sources.breakage import FEW_PAGES, look_of
from app.sources.deletion_guard import DeletionGuard
from app.sources.halts import halted
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from app.sources.source_pull import Progress, PullContext, WatchedPull
from ingest.fetching.validators import Validators
from ingest.protocols import WebsiteCrawl, WebsiteSource
from ingest.types import UNDETERMINED, Delete, PageRef, RawPage
from ingest.website.addresses import origin_of
from ingest.website.visits import Absent, Begun, Broken, Found, Same, Step, Unreachable, Visit

ACCEPT_PAGES: Final = 20


class WebsitePull(WatchedPull[WebsiteSource]):
    """One pull of a website, or the rest of a stopped one."""

    def __init__(self, context: PullContext, source: WebsiteSource, guard: DeletionGuard) -> None:
        super().__init__(context, source, guard)
        self._validators: dict[str, Validators] = {}
        self._known: dict[str, list[PageRef]] = {}
        self._origins: set[str] = set()
        self._targets: Counter[str] = Counter()
        self._absent: list[Absent] = []
        self._present: set[str] = set()
        self._faults = 0
        self._is_listed = False
        self._stored: set[str] = set()

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """Pull as described in :meth:`app.sources.pull.Puller.pull`."""
        trail, notes = self._noted()
        new = {note.step.address for note in notes if not note.is_known}
        stored = [ref for ref in self._store.refs(self._name) if ref.id not in new]
        self._stored, self._is_listed = {ref.id for ref in stored}, trail.listed is not None
        self._know(stored)
        for note in notes:
            self._repeat(note, self._item(note.step.address))
        validators = {item.id: known for item, known in self._pulls.validators(self._name).items()}
        known = {ref.id: validators.get(ref.id, Validators()) for ref in stored}
        crawl = self._source.crawl(known, replace(trail, fatal=self._fatal))
        self._crawl(crawl, progress, stop)
        if not self.result.left:
            self._remember_validators()
            self._delete(stored)
        self._finish(crawl)

    def _crawl(self, crawl: WebsiteCrawl, progress: Progress, stop: Callable[[], bool]) -> None:
        """Process the result of each address; keep the results whatever ends the crawl."""
        with self._keeping(lambda: self._save(crawl)):
            for visit in crawl.visits():
                if visit is None or isinstance(visit, Begun):
                    self._pulls.renew(self._name, self._worker, begun=visit.address if visit else "")
                    continue
                self._done += 1
                self._take(visit, crawl.step)
                if len(self._unsaved) >= ACCEPT_PAGES:
                    self._save(crawl)
                progress(self._done, self._done + crawl.pending)
                # Not before the sitemaps have been read: their contents are only stored as a whole.
                if stop() and crawl.pending and crawl.listing.listed is not None:
                    self.result.left = crawl.pending
                    break

    def _know(self, stored: list[PageRef]) -> None:
        """Watch for breakage, unless everything is to be taken over."""
        if self._guard.takes_over:
            return
        known = defaultdict[str, list[PageRef]](list)
        for ref in stored:
            known[ref.id].append(ref)
        self._known = dict(known)
        self._watch_over(len(known))
        self._origins = set(map(origin_of, known))

    def _repeat(self, note: Note, item: PageRef) -> None:
        super()._repeat(note, item)
        step = note.step
        if step.absent is not None:
            self._absent.append(step.absent)
            self._targets[step.absent.moved_to] += note.is_known and not step.absent.is_gone
        elif note.failure is None and not note.waits_for:
            self._present.add(step.address)
        if note.page is None and note.validators is not None:
            self._validators[step.address] = note.validators

    def _take(self, visit: Visit, step: Step) -> None:
        """Process the result of one address. Raises ``SourceUnavailableError`` after several unreachable ones
        in a row, and ``HaltedError`` if the website moved to another one."""
        self._faults = self._faults + 1 if isinstance(visit, Unreachable) else 0
        is_watched = visit.address in self._known
        note = Note(step=step, is_known=visit.address in self._stored)
        self._unsaved[visit.address] = note
        match visit:
            case Found():
                self._present.add(visit.address)
                self._find(visit, note)
            case Same():
                self._present.add(visit.address)
                note.look = Look()
                self.result.unchanged += 1
            case Absent():
                self._absent.append(visit)
                note.look = self._missed(visit) if is_watched else None
            case Broken():
                note.look = Look(lost="gone") if is_watched else None
                self._fail(self._item(visit.address), note, visit.error)
            case Unreachable():
                self._miss(self._item(visit.address), note, visit.error)
                if self._faults == MAX_FAULTS_IN_A_ROW:
                    raise SourceUnavailableError(
                        f"{MAX_FAULTS_IN_A_ROW} pages in a row could not be fetched: {visit.error}"
                    )
        if note.look is not None and not isinstance(visit, Found):
            self._watch.note(note.look)

    def _find(self, found: Found, note: Note) -> None:
        """Store a page with the next batch, or once the website is known to be well."""
        origin = origin_of(found.address)
        if self._origins and origin not in self._origins:
            raise halted(self._name, [HaltReason(code="moved", text=origin)])
        note.page, note.validators = found.page, found.validators
        note.look = look_of(found.page, self._before(found.address))
        self._pass(note)

    def _before(self, address: str) -> list[RawPage]:
        """Load the stored page, in each of its languages."""
        refs = self._known.get(address)
        return [each.page for each in self._store.read(refs) if each.page is not None] if refs else []

    def _missed(self, absent: Absent) -> Look:
        """Return the look of a known page that is missing: lost, unless it was deleted, moved to an address
        of its own, or a person confirmed deletions."""
        if absent.is_gone:
            return Look(is_deleted=True)
        self._targets[absent.moved_to] += 1
        is_well = self._is_moved(absent) or (absent.certain and self._guard.confirmed)
        return Look() if is_well else Look(lost="gone")

    def _is_moved(self, absent: Absent) -> bool:
        return bool(absent.moved_to) and self._targets[absent.moved_to] < FEW_PAGES

    def _save(self, crawl: WebsiteCrawl) -> None:
        """Store fetched pages and notes of visits."""
        self._accept()
        if self._unsaved:
            listing = None if self._is_listed else replace(crawl.listing, steps=())
            self._is_listed = True
            self._keep_notes(crawl.pending, listing)

    def _store_pages(self, batch: Sequence[tuple[Note, RawPage]]) -> None:
        news = 0
        sent = {page.ref for _, page in batch}
        for result in self._store.accept_documents(self._name, [page for _, page in batch]):
            if result.status == "accepted":
                (self.result.changed if result.ref in sent else self.result.deleted).append(result.ref)
                news += 1
            else:
                self.result.unchanged += 1
        for note, _ in batch:
            if note.validators is not None:
                self._validators[note.step.address] = note.validators
        if news:
            self._wake(news)

    def _remember_validators(self) -> None:
        """Store the validators of pages, only at the end of a pull: an unchanged page comes without its
        links, so links not followed yet would otherwise never be followed."""
        known = {self._item(address): each for address, each in self._validators.items()}
        self._pulls.remember_validators(known)

    def _delete(self, stored: list[PageRef]) -> None:
        """Count the absences of stored pages, and delete pages that moved or vanished."""
        absent = {visit.address: visit for visit in self._absent if visit.certain}
        seen = self._pulls.listed_pages(self._name)
        missing = [
            replace(page, absences=page.absences + 1)
            for page in (seen.get(ref, ListedPage(ref=ref)) for ref in stored if ref.id in absent)
        ]
        back = [p for p in seen.values() if p.ref.id in self._present and p.absences]
        self._pulls.save_listed([*missing, *(replace(page, absences=0) for page in back)])
        moved = {address for address, visit in absent.items() if visit.moved_to in self._present}
        lost = [p for p in missing if p.ref.id not in moved or not self._is_moved(absent[p.ref.id])]
        self._check_deletions(len(lost), len(stored))
        self._check()
        least = self._guard.least_absences
        gone = [p.ref for p in missing if p.ref.id in moved or p.absences >= least]
        deletes = [Delete(source=ref.source, id=ref.id, language=ref.language) for ref in gone]
        accepted = self._store.accept(deletes)
        self.result.deleted += [result.ref for result in accepted if result.status == "accepted"]
        self.result.absent = len(missing) - len(gone)
        self._pulls.save_listed(ListedPage(ref=ref) for ref in gone)
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
