"""Lists groups of questions that mean the same, with what their answers lack, for editors."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Engine, Select, and_, case, false, func, or_, select, true

from app.chat.outcomes import GAPS
from app.chat.redaction import redacted
from app.chat.stored import read_document
from app.chat.text.catalogue import without_label
from app.chat.text.plain_text import plain_text
from app.document import Document, Moment, Share
from app.errors import IndexUnavailableError, InputError, NotFoundError
from app.features.questions.gap_notes import NO_GROUP
from app.features.questions.tables import gap_notes, groupings, question_groups
from app.pages.database import Store, reading
from app.pages.question_tables import answer_records, answers, questions
from app.pages.refs import AnyRow
from app.search.answer_kinds import lacks_amount
from app.search.types import IndexedPage
from ingest.types import PageRef

WEEK: Final = timedelta(days=7)
PAGE: Final = 50
ANSWER_CHARACTERS: Final = 240

GapState = Literal["open", "mine", "done", "all"]
"""``open``: groups with questions not answered well, after they were ticked off if they were; ``mine``: open
groups that are assigned to the user; ``done``: groups that were ticked off, and whose questions have all been
answered well since."""


class GapPageDocument(Document):
    """The page that an answer quotes first, or, if not ``quoted``, the one that comes nearest."""

    source: str
    id: str
    language: str
    url: str
    title: str
    quoted: bool


class QuestionGroupDocument(Document):
    """Questions of a site that mean the same.

    ``id``: of the answer to the most central one, ``question``. Four fields are of the newest question that
    was not answered well, or else of the newest: ``answer`` (its beginning, as text), ``page``,
    ``absent_words`` (on no page) and ``lacks_price`` (of the page). ``done_at``: when the group was ticked
    off; ``is_open``: True if a question was not answered well, after that if it was ticked off."""

    id: str
    number: int
    site: str
    question: str
    count: int
    doubtful: int
    unanswered: int
    share_doubtful: Share
    share_unanswered: Share
    this_week: int
    week_before: int
    last_asked_at: Moment
    answer: str
    page: GapPageDocument | None
    absent_words: list[str]
    lacks_price: bool
    is_open: bool
    done_at: Moment | None
    assigned_to: str
    comment: str
    changed_by: str


class QuestionGroupsDocument(Document):
    """The largest groups. ``made_at``: when questions were last grouped, ``None`` if never. ``questions``:
    how many were grouped; ``left``: how many had no vector and could not be. ``requested``: True if grouping
    is requested. ``next``: the cursor of more groups, if there are any."""

    made_at: Moment | None
    requested: bool
    questions: int
    left: int
    groups: list[QuestionGroupDocument]
    next: str | None


class QuestionGaps(Store):
    """The groups in ``engine``. ``read``: loads pages from the index. Every method may raise
    ``PageStoreUnavailableError``."""

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], datetime],
        read: Callable[[Collection[PageRef]], Sequence[IndexedPage]],
    ) -> None:
        super().__init__(engine, clock)
        self._read = read

    def listed(
        self,
        *,
        sites: Collection[str] | None = None,
        state: GapState = "all",
        user: str = "",
        since: datetime | None = None,
        after: str | None = None,
        limit: int = PAGE,
    ) -> QuestionGroupsDocument:
        """Return the largest groups of these sites, ``None`` for all, or those ``after`` a cursor.

        Size is the number of questions not answered well, or with the state ``all`` of all questions.
        ``user``: for the state ``mine``. ``since``: only groups asked about, or with the state ``done``
        ticked off, since then. Raises ``InputError`` for an invalid cursor."""
        query = _groups(self._clock(), state, user)
        if since is not None:
            query = query.having((_DONE if state == "done" else func.max(questions.c.asked_at)) >= since)
        if sites is not None:
            query = query.where(questions.c.site.in_(sorted(sites)))
        if after is not None:
            size, number = _cursor(after)
            counted = _SIZES[state]
            later = and_(counted == size, question_groups.c.number > number)
            query = query.having(or_(counted < size, later))
        with reading(self._engine) as connection:
            rows = connection.execute(query.limit(limit + 1)).all()
            made = connection.execute(select(groupings)).first()
        shown = rows[:limit]
        last = shown[-1] if len(rows) > limit else None
        return QuestionGroupsDocument(
            made_at=made.made_at if made else None,
            requested=made is not None and made.requested_at is not None,
            questions=made.questions if made else 0,
            left=made.left if made else 0,
            groups=self._described(shown),
            next=f"{last.gaps if state != 'all' else last.size}-{last.number}" if last else None,
        )

    def one(self, answer: str, *, sites: Collection[str] | None = None) -> QuestionGroupDocument:
        """Return the group that has the question with this ``answer``. Raises ``NotFoundError``, also for a
        group of a site that is not among ``sites``."""
        number = select(question_groups.c.number).where(question_groups.c.answer == answer)
        query = _groups(self._clock(), "all", "").where(
            question_groups.c.number == number.scalar_subquery(),
            true() if sites is None else questions.c.site.in_(sorted(sites)),
        )
        rows = self._rows(query)
        group = next(iter(self._described(rows)), None)
        if group is None:
            raise NotFoundError(NO_GROUP)
        return group

    def _described(self, rows: Sequence[AnyRow]) -> list[QuestionGroupDocument]:
        with reading(self._engine) as connection:
            names = {row.number: row for row in connection.execute(_members(_central(rows)))}
            telling = {row.number: row for row in connection.execute(_members(_telling(rows)))}
        texts = self._page_texts(telling.values())
        shown = (row for row in rows if row.number in names and row.number in telling)  # else regrouped
        return [_group(row, names[row.number], telling[row.number], texts) for row in shown]

    def _page_texts(self, rows: Iterable[AnyRow]) -> Mapping[PageRef, str]:
        """Return the texts of the pages that the rows' answers quote first; none while the index is down."""
        refs = {_ref(page) for row in rows if (page := _page(row))}
        with suppress(IndexUnavailableError):
            return {page.ref: "\n".join(page.fields.values()) for page in self._read(refs)} if refs else {}
        return {}


