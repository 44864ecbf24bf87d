"""Dates as they are printed in acts, in English, French and German."""

import re
from datetime import date
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january janvier januar jänner", "february février februar", "march mars märz",
            "april avril", "may mai", "june juin juni", "july juillet juli", "august août",
            "september septembre", "october octobre oktober", "november novembre",
            "december décembre dezember",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip

WRITTEN: Final = r"(?:\d{1,2}(?:\.|er|st|nd|rd|th)?\s+[^\W\d_]{3,10}\s+\d{4}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4})"
"""A pattern for such a date."""

_IN_WORDS: Final = re.compile(r"(\d{1,2})(?:\.|er|st|nd|rd|th)?\s+([^\W\d_]{3,10})\s+(\d{4})")
_IN_DIGITS: Final = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")


def first_date(text: str) -> date | None:
    """The first date in ``text``: ``13 June 2024``, ``1er juin 2024``, ``13. Juni 2024``, ``12.7.2024``."""
    found = re.search(WRITTEN, text)
    return _date(found[0]) if found else None


def _date(text: str) -> date | None:
    if words := _IN_WORDS.fullmatch(text):
        day, month, year = int(words[1]), _MONTHS.get(words[2].lower(), 0), int(words[3])
    elif digits := _IN_DIGITS.fullmatch(text):
        day, month, year = (int(part) for part in digits.groups())
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
