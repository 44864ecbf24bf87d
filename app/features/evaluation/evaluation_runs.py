"""Evaluations on pools of questions: stored, listed, deleted.

Their content is defined in :mod:`app.features.evaluation.results`. A run is stored in one transaction when it
has ended; concurrent runs get different numbers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select

from app.errors import NotFoundError
from app.features.evaluation.tables import evaluation_runs
from app.pages.database import Store, reading, writing
from app.pages.refs import AnyRow, from_row

KEPT: Final = 100
"""The number of runs that are kept; older ones are deleted."""

_LISTED: Final = (
    evaluation_runs.c.number,
    evaluation_runs.c.started_at,
    evaluation_runs.c.document,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A stored run. ``results``: a JSON object for each question; left out of lists of runs."""

    number: int
    started_at: datetime
    document: Mapping[str, Any]
    results: Sequence[Mapping[str, Any]] = ()


class EvaluationRuns(Store):
    """The last ``KEPT`` runs in ``engine``'s database."""

    def add(
        self, started_at: datetime, document: Mapping[str, Any], results: Sequence[Mapping[str, Any]]
    ) -> int:
        """Store a run, delete the oldest, and return its number. Raises ``UnwritableError``."""
        with writing(self._engine) as connection:
            return add_run(connection, started_at, document, results)

    def all(self) -> list[StoredRun]:
        """Return the runs without their results, newest first."""
        newest = select(*_LISTED).order_by(evaluation_runs.c.number.desc())
        return [_stored(row) for row in self._rows(newest)]

    def get(self, number: int) -> StoredRun:
        """Return the run with this number. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            found = select(evaluation_runs).where(evaluation_runs.c.number == number)
            row = connection.execute(found).first()
        if row is None:
            raise _unknown(number)
        return _stored(row, json.loads(row.results))

    def delete(self, number: int) -> None:
        """Delete a run. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            gone = delete(evaluation_runs).where(evaluation_runs.c.number == number)
            if not connection.execute(gone).rowcount:
                raise _unknown(number)


def add_run(
    connection: Connection,
    started_at: datetime,
    document: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
) -> int:
    """Store a run in the caller's transaction, delete the oldest, and return its number."""
    values = {"started_at": started_at, "document": json.dumps(document), "results": json.dumps(results)}
    newest = select(evaluation_runs.c.number).order_by(evaluation_runs.c.number.desc()).limit(KEPT)
    added = insert(evaluation_runs).values(values).returning(evaluation_runs.c.number)
    number: int = connection.execute(added).scalar_one()
    connection.execute(delete(evaluation_runs).where(evaluation_runs.c.number.not_in(newest)))
    return number


def _unknown(number: int) -> NotFoundError:
    return NotFoundError(f"there is no run {number}: `auskunft runs` lists those that are kept")


def _stored(row: AnyRow, results: Sequence[Mapping[str, Any]] = ()) -> StoredRun:
    return from_row(StoredRun, row, document=json.loads(row.document), results=results)
