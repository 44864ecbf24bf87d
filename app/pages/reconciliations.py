"""The log of reconciliations: their reports, and the pages that they make due again.

Comparing and deciding is done in :mod:`app.background.reconcile`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, insert, select, update

from app.pages.bulk import chunks
from app.pages.database import Store, reading, utc_now, writing
from app.pages.page_queue import AT_REST
from app.pages.refs import REF_COLUMNS, AnyRow, bound, is_among, matches_bound, ref_of
from app.pages.tables import pages, reconciliations
from app.pages.versions import as_new, execute_many, lock_sequence
from ingest.types import PageRef

KEPT: Final = 30

_UNKNOWN: Final = {"indexed_sequence": 0, "settled_sequence": 0, "priority": 0}
"""Values of a page whose indexed version is unknown; pages that an editor waits for come before it."""


@dataclass(slots=True, kw_only=True)
class Reconciliation:
    """The report of one reconciliation.

    * ``pages``: how many were compared with ``generation``, the live one
    * ``counts``: number of differences by kind (:data:`app.background.reconcile.KINDS`)
    * ``examples``: the first pages of each kind
    * ``repaired``: True if the differences were repaired, or will be by the queue
    * ``sources``: the result of pulling each, in one line
    * ``problem``: what a person must look at; empty if nothing
    """

    started_at: datetime
    finished_at: datetime | None = None
    generation: int | None = None
    pages: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    repaired: bool = False
    problem: str = ""


class ReconciliationLog(Store):
    """The last ``KEPT`` reconciliations in ``engine``'s database."""

    def add(self, done: Reconciliation) -> int:
        """Store a report and return its number; delete the oldest reports."""
        newest = select(reconciliations.c.id).order_by(reconciliations.c.id.desc()).limit(KEPT)
        with writing(self._engine) as connection:
            added = insert(reconciliations).values(_values(done)).returning(reconciliations.c.id)
            number: int = connection.execute(added).scalar_one()
            connection.execute(delete(reconciliations).where(reconciliations.c.id.not_in(newest)))
        return number

    def amend(self, number: int, done: Reconciliation) -> None:
        """Replace the report with this number."""
        same = reconciliations.c.id == number
        with writing(self._engine) as connection:
            connection.execute(update(reconciliations).where(same).values(_values(done)))

    def all(self) -> list[Reconciliation]:
        """The reports, newest first."""
        newest = select(reconciliations).order_by(reconciliations.c.id.desc())
        return [_reconciliation(row) for row in self._rows(newest)]

    def last(self) -> Reconciliation | None:
        """The newest report, or None."""
        return next(iter(self.all()), None)

    def still_at_rest(self, sequences: Mapping[PageRef, int]) -> set[PageRef]:
        """Return the pages that are still at these versions, indexed, and not due again."""
        with reading(self._engine) as connection:
            return set(_still_at_rest(connection, sequences))

    def requeue(self, sequences: Mapping[PageRef, int]) -> list[PageRef]:
        """Make the pages due again that are still at rest at these versions, and return them."""
        due: list[PageRef] = []
        for some in chunks(list(sequences)):
            with writing(self._engine) as connection:
                lock_sequence(connection)
                found = list(_still_at_rest(connection, {ref: sequences[ref] for ref in some}))
                again = update(pages).where(matches_bound(pages)).values(as_new(utc_now()) | _UNKNOWN)
                execute_many(connection, again, [bound(ref) for ref in found])
            due += found
        return due


_COLUMNS: Final = ("started_at", "finished_at", "generation", "pages", "problem")


def _values(done: Reconciliation) -> dict[str, Any]:
    found = {name: getattr(done, name) for name in ("counts", "examples", "sources", "repaired")}
    return {name: getattr(done, name) for name in _COLUMNS} | {"found": json.dumps(found)}


def _still_at_rest(connection: Connection, sequences: Mapping[PageRef, int]) -> Iterator[PageRef]:
    for some in chunks(list(sequences)):
        query = select(*REF_COLUMNS, pages.c.sequence).where(and_(AT_REST, is_among(some)))
        for row in connection.execute(query).all():
            if sequences[ref_of(row)] == row.sequence:
                yield ref_of(row)


def _reconciliation(row: AnyRow) -> Reconciliation:
    found: dict[str, Any] = json.loads(row.found)
    return Reconciliation(**{name: getattr(row, name) for name in _COLUMNS}, **found)
