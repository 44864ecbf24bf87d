"""Dates in a line, row or sentence, with their years. Pure functions; in doubt there are none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Final

from app.features.facts.calendar_days import CalendarDays, DayGroup, day_groups
from app.features.facts.doubts import named_weekdays
from app.features.facts.editing import is_edited
from ingest.text import sentences

READ_CHARACTERS: Final = 100_000
LINE_CHARACTERS: Final = 160
MOST_CHARACTERS: Final = 400
"""The longest line or sentence that is shown."""

BEFORE_CHARACTERS: Final = 100
"""Before a date, where words such as "until" are looked for."""


PARTS: Final = " · "
YEAR: Final = re.compile(r"(?<![\d.,])(?<!seit )(?<!since )(?:20\d\d)(?:\s?[/–-]\s?(?:20)?\d\d\b)?(?!\d)")
LIMIT: Final = re.compile(
    r"(?:\b(?:bis|ab|seit|spätestens|frühestens|vor|nach|until|till|by|before|after|since|than|stand|fassung"
    r"|letzte änderung|aktualisiert|last updated)(?: (?:zum|dem|einschließlich|am|spätestens|on|the"
    r"|\d{1,2}(?:[.:]\d\d)?\s?(?:[ap]m|noon|uhr)))*"
    r"|\b(?:schluss|frist|deadline|stichtag)\b|\w+(?:schluss|frist))\W*$",
    re.IGNORECASE,
)
"""Precedes a date from or until which something applies."""

_OPEN_START: Final = re.compile(r"(?:von|vom|from)\s", re.IGNORECASE)
_TO_DEADLINE: Final = re.compile(r"schluss\b|\bfrist|stichtag|deadline|closing date|last day", re.IGNORECASE)
OFF: Final = re.compile(
    r"abgesagt|entf[aä]ll(?:t|en)\b|\bf[aä]ll(?:t|en)\b.*\b(?:aus|weg)\b|nicht mehr|ausgefallen|nicht statt"
    r"|cancelled|canceled|called off|not take place",
    re.IGNORECASE,
)
CHANGED: Final = re.compile(
    r"~~|versch[oi]e?b|verleg|\bauf de[nr] .*gelegt\b|statt am|stattdessen|vorgezogen|geändert"
    r"|\b(?:erst|schon|bereits) am\b"
    r"|postpone|resched|moved|instead|brought forward|changed|no longer|\bstatt (?:\w+, )?\d",
    re.IGNORECASE,
)
_UNREAD: Final = re.compile(
    r"\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\b20\d\d-\d\d-\d\d\b|\d\d?\.\s?\d\d?\.(?:\d{5,}|\d\b)"
)
_TRAILING: Final = re.compile(r"(?:[\s,;:–(-]|\b(?:am|on|vom|from|the|den))+$", re.IGNORECASE)
_BARE: Final = re.compile(r"[^\W\d_]{2,}\s$")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_BETWEEN: Final = re.compile(
    r"\([^()]*\)|\b(?:und|and|sowie|as well as|am|on|jeweils|each|then|um|at)\b", re.IGNORECASE
)
_NUMBER_FIRST: Final = re.compile(r"\d{1,2}\s?,")
_TIME: Final = re.compile(
    r"(?:\b(?:ab|um|von|bis|from|at|to|until)\s)?\b\d{1,2}(?:[:.]\d\d)?"
    r"(?:\s?(?:[–-]|bis|to)\s?\d{1,2}(?:[:.]\d\d)?)?\s?(?:Uhr|h\b|[ap]\.?m\b\.?|noon)|\b\d{1,2}[:.]\d\d\b(?:\s?[–-]\s?\d{1,2}[:.]\d\d)?",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(
    r"ort|wo|treffpunkt|raum|saal|platz|uhrzeit|zeit|uhr|beginn|ende|thema|themen|tagesordnung|bemerkung\w*"
    r"|hinweise?|leitung|preis|kosten|wochentag|tag|anmerkung\w*|place|where|venue|room|time|times|start|end"
    r"|topics?|agenda|notes?|weekday|day|price|location|meeting point|",
    re.IGNORECASE,
)
"""Heads of columns that describe a date further, but do not name the thing that takes place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDate:
    """A date, or the days from ``first`` to ``last``.

    ``line``: what states it; ``rest``: the line without the date. ``label``: the thing that takes place, if
    the line names it; on several lines if it names several. ``is_off``: it is cancelled. ``is_changed``: the
    line may say that it is on another day.
    """

    first: date
    last: date
    line: str
    rest: str
    label: str
    is_off: bool = False
    is_changed: bool = False


