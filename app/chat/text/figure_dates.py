"""Finds dates and times of day in German and English texts, for :mod:`app.chat.text.figures`."""

import re
from collections.abc import Iterator
from typing import Final

from app.chat.text.figure_keys import Figure, Reader, one
from app.chat.text.numbers import DASH, SPACE, WORDS

_TO: Final = rf"\s*+(?:{DASH}|/|(?:bis(?:\s+zum)?|to|until|till|und|and|oder|or)\b)\s*"
_ORDINAL: Final = r"(?:\.|(?:st|nd|rd|th)\b)?"

_MONTH_NAMES: Final = (
    "Januar|Jänner|January|Jan", "Februar|Feber|February|Feb", "März|Mär|March|Mar", "April|Apr", "Mai|May",
    "Juni|June|Jun", "Juli|July|Jul", "August|Aug", "September|Sept|Sep", "Oktober|October|Okt|Oct",
    "November|Nov", "Dezember|December|Dez|Dec",
)  # fmt: skip
MONTHS: Final = {
    name: f"{number:02}" for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split("|")
}
_MONTH: Final = rf"(?P<month>{'|'.join(MONTHS)})\b\.?"

_CLOCK: Final = r"(?:[ap]\.\s?m\.|[ap]m\b|[AP]M\b|Uhr\b|[Oo]['’]clock\b|hrs\b)"
_HOUR_FOLLOWS: Final = rf"(?:{_TO}\d{{1,2}}(?:[:.]\d\d)?)?\s*{_CLOCK}"
"""Shows that a number after a month is an hour: *bis 21 Uhr* in *von Mai bis Juni 7 bis 21 Uhr*."""

_DAYS: Final = (
    re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})(?![\w-])"),
    re.compile(
        rf"(?<![\w.])(?P<day>\d{{1,2}})\.{SPACE}?(?P<number>\d{{1,2}})\."
        rf"(?:{SPACE}?(?P<year>\d{{4}}|\d{{2}})(?![\d:]|[.,]\d))?(?!\d)"
    ),
    re.compile(r"(?<![\w/])(?P<day>\d{1,2})/(?P<number>\d{1,2})/(?P<year>\d{4})(?![\w/])"),
    re.compile(
        rf"(?<![\w.,:])(?:(?P<first>\d{{1,2}}){_ORDINAL}{_TO}(?:the\s+)?)?(?P<day>\d{{1,2}}){_ORDINAL}\s*"
        rf"(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}})(?!\d))?"
    ),
    re.compile(
        rf"\b{_MONTH}\s+(?:(?P<first>\d{{1,2}}){_ORDINAL}{_TO})?(?P<day>\d{{1,2}})"
        rf"(?!\d|[.:]\d|{_HOUR_FOLLOWS}){_ORDINAL}"
        r"(?:,?\s+(?P<year>\d{4})(?!\d))?"
    ),
)
_MONTH_OF_YEAR: Final = re.compile(rf"\b{_MONTH}\s+(?P<year>\d{{4}})(?!\d)")
_NAMED_MONTH: Final = re.compile(rf"\b{_MONTH}")

_HOURS: Final = re.compile(
    rf"(?<![\w.,:])(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?\s*+(?P<clock>{_CLOCK})?{_TO}"
    rf"(?P<hour2>\d{{1,2}})(?:[:.](?P<minute2>[0-5]\d))?\s*(?P<clock2>{_CLOCK})"
)
_TIMES: Final = (
    re.compile(rf"(?<![\w.,:])(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?![\d:])(?:\s*(?P<clock>{_CLOCK}))?"),
    re.compile(r"(?<![\w.,:])(?P<hour>\d{1,2})\s*Uhr\s(?P<minute>[0-5]\d)(?![\d.,:])(?P<clock>)"),
    re.compile(rf"(?<![\w.,:])(?P<hour>\d{{1,2}})(?:\.(?P<minute>[0-5]\d))?\s*(?P<clock>{_CLOCK})"),
)
_BARE_TIME: Final = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-4])[.:](?P<minute>[0-5]\d)(?![\d:])(?P<clock>)"
)
_DAY_MINUTES: Final = 24 * 60
_HALF_DAY: Final = 12

