"""Calendar days as texts name them: "am 24. und 31. Dezember", "from Friday 2 July to Sunday 4 July 2027".

Pure functions for German and English.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.features.facts.hours import LEAP_YEAR, MonthDay
from app.features.facts.hours_words import months, weekday_words

CENTURY: Final = 2000
"""Added to years of two digits, of which only those up to 49 are read."""

_MONTH: Final = "(?:" + "|".join(sorted(months(), key=len, reverse=True)) + r")\b\.?"
_FEASTS: Final = (
    (r"heilig(?:er )?abend|christmas eve", (12, 24)),
    (r"(?:1\.|ersten?r?) weihnachts(?:feier)?tag|christmas day", (12, 25)),
    (r"(?:2\.|zweiten?r?) weihnachts(?:feier)?tag|boxing day", (12, 26)),
    (r"silvester|new year['’]s eve", (12, 31)),
    (r"neujahr(?:stag)?|new year['’]s day", (1, 1)),
)
_FEAST: Final = "|".join(name for name, _ in _FEASTS)
_DAY: Final = (
    rf"(?:\d{{1,2}}\.\s?\d{{1,2}}\.(?:\s?\d{{4}}\b|\d\d\b)?"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}}\b)?"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,\s\d{{4}}\b)?|(?:{_FEAST})(?:\s\d{{4}}\b)?"
    r"|\d{1,2}(?:\.|st|nd|rd|th)?(?![\d:]|\.\d|\s?(?:uhr|h|[ap]\.?m)\b))"
)
_SHORT: Final = "|".join(sorted((name for name in weekday_words() if len(name) <= 6), key=len, reverse=True))
_WEEKDAY: Final = rf"(?:(?:\w+(?:tag|day)s?|mittwochs?|{_SHORT})\b\.?,?\s(?:(?:den|dem|the)\s)?)?"
_FROM: Final = r"(?:(?:am|an|vom|von|in der zeit vom|on|from|zum|the)\s)?"
_LINK: Final = (
    r"(?:\s?(?:,|/|und|sowie|and|&)\s?(?:sowie\s|and\s)?"
    r"|\s?(?:bis(?: zum| einschließlich)?|to|until|through|–|-)\s?)"
)
_GROUP: Final = re.compile(
    rf"\b{_FROM}(?P<weekday>{_WEEKDAY})(?P<days>{_DAY}(?:{_LINK}{_FROM}{_WEEKDAY}{_DAY})*)"
    rf"|\b(?P<between>zwischen weihnachten und neujahr|between christmas and new year)\b",
    re.IGNORECASE,
)
_ONE: Final = re.compile(rf"(?P<link>{_LINK}|^){_FROM}(?P<weekday>{_WEEKDAY})(?P<day>{_DAY})", re.IGNORECASE)
_TO: Final = re.compile(r"bis|to|until|through|–|-", re.IGNORECASE)
_BETWEEN: Final = ((12, 27), (12, 30))


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarDays:
    """A day, or the days from the ``first`` to the ``last``.

    ``year``: of the first day, if the text gives it. ``weekdays``: those that the text gives for the first
    and the last day (0 is Monday).
    """

    first: MonthDay
    last: MonthDay
    year: int | None = None
    weekdays: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayGroup:
    """Days that a text lists together, from offset ``start`` to ``end``. ``days`` is empty if one of them
    does not exist."""

    days: tuple[CalendarDays, ...]
    start: int
    end: int


def day_groups(text: str) -> list[DayGroup]:
    """Return the groups of days in a text without markup; at least one day in each group has a month."""
    return [
        DayGroup(days=tuple(_days(group)), start=group.start(), end=group.end())
        for group in _GROUP.finditer(text)
        if group["between"] or any(_month_day(each["day"]) for each in _ONE.finditer(group["days"]))
    ]


def _days(group: re.Match[str]) -> Iterator[CalendarDays]:
    if group["between"]:
        yield CalendarDays(first=_BETWEEN[0], last=_BETWEEN[1])
        return
    told = list(_ONE.finditer(group["days"]))
    read = [_month_day(each["day"]) for each in told]
    years = [_year(each["day"]) for each in told]
    for at in range(len(told) - 2, -1, -1):  # "24. und 31. Dezember"
        following, number = read[at + 1], re.match(r"\d+", told[at]["day"])
        if read[at] is None and following and number:
            read[at], years[at] = (following[0], int(number[0])), years[at + 1]
    days = [each for each in read if each and _is_day(*each)]
    if len(days) < len(told):
        return
    weekdays = list(
        map(_weekday, [group["weekday"] or told[0]["weekday"], *(each["weekday"] for each in told[1:])])
    )
    ends = [bool(_TO.search(each["link"])) for each in told[1:]]
    at = 0
    while at < len(told):
        last = at + 1 if at < len(ends) and ends[at] else at
        year = years[last]
        begins = year - (days[last] < days[at]) if last > at and year and not years[at] else years[at]
        yield CalendarDays(
            first=days[at], last=days[last], year=begins, weekdays=(weekdays[at], weekdays[last])
        )
        at = last + 1


def _weekday(text: str) -> int | None:
    word = re.match(r"\w+", text)
    return weekday_words().get(word[0].casefold()) if word else None


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= monthrange(LEAP_YEAR, month)[1]


def _month_day(text: str) -> MonthDay | None:
    for name, day in _FEASTS:
        if re.match(name, text, re.IGNORECASE):
            return day
    if figures := re.match(r"(\d{1,2})\.\s?(\d{1,2})\.(?![5-9]\d$)", text):
        return int(figures[2]), int(figures[1])
    name = next((word for word in re.findall(r"[^\W\d_]+", text) if word.casefold() in months()), "")
    number = re.search(r"(?<!\d)\d{1,2}(?!\d)", text)
    return (months()[name.casefold()], int(number[0])) if name and number else None


def _year(text: str) -> int | None:
    found = re.search(r"\d{4}|(?<=\.)\d\d$", text)
    return int(found[0]) + CENTURY * (len(found[0]) == 2) if found else None
