"""Dates, deadlines and schedules of a page as JSON."""

from typing import Self

from app.document import Document
from app.features.facts.date_lists import DateList
from app.features.facts.dates import PageDate
from app.features.facts.deadlines import Deadline
from app.features.facts.schedules import Schedule


class DateDocument(Document):
    """The days from the ``first`` to the ``last``, such as ``2027-02-23``, and the line that states them.
    ``is_off``: it says that it is cancelled."""

    first: str
    last: str
    line: str
    is_off: bool

    @classmethod
    def of(cls, found: PageDate) -> Self:
        """Describe a date."""
        first, last = found.first.isoformat(), found.last.isoformat()
        return cls(first=first, last=last, line=found.line, is_off=found.is_off)


class DatesDocument(Document):
    """Dates in one list, table or sentence: the ``headings`` above it, and the sentence that leads to it,
    often empty."""

    headings: list[str]
    lead: str
    dates: list[DateDocument]

    @classmethod
    def of(cls, found: DateList) -> Self:
        """Describe dates."""
        return cls(headings=list(found.above), lead=found.lead, dates=list(map(DateDocument.of, found.dates)))


class DeadlineDocument(Document):
    """A deadline in the page's words. ``last``: the last day, such as ``2027-04-30``, if its sentence gives
    the year."""

    headings: list[str]
    text: str
    last: str | None

    @classmethod
    def of(cls, found: Deadline) -> Self:
        """Describe a deadline."""
        last = found.last.isoformat() if found.last else None
        return cls(headings=list(found.above), text=found.text, last=last)


class ScheduleDocument(Document):
    """A table of recurring times: the heads of its columns, and its rows, each beginning with its label."""

    headings: list[str]
    heads: list[str]
    rows: list[list[str]]

    @classmethod
    def of(cls, found: Schedule) -> Self:
        """Describe a table."""
        rows = [[row.label, *row.cells] for row in found.rows]
        return cls(headings=list(found.above), heads=list(found.heads), rows=rows)
