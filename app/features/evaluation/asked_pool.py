"""The pool of questions that an admin uploaded in the console, and its progress.

One pool is asked at a time. Results are added part by part, so a worker that takes over from a dead one
continues where it stopped. If two work at the same time, the second adds nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, select, update

from app.errors import AuskunftError, ConflictError
from app.features.evaluation.evaluation_runs import add_run
from app.features.evaluation.pool import PoolQuestion, parsed_pool
from app.features.evaluation.results import EvaluationRun, QuestionResult
from app.features.evaluation.tables import asked_pools
from app.pages.bulk import INSERTS
from app.pages.database import Store, writing
from ingest.said import Said

_SLOT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolProgress:
    """Progress of a pool: ``done`` of ``total`` questions were asked.

    ``name``: of its file. ``failure``: the error that ended it, a :class:`Said`; empty while it continues."""

    name: str
    done: int
    total: int
    failure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPool:
    """A pool that is being asked.

    ``site``: whose pages are searched. ``results``: of the questions asked so far. ``seconds``: the time they
    took. ``not_reranked``: how many of them got no scores from the reranker."""

    name: str
    site: str
    questions: Sequence[PoolQuestion]
    started_at: datetime
    results: Sequence[QuestionResult]
    seconds: float
    not_reranked: int

    @property
    def rest(self) -> Sequence[PoolQuestion]:
        """The questions that were not asked yet."""
        return self.questions[len(self.results) :]


class AskedPools(Store):
    """The pool in ``engine``'s database. Every method may raise ``PageStoreUnavailableError``."""

    def begin(self, name: str, site: str, text: str, total: int) -> None:
        """Queue a pool to be asked. ``text``: the content of the file ``name``, with ``total`` questions.

        Raises ``ConflictError`` while another pool is being asked.
        """
        values = {"name": name, "site": site, "text": text, "total": total, "started_at": self._clock()}
        with writing(self._engine) as connection:
            connection.execute(delete(asked_pools).where(asked_pools.c.failure != ""))
            new = INSERTS[connection.dialect.name](asked_pools).values(slot=_SLOT, **values)
            begun = new.on_conflict_do_nothing().returning(asked_pools.c.slot)
            if connection.scalar(begun) is None:
                raise ConflictError("other questions are being asked: wait until they are done, or stop them")

    def progress(self) -> PoolProgress | None:
        """Return the pool's progress, or ``None`` if none is being asked and the last one did not fail."""
        own = (asked_pools.c.name, asked_pools.c.done, asked_pools.c.total, asked_pools.c.failure)
        row = self._row(select(*own))
        if row is None:
            return None
        failure = json.loads(row.failure, object_hook=_said) if row.failure else ""
        return PoolProgress(name=row.name, done=row.done, total=row.total, failure=failure)

    def is_waiting(self) -> bool:
        """Return True if there are questions to be asked."""
        return self._row(select(asked_pools.c.slot).where(asked_pools.c.failure == "")) is not None

    def current(self) -> AskedPool | None:
        """Return the pool that is being asked, or ``None``."""
        row = self._row(select(asked_pools).where(asked_pools.c.failure == ""))
        if row is None:
            return None
        return AskedPool(
            name=row.name,
            site=row.site,
            questions=parsed_pool(row.name, row.text),
            started_at=row.started_at,
            results=[QuestionResult(**each) for each in json.loads(row.results)],
            seconds=row.seconds,
            not_reranked=row.not_reranked,
        )

    def add(
        self, pool: AskedPool, results: Sequence[QuestionResult], *, seconds: float, not_reranked: int
    ) -> None:
        """Store the results of the next questions of the ``pool``, unless another worker did."""
        every = [result.model_dump(mode="json") for result in (*pool.results, *results)]
        self._change(
            pool,
            results=json.dumps(every),
            done=len(every),
            seconds=pool.seconds + seconds,
            not_reranked=pool.not_reranked + not_reranked,
        )

    def fail(self, pool: AskedPool, error: AuskunftError) -> None:
        """End the ``pool``; the ``error`` is shown until the next one begins."""
        self._change(pool, failure=json.dumps(error, default=_parts))

    def finish(self, pool: AskedPool, run: EvaluationRun) -> None:
        """Store the ``run`` and delete the ``pool``, unless another worker did."""
        with writing(self._engine) as connection:
            if connection.execute(delete(asked_pools).where(*_same(pool))).rowcount:
                add_run(connection, run.started_at, run.document(), run.result_documents())

    def end(self) -> None:
        """Delete the pool, so that no more of its questions are asked."""
        with writing(self._engine) as connection:
            connection.execute(delete(asked_pools))

    def _change(self, pool: AskedPool, **values: Any) -> None:
        with writing(self._engine) as connection:
            connection.execute(update(asked_pools).where(*_same(pool)).values(values))


def _parts(value: object) -> object:
    """Split an error's message into template and values, so that it can be shown in any language later."""
    if isinstance(value, AuskunftError):
        return {"template": value.template, "values": value.values}
    return str(value)


def _said(document: dict[str, Any]) -> object:
    """Rebuild a message that :func:`_parts` split."""
    return Said(document["template"], **document["values"]) if "template" in document else document


def _same(pool: AskedPool) -> tuple[Any, ...]:
    """Conditions that match the row only while it is as it was when ``pool`` was loaded."""
    return asked_pools.c.started_at == pool.started_at, asked_pools.c.done == len(pool.results)