def is_line(line: str) -> bool:
    """Return True for a line that begins with a date, or with a name followed by a date, and is not a
    sentence."""
    groups = day_groups(line) if len(line) <= LINE_CHARACTERS else []
    if not groups:
        return False
    before = line[: groups[0].start]
    if re.fullmatch(r"[^:.!?\d]{1,60}:\s*", before):
        return True
    is_begun = not before.strip() or bool(re.fullmatch(r"[^:.!?\d]{1,60}\s[–-]\s*", before))
    return is_begun and not line.endswith(".") and len(sentences(line)) == 1


def line_dates(line: str, year: int | None, markdown: str = "", day: str = "") -> list[PageDate] | None:
    """Return the dates in a line, empty if it has none except limits, or ``None`` if one is not understood.

    ``markdown``: the line with its markup. ``day``: a heading that is a date, for lines without one.
    """
    groups = day_groups(line[:MOST_CHARACTERS])
    if groups and len(line) > MOST_CHARACTERS:
        return None
    if not groups and day and line:
        head, _, _ = _TIME.sub("", line).partition(":")
        read = line_dates(day, year) or []
        return [_marked(replace(each, line=line, rest=line, label=head), markdown or line) for each in read]
    if not groups:
        return None if _UNREAD.search(line) else []
    told = [group for group in groups if not _is_limit(line, group)]
    if not told:
        return []
    days = resolved(line, told, year)
    if days is None or not _are_alike(line, told):
        return None
    rest = _without(line, told)
    label = "" if _is_attribute(line, told, rest) else _TIME.sub("", rest).strip(" ,;:–-()")
    found = (PageDate(first=one, last=last, line=line, rest=rest, label=label) for one, last in days)
    return [_marked(each, markdown or line) for each in found]


def _are_alike(line: str, groups: Sequence[DayGroup]) -> bool:
    """Return True if only times are between the dates of a line, so that they belong to one thing."""
    between = (line[one.end : other.start] for one, other in pairwise(groups))
    return not any(_WORD.search(_BETWEEN.sub("", _TIME.sub("", each))) for each in between)


def row_dates(row: Sequence[str], header: Sequence[str], at: int, year: int | None) -> list[PageDate] | None:
    """Return the dates in a cell of a row, with the text of its other cells, or ``None`` if one is not
    understood."""
    read = line_dates(row[at], year)
    if not read:
        return None if read is None or row[at].strip(" –-") else []
    others = [
        (head, cell)
        for number, (head, cell) in enumerate(zip(header, row, strict=True))
        if number != at and any(map(str.isalnum, cell)) and not is_timed(head, cell)
    ]
    names = [cell for head, cell in others if not _WHERE.fullmatch(head.strip(" :")) and not cell.isdigit()]
    label = "\n".join(part for cell in names for part in re.split(r", | / ", cell))
    beside = [cell for _, cell in others]
    line = " – ".join(filter(None, row))
    rests = (", ".join(filter(None, (each.rest if len(read) == 1 else "", *beside))) for each in read)
    told = zip(read, rests, strict=True)
    found = (replace(each, line=line, rest=rest, label=label or each.label) for each, rest in told)
    return [_marked(each, line) for each in found]