_HALF_PAST: Final = re.compile(rf"\b[Hh]alb (?P<word>eins|{'|'.join(WORDS)})\b(?: Uhr)?")


def loose_dates(text: str) -> Iterator[str]:
    """Yield the keys of times of day without "Uhr" or "am", and of the months that a text names."""
    for match in _BARE_TIME.finditer(text):
        yield from _at(match).states
    yield from (f"month {MONTHS[match['month']]}" for match in _NAMED_MONTH.finditer(text))


def _day(match: re.Match[str]) -> Iterator[Figure]:
    groups = match.groupdict()
    month = MONTHS[groups["month"]] if groups.get("month") else f"{int(groups['number']):02}"
    days = [int(day) for day in (groups.get("first"), groups["day"]) if day]
    if int(month) > 12 or not all(0 < day <= 31 for day in days):
        return
    year = groups["year"] or ""
    for day in days:
        yield _day_figure("20" + year if len(year) == len("25") else year, month, f"{month}-{day:02}")


def _day_figure(year: str, month: str, day: str) -> Figure:
    if not year:  # "3.5." may be a number at the end of a sentence
        number = f"{int(day[3:])}.{int(month)}"
        return Figure(
            any_of=(frozenset((day,)), frozenset((number,))), states=frozenset((day, f"every {day}", number))
        )
    exact = f"{year}-{day}"
    return Figure(
        any_of=(frozenset((exact,)), frozenset((f"every {day}", year))),
        states=frozenset((exact, day, f"{year}-{month}", year)),
    )


def _month_of_year(match: re.Match[str]) -> Iterator[Figure]:
    month, year = MONTHS[match["month"]], match["year"]
    key = f"{year}-{month}"
    yield Figure(
        any_of=(frozenset((key,)), frozenset((f"month {month}", year))), states=frozenset((key, year))
    )


def _hours(match: re.Match[str]) -> Iterator[Figure]:
    """Yield both ends of "8 to 12 pm". If the first has no clock of its own, it may be in the second's half
    of the day or in the morning."""
    clock = match["clock2"]
    last = _time(match["hour2"], match["minute2"], clock)
    first = _time(match["hour"], match["minute"], match["clock"] or clock)
    if first is None or last is None:
        return
    if not match["clock"] and "m" in clock.lower():
        other = _time(match["hour"], match["minute"], "am")
        first = Figure(any_of=first.any_of + (other.any_of if other else ()), states=first.states)
    yield from (first, last)


def _clock(match: re.Match[str]) -> Iterator[Figure]:
    figure = _time(match["hour"], match["minute"], match["clock"] or "")
    if figure:
        yield figure


def _at(match: re.Match[str]) -> Figure:
    return _time(match["hour"], match["minute"], "") or one()


def _time(hour: str, minute: str | None, clock: str) -> Figure | None:
    """Return the time of day, or None if there is no such hour. The source may state a full hour as a bare
    number."""
    hours = int(hour)
    if hours > 24:
        return None
    half = clock.lower()[:1]
    if half in ("a", "p") and hours <= _HALF_DAY:
        hours = hours % _HALF_DAY + (_HALF_DAY if half == "p" else 0)
    minutes = (60 * hours + int(minute or 0)) % _DAY_MINUTES
    key = f"{minutes // 60}:{minutes % 60:02}"
    if minutes % 60:
        return one(key)
    return Figure(any_of=(frozenset((key,)), frozenset((str(hours),))), states=frozenset((key, str(hours))))


def _half_past(match: re.Match[str]) -> Iterator[Figure]:
    hour = WORDS.get(match["word"].casefold(), 1)
    if hour <= _HALF_DAY:
        yield one(f"{(hour - 1) % _HALF_DAY}:30")


DATE_READERS: Final[tuple[Reader, ...]] = (
    *(("date", pattern, _day) for pattern in _DAYS),
    ("date", _MONTH_OF_YEAR, _month_of_year),
    ("time", _HOURS, _hours),
    *(("time", pattern, _clock) for pattern in _TIMES),
    ("time", _HALF_PAST, _half_past),
)