_IS_GAP: Final = questions.c.outcome.in_(GAPS)
_SIZE: Final = func.count()
_GAPS: Final = func.sum(case((_IS_GAP, 1), else_=0))
_LAST_GAP: Final = func.max(case((_IS_GAP, questions.c.asked_at)))
_DONE: Final = func.max(gap_notes.c.done_at)
_OPEN: Final = and_(_GAPS > 0, or_(_DONE.is_(None), _LAST_GAP > _DONE))
_SIZES: Final[Mapping[GapState, Any]] = {"open": _GAPS, "mine": _GAPS, "done": _GAPS, "all": _SIZE}


def _groups(now: datetime, state: GapState, user: str) -> Select[Any]:
    asked, assigned = questions.c.asked_at, func.max(gap_notes.c.assigned_to)
    conditions: Mapping[GapState, ColumnElement[bool]] = {
        "open": _OPEN,
        "mine": and_(_OPEN, assigned == user),
        "done": and_(_DONE.is_not(None), or_(_LAST_GAP.is_(None), _LAST_GAP <= _DONE)),
        "all": true(),
    }
    return (
        select(
            question_groups.c.number,
            _SIZE.label("size"),
            _GAPS.label("gaps"),
            func.sum(case((questions.c.outcome == "unanswered", 1), else_=0)).label("unanswered"),
            func.sum(case((asked > now - WEEK, 1), else_=0)).label("this_week"),
            func.sum(case((and_(asked > now - 2 * WEEK, asked <= now - WEEK), 1), else_=0)).label("before"),
            func.min(question_groups.c.rank).label("rank"),
            func.max(asked).label("last_asked_at"),
            _LAST_GAP.label("last_gap"),
            _DONE.label("done_at"),
            assigned.label("assigned_to"),
            func.max(gap_notes.c.comment).label("comment"),
            func.max(gap_notes.c.changed_by).label("changed_by"),
        )
        .join(questions, questions.c.answer == question_groups.c.answer)
        .join(gap_notes, gap_notes.c.answer == question_groups.c.answer, isouter=True)
        .group_by(question_groups.c.number)
        .having(conditions[state])
        .order_by(_SIZES[state].desc(), question_groups.c.number)
    )


