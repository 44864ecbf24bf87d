"""Compares the figures of a rewritten question with those of the visitor's, in digits and in words."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from typing import Final

from app.chat.question_time import names_relative_time
from app.chat.text.numbers import ONE_SCALED, SPELLED, WORDS, implied_values, scale_of, values
from app.search.types import TimeFilter

_FIGURE: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_SEPARATOR: Final = re.compile(r"[.,'’\u00a0\u202f]")
_ONE: Final = re.compile(r"\b(?:ein(?:e[mnrs]?)?|one|an?)\b", re.IGNORECASE)
_BOTH: Final = re.compile(r"\b(?:beide[mnrs]?|both|couple|pair|paar)\b", re.IGNORECASE)


def keeps_figures(rewrite: str, question: str, time: TimeFilter) -> bool:
    """True if the rewrite has all figures of the question except those of ``time``: in digits, in words
    (``zwei``, ``two``), or within one (``dreijährig``, ``twice``)."""
    asked = digits(question)
    for day in (time.at, time.published_from, time.published_before):
        asked -= {str(day.day), str(day.month), *_years(day)} if day else set()
    return asked <= (digits(rewrite) | spelled(rewrite) | _implied(rewrite))


def invents_figures(written: Iterable[str], question: str, earlier: Iterable[str], today: date) -> bool:
    """True if one of the figures ``written`` is neither in the question nor in an ``earlier`` turn, and no
    year that a phrase such as "last year" means."""
    known: set[str] = _years(today) if names_relative_time(question) else set()
    for text in (question, *earlier):
        known |= digits(text) | spelled(text) | _implied(text)
    return not known.issuperset(written)


def digits(text: str) -> set[str]:
    """The text's numbers in ASCII digits, without leading zeros and thousands separators. A date gives the
    numbers of its parts."""
    found: set[str] = set()
    for figure in _FIGURE.findall(text):
        parts = _SEPARATOR.split("".join(map(_ascii, figure)))
        if _GROUPED.fullmatch(figure):
            parts = ["".join(parts)]
        elif len(parts) == 2:
            parts = [".".join(parts)]
        found |= {part.lstrip("0") or "0" for part in parts}
    return found


def spelled(text: str) -> set[str]:
    """The numbers that stand in words, in ASCII digits: ``zwei``, ``five thousand``, ``eine Million``."""
    found = {
        value
        for match in SPELLED.finditer(text)
        for value in values(str(WORDS[match["word"].casefold()]), scale_of(match))
    }
    return found | {value for match in ONE_SCALED.finditer(text) for value in values("1", scale_of(match))}


def _implied(text: str) -> set[str]:
    """Numbers that other words stand for: ``dreijährig``, ``both``, an article."""
    found = set(implied_values(text))
    found |= {"1"} if _ONE.search(text) else set()
    return found | ({"2"} if _BOTH.search(text) else set())


def _years(day: date) -> set[str]:
    return {str(day.year + years) for years in (-1, 0, 1)}


def _ascii(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character
