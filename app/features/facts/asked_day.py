"""The day for which a question asks opening hours, in German and English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final, Literal

from app.features.facts.hours_words import months, weekdays

AskedKind = Literal["day", "weekday", "month"]

MOST_DAYS_AHEAD: Final = 366
"""Dates are answered up to this many days ahead."""

_TODAY: Final = re.compile(r"\b(?:heute|today|tonight)\b", re.IGNORECASE)
_NOW: Final = re.compile(
    r"\b(?:jetzt|grade?|gerade|aktuell|momentan|derzeit|zurzeit|noch|schon|now|currently|still|at the moment"
    r"|right away|already)\b",
    re.IGNORECASE,
)
_TOMORROW: Final = re.compile(r"\b(?:morgen|tomorrow)\b", re.IGNORECASE)
_GREETING: Final = re.compile(r"\bguten morgen\b|\bgood morning\b|^\s*morgen\s*[!,.]", re.IGNORECASE)
_MORNING: Final = re.compile(r"\b(?:heute|\w+tags?|mittwochs?) morgen\b", re.IGNORECASE)
_AFTER_TOMORROW: Final = re.compile(r"\b(?:übermorgen|day after tomorrow)\b", re.IGNORECASE)
_THIS: Final = re.compile(r"\b(?:diese[nrsm]?|(kommende[nrsm]?|coming)|this)\s+([^\W\d_]+)", re.IGNORECASE)
_OTHER_DAY: Final = re.compile(
    r"weihnacht|feiertag|oster|pfingst|rosenmontag|karfreitag|himmelfahrt|fronleichnam|fasching|karneval"
    r"|sommer|winter|herbst|frühling|saison|summer|autumn|season|allerheiligen|einheit|bettag|reformation"
    r"|gründonnerstag|nikolaus|totensonntag|muttertag|advent|zwischen den jahren|thanksgiving|labor day"
    r"|king day|ascension|pentecost|whit monday|new year|täglich|every day|jeden tag|\berste[nrs]?\b"
    r"|\bfirst\b|\btagen\b|\bdays\b|\bam morgen\b"
    r"|gestern|nächste|letzte|vorige|woche\b|ferien|christmas|boxing|easter|good friday|holiday|yesterday"
    r"|\bnext\b|\blast\b|\bweek\b|\bwurde|\bwar(?:en)?\b|hatten?\b|\bwere\b|\bdid\b|\bwas\b(?=.*\bopen)",
    re.IGNORECASE,
)
"""Days that are not worked out, and the past."""

_PART_OF_DAY: Final = re.compile(
    r"(?:(?:vor|nach)?mittag|alltag|wochentag|arbeitstag)(?:s|e|en)?", re.IGNORECASE
)
_COUNCIL: Final = re.compile(r"(?:land|bundes|kreis|reichs|bezirks|städte)tage?s?", re.IGNORECASE)
_NAMED_DAY: Final = re.compile(r"[^\W\d_]+(?:tag|tags|tage|tagen|mittwoch|sonnabend|abend)", re.IGNORECASE)
_WEEKDAY_NAMES: Final = "|".join(name for name, days in weekdays().items() if len(days) == 1)
_KNOWN: Final = "|".join((*weekdays(), *months(), "mittag"))
_FEAST_DAY: Final = re.compile(
    r"\btag de[rs]\b|\b\w*(?:fest|nacht|umzug|kirmes|kirchweih|karneval|halloween|könige?|ramadan|martini)\b"
    rf"|\b(?:an|zu|über|während|on|over|during)\s+(?!(?:{_KNOWN})\b)(?-i:[A-ZÄÖÜ])\w+"
    rf"|\b(?:am|an|zum)\s+(?!(?:dies|kommend)en\b)[^\W\d_]+en\s+(?:{_WEEKDAY_NAMES})\b"
    r"|\b(?-i:[A-Z])[\w'’]+ days?\b|['’]s? day\b|\beve\b|\b(?:hanukkah|eid|diwali|passover|lent)\b"
    r"|\b(?:memorial|veterans|mothers|fathers|valentines|election|may|labour|remembrance|independence) day\b"
    rf"|\b(?:black|ash|shrove|maundy|holy|cyber|palm|whit|super|fat) (?:{_WEEKDAY_NAMES})\b",
    re.IGNORECASE,
)
"""A feast, or a weekday with another name, that is not worked out."""

_BESIDE_FEAST: Final = re.compile(
    r"\b(?:nach|vor|ab|bis|after|before|until|since|from)\s(?:\w+\s)?$", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\b(?:zwischen|between)\b", re.IGNORECASE)
_RANGE: Final = re.compile(r"\s*(?:bis|to|through|until|–|-)\s*")
_FEASTS: Final = (
    (re.compile(r"\b(?:heiligabend|christmas eve)\b", re.IGNORECASE), (12, 24)),
    (re.compile(r"\b(?:silvester|new year['’]?s eve)\b", re.IGNORECASE), (12, 31)),
    (re.compile(r"\b(?:neujahr|new year['’]?s day)\b", re.IGNORECASE), (1, 1)),
)
_NUMBERED: Final = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})?")
_GERMAN_DATE: Final = re.compile(r"\b(\d{1,2})\.\s?([^\W\d_]{3,})\s?(\d{4})?")
_ENGLISH_DATE: Final = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?\s(?:of\s)?([A-Z][a-z]+)|([A-Z][a-z]+)\s(\d{1,2})(?:st|nd|rd|th)?\b)(?:,?\s(\d{4}))?"
)
_ANY_DATE: Final = re.compile(r"\d[./]\s?\d{1,2}\b")
_UNREAD: Final = re.compile(
    r"\d|\b(?:Mo|Di|Mi|Fr|Sa|Mon|Tue|Tues|Wed|Thu|Thurs|Fri|Sat|Sun|mo|fr|sa)\b"
    r"|\b(?:Do|So)\.|\b(?:am|von|bis) (?:Do|So)\b"
)
"""Digits, and short names of weekdays."""

_DAY_STEM: Final = re.compile(
    r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?(?=\w)"
)
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDay:
    """The day asked for. ``kind`` says which of these counts:

    * ``day``: one date
    * ``weekday``: these ``weekdays`` of any week (0 is Monday), perhaps in a ``month``
    * ``month``: any day of it

    ``is_named``: ``False`` if the question names no day and does not say "now", so that ``day`` is today.
    """

    kind: AskedKind
    day: date | None = None
    is_named: bool = True
    weekdays: tuple[int, ...] = ()
    month: int | None = None


def asked_day(question: str, today: date) -> AskedDay | None:
    """Return the day for which a question asks opening hours; today if it names none.

    ``None`` if it names one that is not worked out, has passed, or is too far ahead.
    """
    rest = _GREETING.sub("", question)
    for feast, (month, day) in _FEASTS:
        if (found := feast.search(rest)) and not _BETWEEN.search(rest):
            is_beside = _BESIDE_FEAST.search(rest[: found.start()])
            return None if is_beside else AskedDay(kind="day", day=_next(today, month, day))
    if _OTHER_DAY.search(rest) or names_feast(rest):
        return None
    if this := _THIS.search(rest):
        days = weekdays().get(this[2].casefold(), frozenset())
        start = today + timedelta(days=bool(this[1]))
        return AskedDay(kind="day", day=following(start, min(days))) if len(days) == 1 else None
    dates = list(_dates(rest, today))
    if dates or _ANY_DATE.search(rest):
        [first, *others] = dates or [None]
        if first is None or others or not today <= first <= today + timedelta(days=MOST_DAYS_AHEAD):
            return None
        return AskedDay(kind="day", day=first)
    return None if _UNREAD.search(rest) else _regular(rest, today)


def names_feast(question: str) -> bool:
    """Return True if a question names a feast or another day that is not worked out."""
    named = (word for word in _WORD.findall(question) if _NAMED_DAY.fullmatch(word))
    return bool(_FEAST_DAY.search(question)) or any(
        word.casefold() not in weekdays()
        and not (_DAY_STEM.match(word.casefold()) or _PART_OF_DAY.fullmatch(word) or _COUNCIL.fullmatch(word))
        for word in named
    )


def without_feasts(question: str) -> str:
    """Return a question without the names of the feasts that :func:`asked_day` works out."""
    for feast, _ in _FEASTS:
        question = feast.sub("", question)
    return question


def _regular(question: str, today: date) -> AskedDay | None:
    """Weekdays, a month, or today, tomorrow or the day after; ``None`` for a range or a mixture of these."""
    named, month = list(_weekdays(question)), list(_months(question))
    if len(month) > 1 or _is_range(question):
        return None
    is_after = bool(_AFTER_TOMORROW.search(question))
    told = [bool(_TODAY.search(question)), is_after or bool(_TOMORROW.search(question))]
    if named:
        days = tuple(sorted({day for days in named for day in days if day < 7}))
        is_plain = not told[0] and (not told[1] or bool(_MORNING.search(question)))
        return AskedDay(kind="weekday", weekdays=days, month=next(iter(month), None)) if is_plain else None
    if month:
        return AskedDay(kind="month", month=month[0]) if not any(told) else None
    if all(told) and not _MORNING.search(question):
        return None
    ahead = 0 if told[0] else told[1] + is_after
    is_named = any(told) or bool(_NOW.search(question))
    return AskedDay(kind="day", day=today + timedelta(days=ahead), is_named=is_named)


def _dates(question: str, today: date) -> Iterator[date | None]:
    """The calendar days that are named; ``None`` for one that does not exist."""
    for day, month, year in _NUMBERED.findall(question):
        yield _date(today, int(month), int(day), year)
    for day, name, year in _GERMAN_DATE.findall(question):
        if number := months().get(name.casefold()):
            yield _date(today, number, int(day), year)
    for day, name, other, number, year in _ENGLISH_DATE.findall(question):
        if month := months().get((name or other).casefold()):
            yield _date(today, month, int(day or number), year)


def _date(today: date, month: int, day: int, year: str) -> date | None:
    try:
        return date(int(year), month, day) if year else _next(today, month, day)
    except ValueError:
        return None


def _next(today: date, month: int, day: int) -> date:
    """The next such day, perhaps today."""
    this_year = date(today.year, month, day)
    return this_year if this_year >= today else date(today.year + 1, month, day)


def following(today: date, weekday: int) -> date:
    """Return the next such weekday (0 is Monday), perhaps today."""
    return today + timedelta(days=(weekday - today.weekday()) % 7)


def _weekdays(question: str) -> Iterator[frozenset[int]]:
    """The weekdays that are named, without words such as "daily"."""
    for word in _WORD.findall(question):
        name = word.casefold()
        stem = _DAY_STEM.match(name)
        days = weekdays().get(stem[0] if stem and name not in weekdays() else name, frozenset())
        if 0 < len(days) < 8:
            yield days


def _months(question: str) -> Iterator[int]:
    for word in _WORD.findall(question):
        if word[0].isupper() and len(word) > 2 and word.casefold() in months():
            yield months()[word.casefold()]


def _is_range(question: str) -> bool:
    """Return True if the question names a range of days or months."""
    names = weekdays().keys() | months().keys()
    words = list(_WORD.finditer(question))
    named = [word for word in words if word[0].casefold() in names]
    return any(_RANGE.fullmatch(question[one.end() : other.start()]) for one, other in pairwise(named))
