"""Validates the time that a model extracted from a question.

Models take any year for a time of publication ("the target for 2030": published since 2030). So a day is
accepted only if the visitor named a year near it, or a time relative to today, and a day of publication only
if it is not in the future.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from app.search.retrieval import TimeFilter

_YEAR: Final = re.compile(
    r"(?<![\w/])(?:\d{1,2}[./]\d{1,2}[./])?((?:1[89]|20)\d\d)(?:(s|['’]s|er)\b|(?![\w/]))", re.IGNORECASE
)
"""A year alone or in a date, but not in the number of an act (2016/679, No 1907/2006)."""

_DECADE: Final = re.compile(r"(?<![\w/])['’]?([1-9]0)(?:s|['’]s|er)\b", re.IGNORECASE)

_RELATIVE: Final = re.compile(
    r"\b(?:yesterday|gestern"
    r"|(?:last|past|previous|this|letzt\w*|vergangen\w*|vorig\w*|dies\w*)"
    r"\s+(?:\w+\s+)?(?:days?|weeks?|months?|years?|decades?|tage?\w*|wochen?|monate?\w*|jahr\w*)"
    r"|(?:cette|ces)\s+(?:\w+\s+)?(?:années?|semaines?)|(?:jours?|mois|ans?|années?|semaines?)\s+derni\w+)\b",
    re.IGNORECASE,
)

RECENT_YEARS: Final = 11
"""A relative time such as "last" or "past" may reach so many years back."""


def names_relative_time(text: str) -> bool:
    """Return True if the text names a time relative to today, in English, German or French."""
    return _RELATIVE.search(text) is not None


def plausible_time(guess: TimeFilter, words: str, today: date) -> TimeFilter:
    """Return ``guess`` without the days that the visitor's own ``words`` do not support."""
    years = set(_years(words))
    if names_relative_time(words):
        years |= set(range(today.year - RECENT_YEARS, today.year + 1))

    def named(day: date | None) -> date | None:
        return None if day is None or years.isdisjoint(range(day.year - 1, day.year + 2)) else day

    def published(day: date | None) -> date | None:
        return None if day is None or day > today else named(day)

    return TimeFilter(
        at=named(guess.at),
        published_from=published(guess.published_from),
        published_before=published(guess.published_before),
    )


def _years(words: str) -> Iterator[int]:
    for year, decade in _YEAR.findall(words):
        yield from range(int(year), int(year) + (10 if decade else 1))
    for decade in _DECADE.findall(words):
        yield from range(1900 + int(decade), 1910 + int(decade))