def _central(rows: Iterable[AnyRow]) -> ColumnElement[bool]:
    """Return the condition for the most central question of each group."""
    number, rank = question_groups.c.number, question_groups.c.rank
    return or_(false(), *(and_(number == row.number, rank == row.rank) for row in rows))


def _telling(rows: Iterable[AnyRow]) -> ColumnElement[bool]:
    """Return the condition for each group's newest question not answered well, or else its newest."""
    number, asked_at = question_groups.c.number, questions.c.asked_at
    return or_(
        false(),
        *(
            and_(number == row.number, asked_at == row.last_gap, _IS_GAP)
            if row.last_gap
            else and_(number == row.number, asked_at == row.last_asked_at)
            for row in rows
        ),
    )


def _members(condition: ColumnElement[bool]) -> Select[Any]:
    return (
        select(
            question_groups.c.number,
            questions.c.site,
            answers.c.id,
            answers.c.question,
            answers.c.document,
            answer_records.c.provenance,
        )
        .join(questions, questions.c.answer == question_groups.c.answer)
        .join(answers, answers.c.id == question_groups.c.answer)
        .join(answer_records, answer_records.c.answer == question_groups.c.answer, isouter=True)
        .where(condition)
    )


def _group(row: AnyRow, name: AnyRow, telling: AnyRow, texts: Mapping[PageRef, str]) -> QuestionGroupDocument:
    document = read_document(telling) or {"answer": ""}
    page = _page(telling)
    text = texts.get(_ref(page)) if page else None
    unanswered, doubtful = int(row.unanswered), int(row.gaps) - int(row.unanswered)
    return QuestionGroupDocument(
        id=name.id,
        number=row.number,
        site=name.site,
        question=redacted(name.question),
        count=row.size,
        doubtful=doubtful,
        unanswered=unanswered,
        share_doubtful=doubtful / row.size,
        share_unanswered=unanswered / row.size,
        this_week=row.this_week,
        week_before=row.before,
        last_asked_at=row.last_asked_at,
        answer=_beginning(document["answer"]),
        page=page,
        absent_words=document.get("absent_words", []),
        lacks_price=text is not None and lacks_amount(telling.question, text),
        is_open=bool(row.gaps) and (row.done_at is None or row.last_gap > row.done_at),
        done_at=row.done_at,
        assigned_to=row.assigned_to or "",
        comment=row.comment or "",
        changed_by=row.changed_by or "",
    )


def _beginning(answer: str) -> str:
    """Return the first lines of an answer's Markdown as text; a heading, item or row has one line."""
    lines = [" ".join(line.split()) for line in plain_text(without_label(answer)).splitlines()]
    text = "\n".join(filter(None, lines))
    if len(text) <= ANSWER_CHARACTERS:
        return text
    return f"{text[:ANSWER_CHARACTERS].rsplit(maxsplit=1)[0]} …"


def quoted_page(pages: Sequence[Mapping[str, Any]], cited: Iterable[int]) -> GapPageDocument | None:
    """Return the page in an answer's provenance that is cited first, or else the nearest one."""
    numbered = {page["number"]: page for page in pages}
    quoted = next((numbered[number] for number in cited if number in numbered), None)
    found = quoted or next(iter(pages), None)
    names = ("source", "id", "language", "url", "title")
    if found is None:
        return None
    return GapPageDocument(**{name: found[name] for name in names}, quoted=quoted is not None)


def _page(row: AnyRow) -> GapPageDocument | None:
    made = json.loads(row.provenance) if row.provenance else {}
    return quoted_page(made.get("pages") or [], (read_document(row) or {}).get("citations", []))


def _ref(page: GapPageDocument) -> PageRef:
    return PageRef(source=page.source, id=page.id, language=page.language)


def _cursor(text: str) -> tuple[int, int]:
    size, _, number = text.partition("-")
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in (size, number)):
        raise InputError("the cursor is invalid: use the list's `next` unchanged, or leave it out")
    return int(size), int(number)
