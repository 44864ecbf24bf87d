"""Chooses the next dates of what a question asks for from those that a page announces.

Pure functions; in doubt there are none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from app.features.facts.calendar_days import day_groups
from app.features.facts.called import (
    begins_with,
    is_called,
    is_general,
    main_thing,
    of_dates,
    with_parts,
    without_brackets,
)
from app.features.facts.date_doubts import is_doubtful_date, is_doubtful_heading, is_doubtful_lead
from app.features.facts.date_lists import DateList, changed_days, changed_sentences, page_dates
from app.features.facts.date_questions import BESIDE, asks_date
from app.features.facts.date_sentences import subject_of
from app.features.facts.dates import PageDate, is_changed
from app.features.facts.hours_words import months, words_of
from app.features.facts.named import NamedSubjects
from app.search.types import IndexedPage

MOST_DATES: Final = 3

_ASKS_CLOSING: Final = re.compile(
    r"\b(?:deadlines?|closing dates?|fristen|frist|anmeldeschluss|bewerbungsschluss|abgabetermin)\b",
    re.IGNORECASE,
)
_SPLIT: Final = re.compile(rf"\d|{'|'.join(months())}", re.IGNORECASE)
_LABEL_END: Final = re.compile(r"[,(–]|\s-\s")
_START: Final = re.compile(
    r"(?:termine?|datum|dates?|beginn|start|kursbeginn|starts|first lesson|wann|when|tag|day)", re.IGNORECASE
)
_MONTH: Final = re.compile(r"\b(?:im|in|für|for|of)\s(?:(?:monat|the month of)\s)?([^\W\d_]+)", re.IGNORECASE)
_YEAR: Final = re.compile(r"\b20\d\d\b")
_TO_TIME: Final = re.compile(
    r"\d\s?(?:–|-|bis|to)\s?\d{1,2}(?:[:.]\d\d)?\s?(?:uhr|h\b|[ap]\.?m\b)", re.IGNORECASE
)
_CLAUSE: Final = re.compile(
    r"\b(?:wenn|falls|sofern|dass|ob|weil|if|unless|whether|because|that|jed\w+|alle|every|each)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDates:
    """The next ``dates``, of which the first may be under way; if all are over, only the last one, and
    ``is_over``.

    ``lead``: the sentence above them; ``heading``: the last one above. ``off``: lines that say that a date is
    cancelled or on another day.
    """

    heading: str
    lead: str
    dates: tuple[PageDate, ...]
    is_over: bool
    off: tuple[str, ...] = ()


def asked_dates(question: str, language: str, page: IndexedPage, now: datetime) -> AskedDates | None:
    """Return the dates of a page that a question in ``language`` asks for.

    ``None`` if it asks for something else, or does not say which. ``now``: the site's local time, without a
    zone.
    """
    is_closing = bool(_ASKS_CLOSING.search(question))
    plain = _ASKS_CLOSING.sub("next", question)
    if not asks_date(plain) or day_groups(question):
        return None
    lists = [
        each
        for each in page_dates(page.fields.get("content", ""), page.title)
        if each.is_closing == is_closing
    ]
    asked = dict.fromkeys((plain, of_dates(plain)))
    return next(filter(None, (_asked(each, language, page, lists, now) for each in asked)), None)


def _asked(
    question: str, language: str, page: IndexedPage, lists: Sequence[DateList], now: datetime
) -> AskedDates | None:
    named = NamedSubjects.of(question, language, page.ref.language, BESIDE)
    if not named.words.words:
        return None
    head = main_thing(question, named)
    found = [(each, dates) for each in lists if (dates := _chosen(each, named, head, page.title)) is not None]
    if not found or not all(dates for _, dates in found):
        return None
    held = [
        named.found_in("\n".join((_thing(each, page.title), *map(_line, dates)))) for each, dates in found
    ]
    found = [
        each for each, words in zip(found, held, strict=True) if not any(words < other for other in held)
    ]
    if len({_place(each) for each, _ in found}) > 1:
        return None
    told = _told(question, found, now)
    if told is None or _is_doubtful(told, found, named, page.title):
        return None
    content = page.fields.get("content", "")
    moved = changed_days(content)
    is_moved = any((each.first.month, each.first.day) in moved for each in told.dates)
    above = (page.title, *(heading for each, _ in found for heading in each.above))
    is_off = any(map(is_changed, above)) or any(map(head.found_in, changed_sentences(content)))
    return None if is_moved or is_off else told


def _is_doubtful(
    told: AskedDates, found: Sequence[tuple[DateList, Sequence[PageDate]]], named: NamedSubjects, title: str
) -> bool:
    """Return True if the words around the dates may say that they are none, or of something else."""
    lists = [each for each, dates in found if set(dates) & set(told.dates) and not each.is_sentence]
    for each in lists:
        above = (title, *each.above, each.heads)
        if is_doubtful_lead(each.lead, above, named) or any(map(is_doubtful_heading, each.above)):
            return True
        own = [date for date in told.dates if date in each.dates]
        if any(is_doubtful_date(date, each.dates, above, named) for date in own):
            return True
    return False


def _place(each: DateList) -> tuple[object, ...]:
    """The place of a list. Lists whose last headings are dates or months share one if their other headings
    are the same."""
    names = tuple(heading for heading in each.above if not is_general(heading))
    is_dated = bool(each.above) and is_general(each.above[-1]) and not each.is_sentence
    is_split = is_dated and bool(_SPLIT.search(each.above[-1]))
    return (names, each.column) if is_split else (each.start, each.column)


def _chosen(each: DateList, named: NamedSubjects, head: NamedSubjects, title: str) -> list[PageDate] | None:
    """The dates of a list that belong to what the question names; empty if they are uncertain, ``None`` if it
    has none."""
    above = with_parts("\n".join((title, *each.above, each.lead, each.heads)))
    if not named.is_in(f"{above}\n{_all(each)}"):
        return None
    known = named.found_in(above)
    new = frozenset(named.words.words) - known
    if (
        each.column
        and not each.is_closing
        and not named.found_in(with_parts(each.column))
        and not _START.fullmatch(each.column)
    ):
        return None
    unread = [line for line in each.unread if named.is_in(f"{above}\n{line}")]
    dates = [date for date in each.dates if named.is_in(f"{above}\n{_line(date)}")]
    is_one = each.is_sentence or _is_of_one(each)
    if each.is_sentence or (not new and is_one):
        is_of = (dates or unread) and _is_of(each, named, title) and _is_of(each, head, title)
        return ([] if unread else dates) if is_of else None
    called = [date for date in dates if any(begins_with(part, named) for part in _labels(date))]
    is_own = all(len(named.found_in(date.label)) == len(named.words.words) for date in called)
    is_own = (is_own and bool(called)) or len(new) == len(named.words.words) or _is_of(each, named, title)
    unread = unread if is_own else []
    if not (called or unread) or (new and not is_own):
        return None
    if not _is_of(each, head, title) and not all(any(map(head.found_in, _labels(date))) for date in called):
        return None
    is_one = len({_LABEL_END.split(date.label or "", maxsplit=1)[0].strip() for date in called}) == 1
    return called if is_one and not unread else []


def _all(each: DateList) -> str:
    return "\n".join((*map(_line, each.dates), *each.unread))


def _line(date: PageDate) -> str:
    told = without_brackets(date.line) if date.label else date.line
    return with_parts(f"{told} {date.first.year}")


def _labels(date: PageDate) -> list[str]:
    return (without_brackets(date.label) or date.line).split("\n")


def _is_of_one(each: DateList) -> bool:
    """Return True if all lines of a list are about one thing."""
    return any(not date.label for date in each.dates if not date.is_off)


def _is_of(each: DateList, named: NamedSubjects, title: str) -> bool:
    """Return True if the dates belong to something that the question names.

    This is the subject of the sentence or lead, or the nearest heading that names something.
    """
    heading, subject = _thing(each, title), subject_of(each.lead)
    if not each.is_sentence:
        return is_called(heading, named) or bool(subject and is_called(subject, named))
    if not subject or _CLAUSE.search(subject):
        return False
    if is_called(subject, named):
        return bool(named.found_in(f"{subject}\n{heading}"))
    return each.is_first and is_general(subject) and is_called(heading, named)


def is_of_something(each: DateList) -> bool:
    """Return True unless these are dates of a sentence whose subject is not understood."""
    return not each.is_sentence or bool(subject_of(each.lead))


def _thing(each: DateList, title: str) -> str:
    """The nearest heading that names something."""
    headings = [heading for heading in (title, *each.above) if not is_general(heading)]
    return "".join(headings[-1:])


def _told(
    question: str, found: Sequence[tuple[DateList, Sequence[PageDate]]], now: datetime
) -> AskedDates | None:
    of, dates = found[0][0], [each for _, dates in found for each in dates]
    if any(later.first < earlier.first for earlier, later in pairwise(dates)):
        return None
    asked = [each for each in dates if _is_in_time(question, each, now)]
    off = [each for each in asked if each.last >= now.date() and (each.is_off or each.is_changed)]
    held = [each for each in asked if not each.is_off]
    left = [each for each in held if each.last >= now.date() and not _is_over(each, of.lead, now)]
    if left and left[0].first == left[0].last == now.date() and _has_begun(left[0], of.lead, now):
        return None
    told = () if asked and len(off) == len(asked) else tuple(left[:MOST_DATES] or held[-1:])
    if any(each.is_changed for each in told) or not (told or off):
        return None
    of = next((each for each, dates in found if told and told[0] in dates), of)
    headings = [each for each in of.above if not is_general(each)] or of.above
    lines = tuple(dict.fromkeys(each.line for each in off if not told or each.first <= told[-1].first))
    return AskedDates(
        heading="".join(headings[-1:]),
        lead="" if of.is_sentence else of.lead,
        dates=told,
        is_over=not left,
        off=lines,
    )


def _is_in_time(question: str, each: PageDate, now: datetime) -> bool:
    """Return True if the date is in the months and the year that the question names, if any."""
    named = {months()[name.casefold()] for name in _MONTH.findall(question) if name.casefold() in months()}
    years = set(map(int, _YEAR.findall(question)))
    if re.search(r"\b(?:dieses|diesem) jahr|\bthis year", question, re.IGNORECASE):
        years.add(now.year)
    if re.search(r"\bnächste[sn] jahr|\bnext year", question, re.IGNORECASE):
        years.add(now.year + 1)
    return (not named or each.first.month in named) and (not years or each.first.year in years)


def _times(each: PageDate, lead: str) -> set[int]:
    return {*_clock_times(each.line), *_clock_times(lead)}


def _clock_times(text: str) -> list[int]:
    """The times of day in a text, in minutes after midnight."""
    return [
        word.minutes for word in words_of(text) if word.kind == "time" and (word.has_unit or word.meridiem)
    ]


def _is_over(each: PageDate, lead: str, now: datetime) -> bool:
    """Return True if the date is today and the last of its several times has passed."""
    times = _times(each, lead)
    has_end = len(times) > 1 or bool(_TO_TIME.search(f"{each.line}\n{lead}"))
    return each.last == now.date() and has_end and bool(times) and max(times) <= now.hour * 60 + now.minute


def _has_begun(each: PageDate, lead: str, now: datetime) -> bool:
    times = _times(each, lead)
    return len(times) == 1 and max(times) <= now.hour * 60 + now.minute
