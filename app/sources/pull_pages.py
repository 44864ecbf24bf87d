"""Pulls single pages by their listing: fetches changed pages, deletes those that two listings in a row
lack."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from app.errors import NotThereYetError, PageError, SourceUnavailableError
from app.pages.crawl_notes import Note, address_of
from app.pages.pulls import ListedPage
from app.sources.breakage import look_of
from app.sources.deletion_guard import DeletionGuard
from app.sources.fetch import fetch_listed, is_older
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from app.sources.source_pull import Progress, PullContext, WatchedPull
from ingest.protocols import ListedSource
from ingest.types import Delete, ListingItem, PageRef, RawPage, Save
from ingest.website.visits import Step, Trail

ACCEPT_PAGES: Final = 20
OVERLAP: Final = timedelta(minutes=1)
"""Updates this long before the last pull are listed again, because the clock of a CMS may be coarse."""


class PagePull(WatchedPull[ListedSource]):
    """One pull of single pages: of all if ``full`` or if it resumes a full one, otherwise of updated ones.

    ``_seen``: the pages that earlier pulls fetched or missed; ``_watermark``: the page store's sequence
    before the current batch was fetched; ``_faults``: how many pages in a row could not be fetched.
    """

    def __init__(
        self,
        context: PullContext,
        source: ListedSource,
        guard: DeletionGuard,
        *,
        full: bool,
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(context, source, guard)
        self.is_full = full
        self._clock = clock
        self._seen: dict[PageRef, ListedPage] = {}
        self._watermark = 0
        self._faults = 0

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """Pull as described in :meth:`app.sources.pull.Puller.pull`."""
        known = self._store.refs(self._name)  # before the listing, which may lack pages that come later
        trail, noted = self._noted()
        goes_on = trail.listed is not None
        self.is_full = self.is_full or goes_on
        since = None if self.is_full else self._pulls.by_source()[self._name].updated_after
        listed = self._source.listing(None if since is None else since - OVERLAP)
        self._pulls.renew(self._name, self._worker)
        self._seen = self._pulls.listed_pages(self._name)
        absent = self._note_absences(known, listed, is_first=not goes_on) if since is None else []
        self._check_deletions(len(absent), len(known))
        notes = {note.item.ref: note for note in noted if note.item is not None}
        stored = {ref for ref in known if ref not in notes or notes[ref].is_known}
        if not self._guard.takes_over:
            self._watch_over(len(stored))
        self._fetch_changed(listed, stored, notes, progress, stop)
        self._check()
        if not self.result.left:
            self._delete(absent)
        self._finish(listed, is_complete=since is None)

    def _note_absences(
        self, known: Sequence[PageRef], listed: Sequence[ListingItem], *, is_first: bool
    ) -> list[ListedPage]:
        """Count an absence for known pages that the listing lacks, once in a pull; reset the absences of
        pages that it has."""
        present = {item.ref for item in listed}
        missing = [self._of(ref) for ref in known if ref not in present]
        absent = [replace(page, absences=page.absences + is_first) for page in missing]
        back = [page for ref, page in self._seen.items() if ref in present and page.absences]
        self._remember([*absent, *(replace(page, absences=0) for page in back)])
        return absent

    def _fetch_changed(
        self,
        listed: Sequence[ListingItem],
        stored: Collection[PageRef],
        notes: Mapping[PageRef, Note],
        progress: Progress,
        stop: Callable[[], bool],
    ) -> None:
        """Fetch and accept changed pages, except those with up-to-date ``notes`` of this pull. Raises
        ``SourceUnavailableError`` if several pages in a row could not be fetched."""
        noted = {item.ref for item in listed if item.ref in notes and self._holds(notes[item.ref], item)}
        for item in listed:
            if item.ref in noted:
                self._repeat(notes[item.ref], item.ref)
        changed = [item for item in listed if item.ref not in noted and is_changed(item, self._of(item.ref))]
        self.result.listed = len(listed)
        self.result.unchanged = len(listed) - len(changed) - len(noted)
        looked_at = noted.union(item.ref for item in changed)
        self._watch.unchanged(sum(ref not in looked_at for ref in stored))
        self._watermark = self._store.watermark()
        left = len(changed)
        with self._keeping(lambda: self._save(left)):
            for item in changed:
                if stop():
                    self.result.left = left
                    break
                self._visit(item, is_known=item.ref in stored)
                left -= 1
                if len(self._unsaved) >= ACCEPT_PAGES:
                    self._save(left)
                progress(self._done, self._done + left)

    def _holds(self, note: Note, item: ListingItem) -> bool:
        """Return True if a note is still valid: the page's entry in the listing is the same, and if the note
        holds the page, no newer version was stored since."""
        held = [] if note.page is None else self._store.read([item.ref])
        return note.item == item and all(stored.sequence <= note.watermark for stored in held)

    def _visit(self, item: ListingItem, *, is_known: bool) -> None:
        """Fetch a page and note the result. Raises ``SourceUnavailableError`` after several in a row that
        cannot be fetched."""
        step = Step(address=address_of(item.ref))
        note = Note(step=step, item=item, watermark=self._watermark, is_known=is_known)
        try:
            note.page = self._fetch(item)
        except PageError as error:
            self._fail(item.ref, note, error)
        except SourceUnavailableError as error:
            self._miss(item.ref, note, error)
            self._faults += not isinstance(error, NotThereYetError)
            if self._faults == MAX_FAULTS_IN_A_ROW:
                raise
        else:
            self._faults = 0
            note.look = look_of(note.page, self._before(item))
            self._pass(note)
        self._done += 1
        self._unsaved.setdefault(note.step.address, note)

    def _before(self, item: ListingItem) -> list[RawPage]:
        """Load the stored page; empty if everything is to be taken over."""
        if self._guard.takes_over:
            return []
        return [each.page for each in self._store.read([item.ref]) if each.page is not None]

    def _fetch(self, item: ListingItem) -> RawPage:
        now, seen = self._clock(), self._of(item.ref)
        try:
            with self._reading(item.ref):
                page = fetch_listed(self._source, item, announced=seen.awaited_since or now, now=now)
        except NotThereYetError:
            self._remember([replace(seen, awaited_since=seen.awaited_since or now)])
            raise
        if page is None:
            raise PageError("invalid", "listed, but there is no page at its address")
        return page

    def _save(self, left: int) -> None:
        """Store fetched pages and notes of visits; the notes of a full pull record that it is full."""
        self._accept()
        self._keep_notes(left, Trail(listed=()) if self.is_full else None)

    def _store_pages(self, batch: Sequence[tuple[Note, RawPage]]) -> None:
        for watermark, notes in groupby(batch, lambda each: each[0].watermark):
            self._store_fetched([(note.item, page) for note, page in notes if note.item], watermark)
        if batch:
            self._wake(len(batch))
        self._watermark = self._store.watermark()

    def _store_fetched(self, fetched: Sequence[tuple[ListingItem, RawPage]], watermark: int) -> None:
        """Store pages that were fetched after this ``watermark``, except those that came in otherwise
        since."""
        changes = [Save(page=page, republish=self._of(item.ref).vanished) for item, page in fetched]
        taken = set[PageRef]()
        for result in self._store.accept(changes, fetched_after=watermark):
            taken.add(result.ref)
            if result.status == "accepted":
                self.result.changed.append(result.ref)
            else:
                self.result.unchanged += 1
            if result.warning:
                self.result.warnings.append(f"{result.ref.id}: {result.warning}")
        self._remember(
            ListedPage(ref=item.ref, taken=True, revision=item.revision, updated=item.updated)
            for item, page in fetched
            if page.ref in taken and not is_older(page, item)
        )

    def _delete(self, absent: Sequence[ListedPage]) -> None:
        """Delete the pages that enough complete listings lack, unless they were deleted meanwhile."""
        pages = {page.ref: page for page in absent if page.absences >= self._guard.least_absences}
        deletes = [Delete(source=ref.source, id=ref.id, language=ref.language) for ref in pages]
        accepted = self._store.accept(deletes)
        self.result.deleted = [result.ref for result in accepted if result.status == "accepted"]
        self.result.absent = len(absent) - len(pages)
        gone = set(self.result.deleted)
        self._remember(ListedPage(ref=ref, vanished=ref in gone) for ref in pages)
        if gone:
            self._wake(len(gone))

    def _finish(self, listed: Sequence[ListingItem], *, is_complete: bool) -> None:
        self._set_failures()
        self._end(is_complete=is_complete, updated_after=_newest(listed, self._clock()))

    def _remember(self, pages: Iterable[ListedPage]) -> None:
        news = {page.ref: page for page in pages}
        self._pulls.save_listed(news.values())
        self._seen |= news

    def _of(self, ref: PageRef) -> ListedPage:
        return self._seen.get(ref, ListedPage(ref=ref))


def is_changed(item: ListingItem, seen: ListedPage) -> bool:
    """Return True if a listed page has to be fetched: it never was, it changed since, or its listing does not
    say."""
    if not seen.taken or (item.revision is None and item.updated is None):
        return True
    return (item.revision, item.updated) != (seen.revision, seen.updated)


def _newest(listed: Sequence[ListingItem], now: datetime) -> datetime | None:
    """Return the time of the newest update, but at most now, because some pages are dated in advance."""
    moments = [item.updated for item in listed if item.updated is not None]
    return min(max(moments), now) if moments else None
