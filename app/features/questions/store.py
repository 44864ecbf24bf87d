"""Lists visitors' questions with their answers, cited sources and feedback, for editors."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, func, select

from app.chat.events import Status
from app.chat.outcomes import Outcome
from app.chat.redaction import redacted
from app.chat.stored import read_document, status_of
from app.document import Document, Moment, Stored
from app.errors import InputError, NotFoundError
from app.features.questions.filter import QuestionFilter, cursor_of, older_than
from app.pages.database import Store, reading
from app.pages.question_tables import answer_records, answers, feedback, questions
from app.search.retrieval import Degradation

PAGE: Final = 50
MOST: Final = 200
"""The most questions in one page of the list."""

READ_BATCH: Final = 500
FACETS: Final = ("site", "outcome", "language")

_Key = tuple[str, str, str]
"""A site, an outcome and a language."""

_ALL: Final = QuestionFilter()


class QuestionDocument(Document):
    """A question with its answer. ``id``: of its answer. ``language``: of the answer, empty if unknown.
    ``outcome``: what the visitor saw. ``answer``: its Markdown as it was shown, empty while it is being
    written. ``sources``: the addresses of cited sources. ``rating``: up, down or empty."""

    id: str
    asked_at: Moment
    site: str
    language: str
    question: str
    outcome: Outcome
    status: Stored[Literal[Status, "running"]]
    answer: str
    sources: list[str]
    degraded: Stored[list[Degradation]]
    rating: Literal["up", "down", ""]
    comment: str


COLUMNS: Final = tuple(QuestionDocument.model_fields)
"""The columns of the CSV: the properties of a question, in order."""


class QuestionsDocument(Document):
    """A part of the list. ``next``: the cursor of the next one, ``None`` if this is the last one."""

    questions: list[QuestionDocument]
    next: str | None


class QuestionCountsDocument(Document):
    """Counts of the questions that a filter finds, and of those that other values would find in place of the
    one chosen: by site, outcome, language and rating (``up``, ``down``, ``none``), most frequent first."""

    total: int
    sites: dict[str, int]
    outcomes: dict[str, int]
    languages: dict[str, int]
    ratings: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuestion:
    """A question with everything that is stored of its answer. ``number``: its place in the ``conversation``.
    ``document``: empty while the answer is being written. ``provenance``: the answer's
    (:mod:`app.chat.provenance`), ``None`` if it was not kept."""

    record: QuestionDocument
    conversation: str
    number: int
    document: Mapping[str, Any]
    provenance: Mapping[str, Any] | None


class Questions(Store):
    """The questions in ``engine``. Every method may raise ``PageStoreUnavailableError``."""

    def check(self, site: str, configured: Collection[str]) -> None:
        """Raise ``InputError`` for a site that is not ``configured`` and never had questions."""
        if site in configured:
            return
        with reading(self._engine) as connection:
            asked = connection.execute(select(questions.c.site).distinct()).scalars()
            known = sorted({*asked, *configured})
        if site not in known:
            remedy = f"use one of {', '.join(known)}" if known else "the settings name none"
            raise InputError("unknown site {name!r}: {remedy}", name=site, remedy=remedy)

    def newest(
        self, chosen: QuestionFilter = _ALL, *, after: str | None = None, limit: int = PAGE
    ) -> QuestionsDocument:
        """Return the newest questions, or those ``after`` a page's ``next`` cursor. Raises ``InputError``."""
        condition = chosen.conditions()
        if after is not None:
            condition &= older_than(after)
        with reading(self._engine) as connection:
            rows = _newest(connection, condition, limit + 1)
        shown = rows[:limit]
        return QuestionsDocument(
            questions=list(map(self._record, shown)),
            next=cursor_of(shown[-1]) if len(rows) > limit else None,
        )

    def all(self, chosen: QuestionFilter = _ALL) -> Iterator[QuestionDocument]:
        """Yield every question, newest first, loaded some at a time."""
        cursor: str | None = None
        while True:
            page = self.newest(chosen, after=cursor, limit=READ_BATCH)
            yield from page.questions
            if (cursor := page.next) is None:
                return

    def stored(self, answer: str, *, sites: Collection[str] | None = None) -> StoredQuestion:
        """Return one question, by its answer's id. Raises ``NotFoundError``, also for a question of a site
        that is not among ``sites``."""
        condition = QuestionFilter(sites=sites).conditions() & (questions.c.answer == answer)
        with reading(self._engine) as connection:
            rows = _newest(connection, condition, 1)
            made = connection.execute(
                select(answer_records.c.provenance).where(answer_records.c.answer == answer)
            ).scalar()
        if not rows:
            raise NotFoundError("there is no such question")
        [row] = rows
        return StoredQuestion(
            record=self._record(row),
            conversation=row.conversation,
            number=row.number,
            document=read_document(row) or {},
            provenance=json.loads(made) if made else None,
        )

    def counts(self, chosen: QuestionFilter = _ALL) -> QuestionCountsDocument:
        """Count the chosen questions, and those that other choices would find."""
        columns = [questions.c[name] for name in FACETS]
        grouped = (
            select(*columns, func.count().label("found")).group_by(*columns).where(chosen.shared_conditions())
        )
        by_rating = (
            grouped.add_columns(feedback.c.rating)
            .join(feedback, feedback.c.answer == questions.c.answer)
            .group_by(feedback.c.rating)
        )
        every, rated = Counter[_Key](), defaultdict[str, Counter[_Key]](Counter)
        with reading(self._engine) as connection:
            for row in connection.execute(grouped):
                every[row.site, row.outcome, row.language] += row.found
            for row in connection.execute(by_rating):
                rated[row.rating][row.site, row.outcome, row.language] += row.found
        rated["any"] = sum(rated.values(), Counter[_Key]())
        rated["none"] = every - rated["any"]
        found = every if chosen.rating is None else rated[chosen.rating]
        return QuestionCountsDocument(
            total=_total(found, chosen),
            sites=_facet(found, chosen, "site"),
            outcomes=_facet(found, chosen, "outcome"),
            languages=_facet(found, chosen, "language"),
            ratings=_ordered({name: _total(rated[name], chosen) for name in ("up", "down", "none")}),
        )

    def _record(self, row: Row[Any]) -> QuestionDocument:
        document = read_document(row)
        answer = {"answer": "", "sources": [], "citations": [], "degraded": []} | (document or {})
        return QuestionDocument(
            id=row.answer,
            asked_at=row.asked_at,
            site=row.site,
            language=row.language,
            question=redacted(row.question),
            outcome=row.outcome,
            status=status_of(row, document, self._clock()),
            answer=answer["answer"],
            sources=[
                source["url"] for source in answer["sources"] if source["number"] in answer["citations"]
            ],
            degraded=answer["degraded"],
            rating=row.rating or "",
            comment=row.comment or "",
        )


