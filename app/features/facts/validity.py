"""The time in which something applies: "Preise bis 2025", "fees from 1 January 2028". Pure functions.

German and English. A period that is not understood is in doubt.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from app.features.facts.calendar_days import DayGroup, day_groups
from app.features.facts.hours_words import months

BEFORE_CHARACTERS: Final = 40
"""Before a year or a day, where words such as "until" are looked for."""

_YEAR: Final = re.compile(
    r"(?<![\d.,–-])(?P<first>20\d\d)(?:\s?[/–-]\s?(?:20)?(?P<last>\d\d)(?!\d|\.\d))?(?![\d,]|\s?(?:€|euro|liter))",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(
    r".*\b(?:(?P<end>bis|until|till|through|to|endet\w*|ended|ends)|(?P<start>ab|seit|von|vom|zum|from|since"
    r"|as of|starting|beginn\w*|begins?))\b\D*?$",
    re.IGNORECASE | re.DOTALL,
)
_SEASON: Final = re.compile(
    r"\b(?:frühjahr|frühling|sommer|herbst|winter|mitte|anfang|\w*quartal|halbjahr|spring|summer|autumn|mid|early"
    r"|late)\w*\W*$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(r"(?:vom|von|from)\s", re.IGNORECASE)
_MONTH: Final = re.compile(rf"\b(?:{'|'.join(months())})\b", re.IGNORECASE)
_OF_OLD: Final = (
    r"(?= (?:\w+ )?\w*(?:preis|gebühr|tarif|satz|sätze|add?ress|anschrift|kontakt|nummer|termin|sitz|pric|fee"
    r"|rate|charge|contact|number|date))"
)
"""After "old", as opposed to a name such as "Old Town Hall"."""

_EARLIER: Final = re.compile(
    r"\b(?:früher\w*|vormal\w*|ehemal\w*|damal\w*|bisherig\w*|vorherig\w*|vorig\w*|letztjährig\w*"
    rf"|alte[rsnm]?{_OF_OLD}|alt|veraltet\w*|vergangen\w*|ungültig\w*|nicht mehr"
    rf"|abgelaufen\w*|former\w*|previous\w*|old{_OF_OLD}|past|outdated|expired|no longer"
    r"|last year\S*)\b",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:künftig\w*|zukünftig\w*|geplant\w*|vorgesehen\w*|\w*entwurf\w*|vorschlag\w*|demnächst|kommend\w*"
    r"|nächst\w*|future|planned|proposed|draft|upcoming|next|coming)\b",
    re.IGNORECASE,
)


class Period(NamedTuple):
    """From the ``first`` to the ``last`` day; ``None``: without an end on this side, or not known."""

    first: date | None = None
    last: date | None = None
    is_clear: bool = True

    def contains(self, today: date) -> bool:
        """Return True if ``today`` is certainly in it."""
        return self.is_clear and not self.is_over(today) and not (self.first and today < self.first)

    def is_over(self, today: date) -> bool:
        """Return True if it ended before ``today``."""
        return self.is_clear and self.last is not None and self.last < today


def is_of_other_time(text: str, today: date, *, is_heading: bool = True) -> bool:
    """Return True if a heading ("Frühere Preise") or another line ("nicht mehr gültig") says that something
    may not apply ``today``. ``is_heading``: as for :func:`periods`."""
    told = bool(_EARLIER.search(text) or _LATER.search(text))
    return told or not all(each.contains(today) for each in periods(text, is_heading=is_heading))


def periods(text: str, *, is_heading: bool = True) -> Iterator[Period]:
    """Yield the periods that a text names.

    ``is_heading``: a year alone is one, too: "Preise 2026".
    """
    groups = day_groups(text)
    rest = text
    for group in reversed(groups):
        limit = _LIMIT.match(text[max(group.start - BEFORE_CHARACTERS, 0) : group.start])
        rest = f"{rest[: group.start]} {rest[group.end :]}"
        is_from = bool(_FROM.match(text[group.start :]))
        if limit or is_from or is_heading:
            yield _of_days(group, is_start=is_from or bool(limit and limit["start"]), is_end=_is_end(limit))
    for year in _YEAR.finditer(rest):
        before = rest[max(year.start() - BEFORE_CHARACTERS, 0) : year.start()]
        limit = _LIMIT.match(before)
        if limit or is_heading:
            yield _of_year(year, before, is_start=bool(limit and limit["start"]), is_end=_is_end(limit))
    for month in _MONTH.finditer(_YEAR.sub("2", rest)):
        if not month.string[month.end() :].lstrip(" .").startswith("2") and _LIMIT.match(
            month.string[max(month.start() - BEFORE_CHARACTERS, 0) : month.start()]
        ):
            yield Period(is_clear=False)


def _is_end(limit: re.Match[str] | None) -> bool:
    return bool(limit and limit["end"])


def _of_days(group: DayGroup, *, is_start: bool, is_end: bool) -> Period:
    """The period of days; unclear if they have no year, or are several."""
    if len(group.days) != 1 or group.days[0].year is None:
        return Period(is_clear=False)
    [days] = group.days
    try:
        first = date(group.days[0].year, *days.first)
        last = date(group.days[0].year + (days.last < days.first), *days.last)
    except ValueError:
        return Period(is_clear=False)
    if first != last:
        return Period(first, last)
    return Period(first if is_start else None, last if is_end else None, is_clear=is_start or is_end)


def _of_year(year: re.Match[str], before: str, *, is_start: bool, is_end: bool) -> Period:
    """The period of a year, of two ("2025/26"), or of the month before it."""
    first = last = int(year["first"])
    if year["last"]:
        last = first // 100 * 100 + int(year["last"])
    named = _MONTH.findall(before)[-1:]
    begun, end = (months()[named[0].casefold()],) * 2 if named else (1, 12)
    if _SEASON.search(before):
        return Period(is_clear=False)
    start, stop = date(first, begun, 1), date(last, end, monthrange(last, end)[1])
    if is_start or is_end:
        return Period(start if is_start else None, stop if is_end else None)
    return Period(start, stop)
