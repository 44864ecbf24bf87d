"""The page store: one transaction around each operation.

The system of record and the durable queue. Every accepted version is committed, and every committed version
ends up indexed or failed with a reason. Safe for several threads and processes, but not across ``fork``.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from sqlalchemy import Engine, delete, insert, select, update

from app.errors import PageError
from app.pages import (
    announcement_intake,
    announcements,
    builds,
    intake,
    page_queue,
    pulls,
    rebuilds,
    versions,
)
from app.pages.bulk import chunks
from app.pages.claims import HeldTable
from app.pages.database import reading, utc_now, writing
from app.pages.queries import PageQueries, unknown_page
from app.pages.tables import installation, rejected
from app.pages.types import AcceptResult, Claim, Failed, Settlement, StoredVersion
from ingest.types import Change, PageRef, RawPage, Save

_CLAIMS: Final = (page_queue.CLAIMS, announcements.CLAIMS, rebuilds.CLAIMS)
_LEASES: Final = (builds.LEASES, pulls.LEASES, rebuilds.LEASES)


class PageStore(PageQueries):
    """The pages in ``engine``'s database. ``lease_seconds``: how long a claim is valid. ``held``: returns the
    features' tables whose rows workers hold.

    Every method raises ``PageStoreUnavailableError`` or ``DataFolderError`` if the database cannot be used.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], datetime] = utc_now,
        max_attempts: int = 5,
        lease_seconds: float = 300,
        held: Callable[[], Sequence[HeldTable]] = tuple,
    ) -> None:
        super().__init__(engine, clock)
        self._max_attempts = max_attempts
        self._lease = timedelta(seconds=lease_seconds)
        self._held = held

    @cached_property
    def id(self) -> str:
        """The id of this page store, stored with its data."""
        with reading(self._engine) as connection:
            found: str = connection.execute(select(installation.c.id)).scalar_one()
        return found

    def indexed_in(self) -> str:
        """The location of the index that last went live with these pages; empty if none has."""
        with reading(self._engine) as connection:
            found: str = connection.execute(select(installation.c.indexed_in)).scalar_one()
        return found

    def set_indexed_in(self, location: str) -> None:
        """Record that the pages are in the index at ``location`` from now on."""
        with writing(self._engine) as connection:
            connection.execute(update(installation).values(indexed_in=location))

    def accept(
        self, changes: Sequence[Change], *, priority: int = 0, fetched_after: int | None = None
    ) -> list[AcceptResult]:
        """Apply ``changes`` in order and commit; :mod:`app.pages.acceptance` has the rules.

        Return one result for each page that a change touches: a delete without a language gives one per known
        language, possibly none. Pages of higher ``priority`` are claimed first. ``fetched_after``: the
        watermark before these pages were fetched. Pages deleted since then have no result, nor do pages saved
        since then unless revisions show which version is newer.
        """
        batch = [intake.prepare(change) for change in changes]
        with writing(self._engine) as connection:
            return intake.accept(connection, batch, priority, self._clock(), fetched_after)

    def accept_documents(self, source: str, pages: Sequence[RawPage]) -> list[AcceptResult]:
        """Replace the documents of ``pages``, all of ``source``, by exactly these pages, in one transaction.

        A deleted page comes back. Return one result for each page, then one for each page that is tombstoned
        because its document no longer has it (in that language).
        """
        batch = [intake.prepare(Save(page=page, republish=True)) for page in pages]
        documents = {page.document for page in pages}
        with writing(self._engine) as connection:
            return intake.accept_documents(connection, source, documents, batch, self._clock())

    def exclude(self, source: str | None, page_id: str, language: str | None = None) -> list[PageRef]:
        """Exclude a page in all its languages, or in one; it stays hidden even when it is saved again.

        ``source=None``: exclude it in every source that has the id. Raises ``NotFoundError``.
        """
        with writing(self._engine) as connection:
            return intake.set_excluded(
                connection, source, page_id, self._clock(), excluded=True, language=language
            )

    def include(self, source: str | None, page_id: str, language: str | None = None) -> list[PageRef]:
        """Include an excluded page again. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            return intake.set_excluded(
                connection, source, page_id, self._clock(), excluded=False, language=language
            )

    def requeue_page(self, ref: PageRef) -> None:
        """Make a page due. Raises ``NotFoundError`` if it is unknown or deleted."""
        with writing(self._engine) as connection:
            if not versions.requeue_page(connection, ref, self._clock()):
                raise unknown_page(ref)

    def requeue(self, source: str) -> None:
        """Make every page of ``source`` due, except deleted ones."""
        with writing(self._engine) as connection:
            versions.requeue(connection, source, self._clock())

    def reset_revisions(self, source: str) -> None:
        """Forget the sender's revisions of all pages of ``source``: whatever it sends next is newer."""
        with writing(self._engine) as connection:
            intake.reset_revisions(connection, source)
            announcement_intake.reset_revisions(connection, source)

    def set_rejected(self, source: str, rejected_documents: Mapping[str, PageError]) -> None:
        """Replace the list of the source's documents that could not be read."""
        at = self._clock()
        rows = [
            {"source": source, "document": document, "reason": error.reason, "message": str(error), "at": at}
            for document, error in rejected_documents.items()
        ]
        with writing(self._engine) as connection:
            versions.lock_sequence(connection)  # announced pages that fail are added to this list
            connection.execute(delete(rejected).where(rejected.c.source == source))
            versions.execute_many(connection, insert(rejected), rows)

    def claim(
        self,
        limit: int,
        worker: str,
        refs: Sequence[PageRef] | None = None,
        min_priority: int = page_queue.REWRITE_PRIORITY,
        *,
        removals: int = 0,
    ) -> list[Claim]:
        """Claim up to ``limit`` due pages, most urgent first, only among ``refs`` if given.

        If all of them are to be removed, which takes no time, claim up to ``removals``. Pages of one claim
        have the same priority, at least ``min_priority``, and a limited total length. The attempt is counted
        before the work. A page tried before comes alone; one that has used up its attempts becomes
        ``failed(poison)`` instead. No other worker gets these pages until the claim expires.
        """
        with writing(self._engine) as connection:
            return page_queue.claim(
                connection,
                worker,
                self._clock(),
                self._lease,
                limit=limit,
                removals=removals,
                max_attempts=self._max_attempts,
                refs=refs,
                min_priority=min_priority,
            )

    def finish(self, settlements: Sequence[Settlement], worker: str) -> None:
        """Record the outcomes of claims and end them, all or none. A page that was saved since stays due."""
        with writing(self._engine) as connection:
            page_queue.finish(connection, settlements, worker=worker, now=self._clock())

    def release(self, worker: str) -> None:
        """End the claims and leases of a worker that died at once; its attempts stay counted."""
        held: tuple[HeldTable, ...] = (*_CLAIMS, *_LEASES, *self._held())
        with writing(self._engine) as connection:
            versions.lock_sequence(connection)
            for table in held:
                table.release_dead(connection, worker)

    def read(self, refs: Sequence[PageRef]) -> list[StoredVersion]:
        """The newest versions of the known pages among ``refs``, in order, without claiming them."""
        with reading(self._engine) as connection:
            return page_queue.read(connection, refs)

    def record_indexed(self, sequences: Mapping[PageRef, int]) -> None:
        """Record versions that were written to the index without claims; newer versions stay due."""
        for some in chunks(list(sequences)):
            with writing(self._engine) as connection:
                page_queue.record_indexed(connection, {ref: sequences[ref] for ref in some}, self._clock())

    def record_failed(self, sequences: Mapping[PageRef, int], failures: Mapping[PageRef, Failed]) -> None:
        """Record versions that can no longer be indexed, as attempts without claims showed.

        A queued page stays as it is: its claim will have an outcome of its own.
        """
        with writing(self._engine) as connection:
            page_queue.record_failed(connection, sequences, failures)

    def watermark(self) -> int:
        """The last sequence given: every version up to it is committed, and every later one is higher."""
        with reading(self._engine) as connection:
            return versions.last_sequence(connection)

    def renumber(self, above: int) -> None:
        """Give every page a sequence above ``above``, the highest that an index got from a later state of
        this page store: a store restored from a backup would otherwise give those sequences again."""
        with writing(self._engine) as connection:
            versions.renumber(connection, above, self._clock())

    def pending(self, refs: Sequence[PageRef] | None = None, source: str | None = None) -> int:
        """Count the pages that are neither indexed nor failed: due, waiting or claimed. Without ``refs`` and
        ``source``, include pages that have to be fetched."""
        with reading(self._engine) as connection:
            announced = announcements.count(connection) if refs is None and source is None else 0
            return announced + page_queue.count_queued(connection, refs, source)

    def is_due(
        self,
        min_priority: int = page_queue.REWRITE_PRIORITY,
        *,
        refs: Sequence[PageRef] | None = None,
        worker: str | None = None,
    ) -> bool:
        """Return True if a queued page of at least this priority can be claimed now or is already claimed by
        ``worker``, perhaps at a lower priority before it was saved again. Only ``refs`` count, if given."""
        with reading(self._engine) as connection:
            return page_queue.is_due(connection, self._clock(), min_priority, refs=refs, worker=worker)
