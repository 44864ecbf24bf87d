"""The day or time that a question asks opening hours of, in German and English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from app.features.facts.hours_words import months, weekdays

AskedKind = Literal["now", "day", "weekday", "month", "week"]

_NOW: Final = re.compile(
    r"\b(?:jetzt|gerade|momentan|aktuell|noch|schon|(?:right )?now|still|currently|at the moment|already)\b",
    re.IGNORECASE,
)
_TODAY: Final = re.compile(r"\b(?:heute|today|tonight)\b", re.IGNORECASE)
_TOMORROW: Final = re.compile(r"(?<!guten )(?<!am )\b(?:morgen|tomorrow)\b", re.IGNORECASE)
_AFTER_TOMORROW: Final = re.compile(r"\b(?:übermorgen|day after tomorrow)\b", re.IGNORECASE)
_FEASTS: Final = (
    (re.compile(r"\b(?:heiligabend|christmas eve)\b", re.IGNORECASE), (12, 24)),
    (re.compile(r"\b(?:silvester|new year['’]?s eve)\b", re.IGNORECASE), (12, 31)),
    (re.compile(r"\b(?:neujahr|new year['’]?s day)\b", re.IGNORECASE), (1, 1)),
)
_NUMBERED: Final = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})?")
_GERMAN_DATE: Final = re.compile(r"\b(\d{1,2})\.\s?([^\W\d_]+)\s?(\d{4})?")
_ENGLISH_DATE: Final = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?\s(?:of\s)?([A-Z][a-z]+)|([A-Z][a-z]+)\s(\d{1,2})(?:st|nd|rd|th)?\b)(?:,?\s(\d{4}))?"
)
_WORD: Final = re.compile(r"[^\W\d_]+")

FEWEST_LETTERS: Final = 5
"""Of the name of a weekday: shorter ones are other words, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDay:
    """``now``: about this minute; ``day``: a certain one; ``weekday``: these ``weekdays`` of any week (0 is
    Monday), perhaps in a ``month``; ``month``: any day of it; ``week``: opening hours as such."""

    kind: AskedKind
    day: date | None = None
    weekdays: tuple[int, ...] = ()
    month: int | None = None


def asked_day(question: str, today: date) -> AskedDay:
    """Return the day that a question asks opening hours of."""
    if day := _named_day(question, today):
        return AskedDay(kind="day", day=day)
    weekdays, month = tuple(_weekdays(question)), _month(question)
    if weekdays:
        return AskedDay(kind="weekday", weekdays=weekdays, month=month)
    if month:
        return AskedDay(kind="month", month=month)
    if _TODAY.search(question):
        return AskedDay(kind="day", day=today)
    return AskedDay(kind="now" if _NOW.search(question) else "week")


def _named_day(question: str, today: date) -> date | None:
    for feast, (month, day) in _FEASTS:
        if feast.search(question):
            return _next(today, month, day)
    if _AFTER_TOMORROW.search(question):
        return today + timedelta(days=2)
    if _TOMORROW.search(question):
        return today + timedelta(days=1)
    return next(filter(None, _dates(question, today)), None)


def _dates(question: str, today: date) -> Iterator[date | None]:
    for day, month, year in _NUMBERED.findall(question):
        yield _date(today, int(month), int(day), year)
    for day, name, year in _GERMAN_DATE.findall(question):
        yield _date(today, months().get(name.casefold(), 0), int(day), year)
    for day, name, other, number, year in _ENGLISH_DATE.findall(question):
        month = months().get((name or other).casefold(), 0)
        yield _date(today, month, int(day or number), year)


def _date(today: date, month: int, day: int, year: str) -> date | None:
    try:
        return date(int(year), month, day) if year else _next(today, month, day)
    except ValueError:
        return None


def _next(today: date, month: int, day: int) -> date:
    """The next such day, which may be today."""
    this_year = date(today.year, month, day)
    return this_year if this_year >= today else date(today.year + 1, month, day)


def _weekdays(question: str) -> Iterator[int]:
    for word in _WORD.findall(question):
        if len(word) >= FEWEST_LETTERS and word.casefold() not in ("täglich", "daily"):
            yield from sorted(number for number in weekdays().get(word.casefold(), ()) if number < 7)


def _month(question: str) -> int | None:
    names = (word for word in _WORD.findall(question) if word[0].isupper() and len(word) >= 3)
    return next((months()[name.casefold()] for name in names if name.casefold() in months()), None)