def _newest(connection: Connection, condition: Any, limit: int) -> list[Row[Any]]:
    """Return the newest questions with their answers, joined after the limit because answers are large."""
    chosen = (
        select(questions)
        .where(condition)
        .order_by(questions.c.asked_at.desc(), questions.c.answer.desc())
        .limit(limit)
        .subquery()
    )
    query = (
        select(
            chosen.c.answer,
            chosen.c.asked_at,
            chosen.c.site,
            chosen.c.outcome,
            chosen.c.language,
            answers.c.conversation,
            answers.c.number,
            answers.c.question,
            answers.c.document,
            answers.c.status,
            answers.c.started_at,
            answers.c.finished_at,
            feedback.c.rating,
            feedback.c.comment,
        )
        .join(answers, answers.c.id == chosen.c.answer)
        .join(feedback, feedback.c.answer == chosen.c.answer, isouter=True)
        .order_by(chosen.c.asked_at.desc(), chosen.c.answer.desc())
    )
    return list(connection.execute(query))


def _total(found: Counter[_Key], chosen: QuestionFilter) -> int:
    return sum(count for key, count in found.items() if chosen.admits(*key))


def _facet(found: Counter[_Key], chosen: QuestionFilter, name: str) -> dict[str, int]:
    facet, place = Counter[str](), FACETS.index(name)
    for key, count in found.items():
        if chosen.admits(*key, without=name):
            facet[key[place]] += count
    return _ordered(facet)


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts without zeros, the highest first."""
    return dict(sorted(((name, n) for name, n in counts.items() if n), key=lambda item: (-item[1], item[0])))
