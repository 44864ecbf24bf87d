"""Reads groups of words in opening hours: lists of days, lists of months, and the two times of a span."""

from collections.abc import Sequence
from typing import Final

from app.features.facts.hours import DAY_MINUTES, Span
from app.features.facts.hours_words import Word

_LIST_GLUE: Final = frozenset({".", "von", "from", "am", "an", "on", "im", "in", "jeden", "jede", "every"})
"""Allowed between the days or months of a list."""

NOON: Final = 720
EARLIEST: Final = 300
EVENING: Final = 960
MORNING: Final = 360
"""Minutes after midnight, like the three above.

Without "am" or "pm" nothing opens before ``EARLIEST``, and what is open past midnight opens after ``EVENING``
and closes before ``MORNING``.
"""


def days_from(words: Sequence[Word], at: int) -> tuple[frozenset[int], int]:
    """Return the days listed from position ``at``, and the position after them."""
    while at < len(words) and words[at].kind == "glue":
        at += 1
    if at >= len(words) or words[at].kind != "days":
        return frozenset(), at
    days, at = words[at].days, at + 1
    last = days
    while True:
        link, after = _link(words, at, "days")
        if link is None:
            return days, at
        following = words[after].days
        if link == "to" and len(last) == len(following) == 1 and max(last | following) < 7:
            days |= between(min(last), min(following), 7)
        days |= following
        last, at = following, after + 1


def months_from(words: Sequence[Word], at: int) -> tuple[frozenset[int], int]:
    """Return the months listed from position ``at``, and the position after them."""
    months, last, at = frozenset((words[at].number,)), words[at].number, at + 1
    while True:
        link, after = _link(words, at, "month")
        if link is None:
            return months, at
        following = words[after].number
        months |= {following}
        if link == "to":
            months |= {number + 1 for number in between(last - 1, following - 1, 12)}
        last, at = following, after + 1


def _link(words: Sequence[Word], at: int, kind: str) -> tuple[str | None, int]:
    """The "to" or "and" between the position and the next word of the kind, if nothing else is between
    them."""
    link = None
    for place in range(at, len(words)):
        word = words[place]
        if word.kind == kind:
            return link, place
        if word.kind in ("to", "and"):
            link = "to" if "to" in (link, word.kind) else "and"
        elif not (word.kind == "glue" and word.text.casefold() in _LIST_GLUE):
            break
    return None, at


def between(first: int, last: int, count: int) -> frozenset[int]:
    """Return the numbers from ``first`` to ``last``, wrapping around the end of the week or year."""
    return frozenset((first + step) % count for step in range((last - first) % count + 1))


def next_time(words: Sequence[Word], at: int) -> int | None:
    """Return the position of the time that ends a span: after "bis", or after "und" if the span began with
    "zwischen"."""
    begins = words[at - 2].text.casefold() if at >= 2 else ""
    links = ("to", "and") if begins in ("zwischen", "between") else ("to",)
    linked = False
    for place in range(at, min(at + 4, len(words))):
        word = words[place]
        if word.kind == "time":
            return place if linked else None
        if word.kind in links and (word.kind == "to" or word.text.casefold() in ("und", "and")):
            linked = True
        elif word.kind != "glue" or word.text not in (".", "Uhr", "uhr", "h"):
            return None
    return None


def span_of(start: Word, end: Word) -> Span | None:
    """Return the span between two times, or ``None`` if one may mean another hour of the twelve-hour clock:
    "9-5", "1:00-5:00"."""
    first, last = start.minutes, end.minutes
    if end.meridiem and not start.meridiem and first <= NOON:
        shifted = first % NOON + NOON * (end.meridiem == "pm")
        first = shifted if shifted < last else first % NOON
    is_certain = bool(start.meridiem and end.meridiem) or first == 0
    if first == last or (first < EARLIEST and not is_certain and not end.meridiem):
        return None
    if last > first:
        return first, last
    is_night = is_certain or (first >= EVENING and last <= MORNING)
    return (first, last + DAY_MINUTES) if is_night else None
