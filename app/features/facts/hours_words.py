"""Splits a text into words about opening hours: weekdays, months, times, and the words between them.

The words of each language are in ``vocabulary``. All languages are recognised at once, because pages mix
them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from app.search.languages import read_by_language

LinkKind = Literal["to", "and", "from", "except", "closed", "otherwise", "glue"]
Kind = Literal["time", "days", "month", "nth", "date", "word"] | LinkKind

_SIGNS: Final[Mapping[str, LinkKind]] = {
    **dict.fromkeys("-–—", "to"),
    **dict.fromkeys(",&+/;·", "and"),
    **dict.fromkeys(".:()", "glue"),
}
_LEXEME: Final = re.compile(
    r"(?P<date>\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?)"
    r"|(?P<time>(?<![\d.,/:])\d{1,2}(?:[:.]\d{2})?(?:[ap]m)?(?!\d|[.,]\d))|(?P<word>[^\W\d_]+)|\S"
)
_MERIDIEM: Final = re.compile(r"(?<=\d)\s?([ap])\.?\s?m\b\.?", re.IGNORECASE)
_GERMAN_CLOCK: Final = re.compile(r"uhr\b", re.IGNORECASE)
_NOON: Final = re.compile(r"\b(?:12(?:[.:]00)? )?(?:noon|midday)\b", re.IGNORECASE)
_MIDNIGHT: Final = re.compile(r"\bmidnight\b", re.IGNORECASE)
_SUNDAYS_AND_HOLIDAYS: Final = re.compile(r"\bsonn-\s?(?=(?:und|/|&)\s*feiertag)", re.IGNORECASE)
_WHOLE_MONTHS: Final = re.compile(
    r"\b0?1(?:\.|st)?\s?(?=[^\W\d_]{3,9}\b\s*(?:bis|to|until|through|–|—|-))"
    r"|(?<=[\s–—-])(?:28\./29|28|29|30|31)(?:\.|st|th)?\s?(?=[A-ZÄ][^\W\d_]{2,8}\b)"
)
"""The first day of the month that a range of months begins with, and the last day of the month it ends
with."""

_EVERY_DAY: Final = re.compile(
    r"\b(?:(?:every|each) day|(?:7|seven) days a week|(?:an )?allen tagen|jeden tag|an 7 tagen)\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b([1-4])(?:\.|st|nd|rd|th)(?=\s+(?:[^\W\d_]+tag|mittwoch|sonnabend|[a-z]+day|(?:und|and|u\.)\s+[1-4]))",
    re.IGNORECASE,
)
_PLACES: Final = ("first", "second", "third", "fourth")
_PUBLIC_HOLIDAY: Final = re.compile(r"\b(?:public|bank)\s+(holidays?)\b", re.IGNORECASE)
_AFTER_SHORT: Final = re.compile(
    r"[\d.,/&+:–—-]|(?:und|u|bis|sowie|von|and|to|from|closed|geschlossen|ruhetag)$", re.IGNORECASE
)
_CLOCK: Final = frozenset({"uhr", "h"})
_DAY_ENDS: Final = frozenset({".", "st", "nd", "rd", "th"})


class _Vocabulary(BaseModel):
    """The words of a language, in lower case.

    ``short_weekdays``: may also be other words. ``days``: groups of weekdays (0 is Monday, 7 a public
    holiday). ``ordinals``: positions of a weekday ``of_month``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    weekdays: tuple[tuple[str, ...], ...]
    short_weekdays: tuple[tuple[str, ...], ...]
    days: Mapping[str, frozenset[int]]
    months: tuple[tuple[str, ...], ...]
    ordinals: Mapping[int, tuple[str, ...]]
    of_month: tuple[str, ...]
    words: Mapping[LinkKind, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its meaning.

    ``days``: of a weekday or group. ``number``: of a month, or the position of a weekday in it. ``minutes``:
    of a time, after midnight. ``has_unit``: written as a time ("8:30", "8 pm", "8 Uhr"). ``meridiem``: "am"
    or "pm". ``start``: offset in the text.
    """

    kind: Kind
    text: str
    start: int
    days: frozenset[int] = frozenset()
    number: int = 0
    minutes: int = 0
    has_unit: bool = False
    meridiem: str = ""


@cache
def weekdays() -> Mapping[str, frozenset[int]]:
    """Return the full names of weekdays and of groups of them, with their days."""
    single = _numbered(pair for each in _vocabularies() for pair in enumerate(each.weekdays))
    groups = {name: days for each in _vocabularies() for name, days in each.days.items()}
    return {name: frozenset((number,)) for name, number in single.items()} | groups


@cache
def weekday_words() -> Mapping[str, int]:
    """Return the full and short names of single weekdays (0 is Monday); some are also other words."""
    return _numbered(
        pair
        for each in _vocabularies()
        for names in (each.weekdays, each.short_weekdays)
        for pair in enumerate(names)
    )


@cache
def months() -> Mapping[str, int]:
    """Return the names of months, counted from 1."""
    return _numbered(pair for each in _vocabularies() for pair in enumerate(each.months, start=1))


@cache
def month_words() -> frozenset[str]:
    """Return the words that mean "month"."""
    return frozenset(word for each in _vocabularies() for word in each.of_month)


@cache
def _short_weekdays() -> Mapping[str, frozenset[int]]:
    single = _numbered(pair for each in _vocabularies() for pair in enumerate(each.short_weekdays))
    return {name: frozenset((number,)) for name, number in single.items()}


@cache
def _ordinals() -> Mapping[str, int]:
    return _numbered(pair for each in _vocabularies() for pair in each.ordinals.items())


@cache
def _links() -> Mapping[str, LinkKind]:
    told = {word: kind for each in _vocabularies() for kind, words in each.words.items() for word in words}
    return {**told, **_SIGNS}


@cache
def _vocabularies() -> tuple[_Vocabulary, ...]:
    return tuple(map(_Vocabulary.model_validate, read_by_language(__package__, "vocabulary").values()))


def _numbered(groups: Iterable[tuple[int, Iterable[str]]]) -> dict[str, int]:
    return {name: number for number, names in groups for name in names}


def normalised(text: str) -> str:
    """Return a text with different spellings of the same thing unified, as :func:`hours_words` expects it."""
    if not _GERMAN_CLOCK.search(text):
        text = _MERIDIEM.sub(lambda found: found[1].lower() + "m", text)
    if len(_WHOLE_MONTHS.findall(text)) % 2 == 0:
        text = _WHOLE_MONTHS.sub("", text)
    text = _EVERY_DAY.sub("daily", _PLACE.sub(lambda found: _PLACES[int(found[1]) - 1], text))
    text = _NOON.sub("12pm", _MIDNIGHT.sub("24:00", text))
    return _PUBLIC_HOLIDAY.sub(r"public\1", _SUNDAYS_AND_HOLIDAYS.sub("Sonntag ", text))


def hours_words(text: str) -> list[Word]:
    """Return all words of a :func:`normalised` text, including unknown ones, so that callers see what was not
    understood."""
    found = list(_LEXEME.finditer(text))
    after = [*(each[0] for each in found[1:]), "."]
    return _with_dates([_word(each, following) for each, following in zip(found, after, strict=False)])


def words_of(text: str) -> list[Word]:
    """Return the words of any text."""
    return hours_words(normalised(text))


def _word(found: re.Match[str], after: str) -> Word:
    text, start = found[0], found.start()
    if found["date"]:
        return Word("date", text, start)
    return _time(text, start, after) if found["time"] else _named(text, start, after)


def _named(text: str, start: int, after: str) -> Word:
    name, is_capital = text.casefold(), text[0].isupper()
    days = weekdays().get(name, frozenset())
    if is_capital and _AFTER_SHORT.match(after):
        days |= _short_weekdays().get(name, frozenset())
    if days:
        return Word("days", text, start, days=days)
    if is_capital and name in months():
        return Word("month", text, start, number=months()[name])
    if name in _ordinals():
        return Word("nth", text, start, number=_ordinals()[name])
    return Word(_links().get(name, "word"), text, start)


def _time(text: str, start: int, after: str) -> Word:
    meridiem = text[-2:] if text.endswith("m") else ""
    hour, _, minute = text.removesuffix(meridiem).replace(".", ":").partition(":")
    hours = int(hour)
    if meridiem and 0 < hours <= 12:
        hours = hours % 12 + 12 * (meridiem == "pm")
    minutes = 60 * hours + int(minute or 0)
    if minutes > 1_440 or int(minute or 0) > 59:
        return Word("word", text, start)
    has_unit = bool(meridiem or minute or after.casefold() in _CLOCK)
    return Word("time", text, start, minutes=minutes, has_unit=has_unit, meridiem=meridiem)


def _with_dates(words: list[Word]) -> list[Word]:
    """The words, with a month beside the number of a day turned into a date."""
    for at, word in enumerate(words):
        if word.kind == "month" and (_is_day(words[:at]) or _is_day_after(words[at + 1 : at + 3])):
            words[at] = Word("date", word.text, word.start)
    return words


def _is_day(before: list[Word]) -> bool:
    """Return True if these words end with the number of a day."""
    told = [word for word in before[-2:] if word.text not in _DAY_ENDS]
    return _is_number(told[-1:])


def _is_day_after(after: list[Word]) -> bool:
    """Return True if these words begin with the number of a day, and not with a time and "to"."""
    return _is_number(after[:1]) and not (after[1:] and after[1].kind == "to")


def _is_number(words: list[Word]) -> bool:
    return any(word.text.isdigit() and not word.has_unit for word in words)
