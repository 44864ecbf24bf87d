"""Pulls a source: fetches and accepts what changed by its listing, and deletes what the listing lacks.

A pull never empties a source. An incomplete listing counts for nothing. A page is deleted when two complete
listings in a row lack it; if too many are missing (:mod:`app.sources.deletion_guard`), nothing is done until
a person confirms it. The next pull completes an interrupted one: only accepted pages are remembered as
fetched.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.errors import AuskunftError, HaltedError, NotThereYetError, PageError, SourceUnavailableError
from app.pages.database import utc_now
from app.pages.pulls import BROKE, ListedPage, Pull, PullLog
from app.pages.store import PageStore
from app.settings.sources import SourceSettings
from app.sources.breakage import BreakageWatch, Quarantine, look_of
from app.sources.deletion_guard import DeletionGuard
from app.sources.factory import is_full_pull, next_pull
from app.sources.fetch import fetch_listed, is_older
from app.sources.pull_documents import DocumentPull
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW, PullResult
from app.sources.pull_website import WebsitePull
from app.sources.source_pull import Progress, PullContext, SourcePull
from ingest.page_guard import described, guarded
from ingest.protocols import DocumentSource, ListedSource, WebsiteSource
from ingest.types import Delete, ListingItem, PageRef, RawPage, Save

ACCEPT_PAGES: Final = 20
OVERLAP: Final = timedelta(minutes=1)
"""Updates of this time before the last pull are listed again: the clock of a CMS may be coarse."""

log = structlog.get_logger(__name__)

PulledSource = ListedSource | DocumentSource | WebsiteSource


@dataclass(kw_only=True, eq=False)
class Puller:
    """Pulls the sources of ``settings_by_source`` into one page store, one pull of a source at a time.

    ``wake`` is called with the number of pages that were just accepted.
    """

    store: PageStore
    pulls: PullLog
    worker: str
    settings_by_source: Mapping[str, SourceSettings]
    source_of: Callable[[str], PulledSource]
    wake: Callable[[int], None]
    clock: Callable[[], datetime] = utc_now

    def due(self) -> list[str]:
        """Return the sources whose scheduled pull is due."""
        now, pulls = self.clock(), self.pulls.by_source()
        return [
            name for name, table in self.settings_by_source.items() if _is_due(table, pulls.get(name), now)
        ]

    def pull_scheduled(self, name: str, stop: Callable[[], bool] = lambda: False) -> PullResult:
        """Pull a source that is due, in full or only what was updated. Raises as :meth:`pull` does."""
        full = is_full_pull(self.settings_by_source[name], self.pulls.by_source().get(name), self.clock())
        return self.pull(name, full=full, stop=stop)

    def pull(
        self,
        name: str,
        *,
        full: bool = True,
        confirm_deletions: bool = False,
        progress: Progress = lambda _done, _total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> PullResult:
        """Pull the source ``name``; not ``full``: only what was updated since the last pull, unless
        what a pull was halted for is to be taken over.

        ``stop`` is called before each page: if it returns True, the rest is left for the next pull, which is
        due at once if the source has a schedule.

        Raises ``SourceError`` and ``SourceUnavailableError`` (what was accepted before stays),
        ``ConflictError`` while another pull is running, ``HaltedError``, and what making a source
        does.
        """
        guard = DeletionGuard(command=f"auskunft pull {name}", confirmed=confirm_deletions)
        return self.pull_source(self.source_of(name), guard=guard, full=full, progress=progress, stop=stop)

    def pull_source(
        self,
        source: PulledSource,
        *,
        guard: DeletionGuard,
        full: bool = True,
        progress: Progress = lambda _done, _total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> PullResult:
        """Pull ``source``, which the settings need not name. Raises as :meth:`pull` does."""
        name = source.name
        self.pulls.begin(name, self.worker)
        halt = self.pulls.by_source()[name].halt
        guard = replace(guard, takes_over=halt == "taken_over")
        full = full or guard.takes_over
        started = time.monotonic()
        try:
            result = self._run(source, full=full, guard=guard, progress=progress, stop=stop)
        except HaltedError as error:
            self.pulls.finish(name, self.worker, outcome=error.code, halted_for=error.reasons)
            if self.pulls.by_source()[name].halt == "kept":
                return PullResult(warnings=[str(error)], seconds=time.monotonic() - started)
            raise
        except BaseException as error:
            problem, outcome = _ending(error)
            left = 0 if isinstance(error, Exception) else None
            self.pulls.finish(name, self.worker, problem=problem, outcome=outcome, left=left)
            raise
        if halt and full and not result.left:
            self.pulls.end_halt(name)
        result.seconds = time.monotonic() - started
        log.info(
            "source_pulled", source=name, listed=result.listed, changed=len(result.changed), left=result.left
        )
        return result

    def _run(
        self,
        source: PulledSource,
        *,
        full: bool,
        guard: DeletionGuard,
        progress: Progress,
        stop: Callable[[], bool],
    ) -> PullResult:
        context = PullContext(store=self.store, pulls=self.pulls, worker=self.worker, wake=self.wake)
        pull: WebsitePull | DocumentPull | _PagePull
        if isinstance(source, WebsiteSource):
            pull = WebsitePull(context, source, guard)
        elif isinstance(source, DocumentSource):
            pull = DocumentPull(context, source, guard)
        else:
            pull = _PagePull(context, source, guard, full=full, clock=self.clock)
        pull.run(progress=progress, stop=stop)
        return pull.result


_Fetched = tuple[ListingItem, RawPage]


class _PagePull(SourcePull[ListedSource]):
    """One pull of single pages; not ``full``: of those that were updated. ``_seen``: the pages that earlier
    pulls fetched or missed; ``_watermark``: the page store's sequence before the current batch was fetched;
    ``_faults``: how many pages in a row could not be fetched."""

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
        self._full = full
        self._clock = clock
        self._seen: dict[PageRef, ListedPage] = {}
        self._watermark = 0
        self._faults = 0
        self._watch = BreakageWatch(known=0)
        self._quarantine = Quarantine[_Fetched](self._watch)

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """See :meth:`Puller.pull`."""
        known = self._store.refs(self._name)  # before the listing: what comes in later may not be in it
        since = None if self._full else self._pulls.by_source()[self._name].updated_after
        listed = self._source.listing(None if since is None else since - OVERLAP)
        self._pulls.renew(self._name, self._worker)
        self._seen = self._pulls.seen(self._name)
        absent = self._note_absences(known, listed) if since is None else []
        self._check_deletions(len(absent), len(known))
        if not self._guard.takes_over:
            self._watch = BreakageWatch(known=len(known))
            self._quarantine = Quarantine(self._watch)
        self._fetch_changed(listed, set(known), progress, stop)
        self._check(self._watch)
        self._delete(absent)
        self._finish(listed, is_complete=since is None)

    def _note_absences(self, known: Sequence[PageRef], listed: Sequence[ListingItem]) -> list[ListedPage]:
        """Count an absence for known pages that the listing lacks, and reset those of the ones it has."""
        present = {item.ref for item in listed}
        missing = [self._of(ref) for ref in known if ref not in present]
        absent = [replace(page, absences=page.absences + 1) for page in missing]
        back = [page for ref, page in self._seen.items() if ref in present and page.absences]
        self._remember([*absent, *(replace(page, absences=0) for page in back)])
        return absent

    def _fetch_changed(
        self,
        listed: Sequence[ListingItem],
        known: Collection[PageRef],
        progress: Progress,
        stop: Callable[[], bool],
    ) -> None:
        """Fetch and accept what changed. Raises ``SourceUnavailableError`` if several pages in a row cannot
        be fetched."""
        changed = [item for item in listed if is_changed(item, self._of(item.ref))]
        self.result.listed = len(listed)
        self.result.unchanged = len(listed) - len(changed)
        self._watch.unchanged(len(known) - sum(item.ref in known for item in changed))
        batch: list[_Fetched] = []
        self._watermark = self._store.watermark()
        is_interrupted = True
        try:
            for done, item in enumerate(changed, start=1):
                if stop():
                    self.result.left = len(changed) - done + 1
                    break
                page = self._fetched(item)
                if page is not None:
                    batch += self._quarantine.passed((item, page), look_of(page, self._before(item)))
                if len(batch) >= ACCEPT_PAGES:
                    full, batch = batch, []
                    self._accept(full)
                progress(done, len(changed))
            is_interrupted = self.result.left > 0
        finally:  # whatever ends the pull, what it fetched before is kept
            self._accept([*batch, *self._quarantine.released(is_interrupted=is_interrupted)])

    def _before(self, item: ListingItem) -> list[RawPage]:
        """The page as it is stored; nothing where everything is to be taken over."""
        if self._guard.takes_over:
            return []
        return [each.page for each in self._store.read([item.ref]) if each.page is not None]

    def _fetched(self, item: ListingItem) -> RawPage | None:
        """Fetch a page; ``None``, with its reason in the result, if it cannot be had. Raises
        ``SourceUnavailableError`` after several in a row that cannot be fetched."""
        try:
            page = self._fetch(item)
        except PageError as error:
            self.result.failures[item.ref] = error
        except SourceUnavailableError as error:
            self.result.waiting[item.ref] = str(error)
            self._faults += not isinstance(error, NotThereYetError)
            if self._faults == MAX_FAULTS_IN_A_ROW:
                raise
        else:
            self._faults = 0
            return page
        return None

    def _fetch(self, item: ListingItem) -> RawPage:
        self._renew()
        now, seen = self._clock(), self._of(item.ref)
        try:
            with guarded(item.ref.id):
                page = fetch_listed(self._source, item, announced=seen.awaited_since or now, now=now)
        except NotThereYetError:
            self._remember([replace(seen, awaited_since=seen.awaited_since or now)])
            raise
        if page is None:
            raise PageError("invalid", "listed, but there is nothing at its address")
        return page

    def _accept(self, batch: Sequence[_Fetched]) -> None:
        changes = [Save(page=page, republish=self._of(item.ref).vanished) for item, page in batch]
        accepted = self._store.accept(changes, fetched_after=self._watermark)
        for result in accepted:
            if result.status == "accepted":
                self.result.changed.append(result.ref)
            else:
                self.result.unchanged += 1
            if result.warning:
                self.result.warnings.append(f"{result.ref.id}: {result.warning}")
        self._remember(
            ListedPage(ref=item.ref, taken=True, revision=item.revision, updated=item.updated)
            for item, page in batch
            if not is_older(page, item)
        )
        if batch:
            self._wake(len(batch))
        self._watermark = self._store.watermark()

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
        self._store.set_rejected(
            self._name, {f"{ref.id} ({ref.language})": why for ref, why in self.result.failures.items()}
        )
        self._end(is_complete=is_complete, updated_after=_newest(listed, self._clock()))

    def _remember(self, pages: Iterable[ListedPage]) -> None:
        news = {page.ref: page for page in pages}
        self._pulls.remember(news.values())
        self._seen |= news

    def _of(self, ref: PageRef) -> ListedPage:
        return self._seen.get(ref, ListedPage(ref=ref))


def _ending(error: BaseException) -> tuple[str, str]:
    """Return why a pull ended early, in one line and in a word."""
    if isinstance(error, AuskunftError):
        return str(error), error.code
    if isinstance(error, Exception):
        return f"{BROKE}: {described(error)}", BROKE
    return "interrupted", "interrupted"


def is_changed(item: ListingItem, seen: ListedPage) -> bool:
    """True if a listed page has to be fetched: it never was, it changed since, or its listing does not
    say."""
    if not seen.taken or (item.revision is None and item.updated is None):
        return True
    return (item.revision, item.updated) != (seen.revision, seen.updated)


def _newest(listed: Sequence[ListingItem], now: datetime) -> datetime | None:
    """Return the time of the newest update, at most now: some pages are dated in advance."""
    moments = [item.updated for item in listed if item.updated is not None]
    return min(max(moments), now) if moments else None


def _is_due(table: SourceSettings, last: Pull | None, now: datetime) -> bool:
    moment = next_pull(table, last, now)
    return moment is not None and moment <= now