def is_timed(head: str, cell: str) -> bool:
    """Return True for a cell with days of its own, as opposed to the weekday of a date in another cell."""
    is_beside = bool(_WHERE.fullmatch(head.strip(" :")))
    return bool(day_groups(cell)) or (bool(named_weekdays(cell)) and not is_beside)


def is_changed(text: str) -> bool:
    """Return True if a sentence says that something is cancelled or on another day."""
    told = text[:MOST_CHARACTERS]
    return bool(OFF.search(told) or CHANGED.search(told))


def _marked(date: PageDate, text: str) -> PageDate:
    """The date, marked as cancelled or changed if the text says so."""
    return replace(date, is_off=bool(OFF.search(text)), is_changed=bool(CHANGED.search(text)))


def has_weekdays(line: str) -> bool:
    """Return True if a line names the weekday of each of its dates."""
    return all(day.weekdays[0] is not None for group in day_groups(line) for day in group.days)


def _is_limit(line: str, group: DayGroup) -> bool:
    before = line[max(group.start - BEFORE_CHARACTERS, 0) : group.start]
    is_start = len(group.days) == 1 and group.days[0].first == group.days[0].last
    if is_edited(line[: group.start]):
        return True
    return bool(LIMIT.search(before) or (is_start and _OPEN_START.match(line[group.start :])))


def resolved(line: str, groups: Sequence[DayGroup], year: int | None) -> list[tuple[date, date]] | None:
    """Return the days in a line with their years; ``year`` applies if it names none.

    ``None`` if a day does not exist, has no year, or falls on another weekday than the line says.
    """
    days = [each for group in groups for each in group.days]
    named = {each.year for each in days if each.year}
    if any(not group.days or _is_number_first(line, group) for group in groups):
        return None
    if len(named) > 1 and any(each.year is None for each in days):
        return None
    ends = [each.first for each in days if each.year is None or len(named) == 1]
    if any(later < earlier for earlier, later in pairwise(ends)):
        return None
    year = next(iter(named), year)
    found = [_fixed(each, each.year or year) for each in days]
    return [each for each in found if each] if all(found) else None


def _is_number_first(line: str, group: DayGroup) -> bool:
    """Return True if what looks like a day may be another number: "Saal 3, 20. März"."""
    return bool(_BARE.search(line[: group.start]) and _NUMBER_FIRST.match(line[group.start :]))


def _fixed(days: CalendarDays, year: int | None) -> tuple[date, date] | None:
    if year is None:
        return None
    try:
        first = date(year, *days.first)
        last = date(year + (days.last < days.first), *days.last)
    except ValueError:
        return None
    told = zip(days.weekdays, (first, last), strict=True)
    return (first, last) if all(weekday in (None, day.weekday()) for weekday, day in told) else None


def _without(line: str, groups: Sequence[DayGroup]) -> str:
    """The text before and after the dates of a line."""
    before = _TRAILING.sub("", line[: groups[0].start])
    after = line[groups[-1].end :].lstrip(" ,;:.–-)")
    return f"{before} … {after}" if before and after else before or after


def _is_attribute(line: str, groups: Sequence[DayGroup], rest: str) -> bool:
    """Return True if the line says nothing but when and where."""
    before, after = line[: groups[0].start], line[groups[-1].end :]
    if _TO_DEADLINE.search(line):
        return False
    if before.strip(" ,:") and not re.fullmatch(
        r"(?:(?:die|unsere|our|the)\s)?(?:(?:nächste[nr]?|kommende[nr]?|next|upcoming)\s)?"
        r"(?:termine?|datum|dates?|wann|when|beginn|start|kursbeginn)\W*",
        before,
        re.IGNORECASE,
    ):
        return False
    return (
        not rest
        or bool(re.match(r"\s*[(,]|\s+(?:um|ab|von|at|from|in|im|auf|on)\b|\s*$", after))
        or not _TIME.sub("", after).strip(" ,;:–-.")
    )
