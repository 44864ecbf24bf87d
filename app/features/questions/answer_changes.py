"""Stores changes of answers to frequent questions after editors saved a page.

Answers are made without a language model, so that equal pages give equal answers. The present answer to each
frequent question is stored for comparison: the standing answer. A change is stored with the job of the event,
and deleted with the job or the question.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select, delete, exists, func, insert, or_, select, update

from app.chat.redaction import redacted
from app.document import Document, Moment
from app.errors import NotFoundError
from app.features.questions.tables import answer_changes, question_groups, standing_answers
from app.pages.bulk import insert_new
from app.pages.database import Store, reading, writing
from app.pages.jobs import OF_PAGE
from app.pages.page_queue import QUEUED
from app.pages.question_tables import answers, questions
from app.pages.refs import from_row, ref_of
from app.pages.tables import jobs, pages
from ingest.types import PageRef

MOST: Final = 200
"""The most questions that are compared: the most central ones of the largest groups."""

JOBS_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingAnswer:
    """A frequent question and its present answer without a model. ``text``: ``None`` until it was first
    asked. ``setup``: the hashes of preset and embedder. ``pages``: the pages that it was answered from, with
    their sequences."""

    answer: str
    site: str
    question: str
    setup: str = ""
    text: str | None = None
    pages: Mapping[PageRef, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPage:
    """A job whose page is indexed, but whose answers were not compared yet."""

    job: str
    ref: PageRef


class AnswerChangeDocument(Document):
    """A question whose answer changed. ``id``: of a stored answer to it. ``before`` and ``after``: Markdown
    as it is shown without a model."""

    id: str
    site: str
    question: str
    before: str
    after: str


class JobAnswersDocument(Document):
    """The answers that a job changed. ``compared_at``: ``None`` until they were compared."""

    job: str
    compared_at: Moment | None
    changes: list[AnswerChangeDocument]


class AnswerChanges(Store):
    """The standing answers and their changes in ``engine``. Every method may raise
    ``PageStoreUnavailableError``."""

    def choose(self) -> None:
        """Choose the frequent questions again: the most central one of each of the largest groups, unless
        others came before it in its conversation. Standing answers to chosen questions are kept."""
        sizes = (
            select(question_groups.c.number, func.count().label("size"))
            .group_by(question_groups.c.number)
            .subquery()
        )
        central = (
            select(question_groups.c.answer)
            .join(sizes, sizes.c.number == question_groups.c.number)
            .join(answers, answers.c.id == question_groups.c.answer)
            .where(question_groups.c.rank == 0, answers.c.number == 0)
            .order_by(sizes.c.size.desc(), question_groups.c.number)
            .limit(MOST)
        )
        with writing(self._engine) as connection:
            chosen = set(connection.execute(central).scalars())
            known = set(connection.execute(select(standing_answers.c.answer)).scalars())
            gone = sorted(known - chosen)
            connection.execute(delete(standing_answers).where(standing_answers.c.answer.in_(gone)))
            rows = [{"answer": answer, "setup": "", "pages": "[]"} for answer in sorted(chosen - known)]
            if rows:
                connection.execute(insert(standing_answers), rows)

    def unasked(self, limit: int) -> list[StandingAnswer]:
        """Return up to ``limit`` of the chosen questions that have no standing answer yet."""
        rows = self._rows(_STANDING.where(standing_answers.c.text.is_(None)).limit(limit))
        return list(map(_standing, rows))

    def standing(self) -> list[StandingAnswer]:
        """Return all standing answers."""
        rows = self._rows(_STANDING.where(standing_answers.c.text.is_not(None)))
        return list(map(_standing, rows))

    def saved_pages(self) -> list[SavedPage]:
        """Return the jobs to be compared, the oldest first, at most ``JOBS_AT_ONCE``."""
        query = (
            select(jobs.c.id.label("job"), pages.c.source, pages.c.id, pages.c.language)
            .join(pages, OF_PAGE)
            .where(
                jobs.c.compared_at.is_(None),
                jobs.c.status == "accepted",
                pages.c.indexed_sequence >= jobs.c.sequence,
            )
            .order_by(jobs.c.sequence)
            .limit(JOBS_AT_ONCE)
        )
        return [SavedPage(job=row.job, ref=ref_of(row)) for row in self._rows(query)]

    def is_due(self) -> bool:
        """Return True if there are answers to be compared."""
        return bool(self.unasked(1) or self.saved_pages())

    def is_indexing(self) -> bool:
        """Return True if a page is being indexed, or is due now."""
        now = self._clock()
        wanted = or_(pages.c.claimed_until > now, pages.c.next_attempt_at <= now)
        with reading(self._engine) as connection:
            return bool(connection.execute(select(exists().where(QUEUED, wanted))).scalar())

    def keep(self, before: StandingAnswer, after: StandingAnswer, causes: Collection[SavedPage]) -> None:
        """Replace a standing answer, and store the change with the jobs in ``causes``; do nothing if the
        question was deleted meanwhile."""
        read = [[ref.source, ref.id, ref.language, sequence] for ref, sequence in after.pages.items()]
        standing = {"setup": after.setup, "text": after.text, "pages": json.dumps(read)}
        same = standing_answers.c.answer == after.answer
        change = {"answer": after.answer, "before": before.text or "", "after": after.text or ""}
        with writing(self._engine) as connection:
            if not connection.execute(update(standing_answers).where(same).values(standing)).rowcount:
                return
            known = select(jobs.c.id).where(jobs.c.id.in_([cause.job for cause in causes]))
            rows = [{"job": job, **change} for job in connection.execute(known).scalars()]
            insert_new(connection, answer_changes, rows, {})

    def finish(self, compared: Sequence[SavedPage]) -> None:
        """Mark these jobs as compared."""
        ids = [each.job for each in compared]
        with writing(self._engine) as connection:
            done = update(jobs).where(jobs.c.id.in_(ids)).values(compared_at=self._clock())
            connection.execute(done)

    def of_job(self, job: str, *, sites: Collection[str] | None) -> JobAnswersDocument:
        """Return the answers that a job changed. ``sites``: those that the user may see, ``None`` for all.
        Raises ``NotFoundError`` for an unknown job."""
        known = select(jobs.c.compared_at).where(jobs.c.id == job)
        changed = (
            select(
                answer_changes.c.answer.label("id"),
                questions.c.site,
                answers.c.question,
                answer_changes.c.before,
                answer_changes.c.after,
            )
            .join(questions, questions.c.answer == answer_changes.c.answer)
            .join(answers, answers.c.id == answer_changes.c.answer)
            .where(answer_changes.c.job == job)
            .order_by(answers.c.question, answer_changes.c.answer)
        )
        if sites is not None:
            changed = changed.where(questions.c.site.in_(sorted(sites)))
        with reading(self._engine) as connection:
            found = connection.execute(known).one_or_none()
            if found is None:
                raise NotFoundError("no job has this id")
            rows = connection.execute(changed).mappings().all()
        return JobAnswersDocument(
            job=job,
            compared_at=found.compared_at,
            changes=[AnswerChangeDocument(**{**row, "question": redacted(row["question"])}) for row in rows],
        )


def causes_of(before: StandingAnswer, after: StandingAnswer, saved: Collection[SavedPage]) -> list[SavedPage]:
    """Return the jobs that changed the answer's text: their page is or was among its pages, in another
    version. Empty if the text is the same, or if the setup changed, too."""
    if before.text in (None, after.text) or before.setup != after.setup:
        return []
    return [
        each
        for each in saved
        if before.pages.get(each.ref) != after.pages.get(each.ref)  # absent, or another sequence
    ]


_STANDING: Final[Select[Any]] = (
    select(standing_answers, questions.c.site, answers.c.question)
    .join(questions, questions.c.answer == standing_answers.c.answer)
    .join(answers, answers.c.id == standing_answers.c.answer)
)


def _standing(row: Any) -> StandingAnswer:
    return from_row(
        StandingAnswer,
        row,
        question=redacted(row.question),
        pages={
            PageRef(source=source, id=page, language=language): sequence
            for source, page, language, sequence in json.loads(row.pages)
        },
    )
