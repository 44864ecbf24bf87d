"""Old pages as news for editors: answers cite them, although nobody has changed them for a year."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from sqlalchemy import and_, func, select

from app.accounts.news import Line, Reader, Section, Span
from app.console.addresses import PREFIX
from app.console.formats import formats
from app.console.texts import TEXTS
from app.pages.database import reading
from app.pages.question_tables import citations, questions
from app.pages.refs import REF_COLUMNS
from app.pages.tables import SERVED, pages

if TYPE_CHECKING:
    from app.services import Services

YEAR: Final = timedelta(days=365)
MOST: Final = 50

_CHANGED: Final = func.coalesce(pages.c.updated, pages.c.accepted_at)
"""When the CMS last changed the page; otherwise when we received it."""


def news(services: Services, reader: Reader, span: Span) -> Iterator[Section]:
    """Yield the old pages that answers in ``span`` cite, most cited first. Acts of law are left out, because
    nobody edits them."""
    columns = (*REF_COLUMNS, pages.c.title, _CHANGED.label("changed"))
    cited = and_(*(column == citations.c[column.name] for column in REF_COLUMNS))
    asked = questions.c.asked_at.between(span.start, span.end)
    count = func.count().label("count")
    query = (
        select(*columns, count)
        .join(citations, cited)
        .join(questions, questions.c.answer == citations.c.answer)
        .where(SERVED, asked, pages.c.kind != "act", span.end - YEAR > _CHANGED)
        .group_by(*columns)
        .order_by(count.desc(), *REF_COLUMNS)
        .limit(MOST)
    )
    if reader.sources is not None:
        query = query.where(pages.c.source.in_(sorted(reader.sources)))
    texts = TEXTS[reader.language]
    day = formats(reader.language, texts)["day"]
    with reading(services.engine) as connection:
        rows = connection.execute(query).all()
    lines = tuple(
        Line(
            row.title or row.id,
            texts["letter_old_page"].format(day=day(row.changed), count=row.count),
            f"{PREFIX}/pages/{quote(row.source)}/{quote(row.language)}/{quote(row.id)}",
        )
        for row in rows
    )
    yield Section(40, texts["letter_old_pages"], "", lines)
