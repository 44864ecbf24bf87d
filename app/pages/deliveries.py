"""Messages of a CMS and their jobs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, func, select

from app.errors import NotFoundError
from app.pages import announcement_intake, jobs, tables, versions
from app.pages.database import Store, writing
from app.pages.tables import deliveries
from app.pages.types import Announcement, Delivery, JobDocument
from ingest.types import Change, PageRef

_NEWEST_FIRST: Final = tables.jobs.c.accepted_at.desc()


class Deliveries(Store):
    """The messages and jobs in ``engine``'s database.

    Every method raises ``PageStoreUnavailableError`` or ``DataFolderError`` if the database cannot be used.
    """

    def accept(
        self, delivery: Delivery, changes: Sequence[Change | Announcement], *, priority: int = 0
    ) -> list[JobDocument]:
        """Apply ``changes`` once, as ``PageStore.accept`` does: a repeated message returns the same jobs.
        Raises ``ConflictError`` if a different message has the same id."""
        batch = [announcement_intake.prepare(change) for change in changes]
        with writing(self._engine) as connection:
            versions.lock_sequence(connection)  # so that simultaneous repeats wait for each other
            now = self._clock()
            known = jobs.record_message(connection, delivery, now)
            if known is not None:
                return known
            return announcement_intake.accept(connection, delivery, batch, priority, now)

    def job(self, job_id: str) -> JobDocument:
        """Return a job with its current status. Raises ``NotFoundError``."""
        row = self._row(jobs.WITH_PAGE.where(tables.jobs.c.id == job_id))
        if row is None:
            raise NotFoundError(f"no job has this id, or it is older than {jobs.KEPT.days} days")
        return jobs.job_of(row, self._clock())

    def newest_jobs(self, source: str, limit: int) -> list[JobDocument]:
        """The last jobs of a source, the newest first."""
        query = jobs.WITH_PAGE.where(tables.jobs.c.source == source).order_by(_NEWEST_FIRST)
        return self._listed(query, limit)

    def jobs_of_page(self, ref: PageRef, limit: int) -> list[JobDocument]:
        """The last jobs of a page, the newest first."""
        query = jobs.WITH_PAGE.where(jobs.is_of_page(ref)).order_by(
            _NEWEST_FIRST, tables.jobs.c.sequence.desc()
        )
        return self._listed(query, limit)

    def _listed(self, query: Select[Any], limit: int) -> list[JobDocument]:
        now = self._clock()
        return [jobs.job_of(row, now) for row in self._rows(query.limit(limit))]

    def last_messages(self) -> dict[str, datetime]:
        """The time of each source's last message."""
        query = select(deliveries.c.source, func.max(deliveries.c.at)).group_by(deliveries.c.source)
        return dict(map(tuple, self._rows(query)))

    def delete_expired(self) -> None:
        """Delete messages older than ``jobs.KEPT``, and their jobs, some at a time."""
        is_more = True
        while is_more:
            with writing(self._engine) as connection:
                versions.lock_sequence(connection)  # so that no message is repeated meanwhile
                is_more = jobs.forget(connection, self._clock() - jobs.KEPT)
