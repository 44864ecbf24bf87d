"""Reads numbers as German and English write them, in digits and in words."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

SPACE: Final = "[ \u00a0\u202f\u2009]"
"""A space between the digits of long numbers."""

DASH: Final = "[-‐‑–—]"

_SCALES: Final = {"t": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_SCALE_WORDS: Final = (
    r"(?P<t>[Tt]ausend|Tsd\.|thousand)|(?P<m>[Mm]illion(?:en|s)?|Mio\.?)"
    r"|(?P<b>Milliarden?|Mrd\.?|billions?|bn)"
)
_SCALE: Final = rf"(?:(?:{SPACE}|-)?(?:{_SCALE_WORDS})(?!\w))?"
NUMBER: Final = re.compile(
    rf"(?<!\d)(?P<digits>\d{{1,3}}(?P<separator>[.,'’]|{SPACE})\d{{3}}(?:(?P=separator)\d{{3}})*"
    rf"(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?){_SCALE}"
)
_LONGEST_NUMBER: Final = 30

WORDS: Final = {
    word: number
    for number, words in {
        2: "zwei two", 3: "drei three", 4: "vier four", 5: "fünf five", 6: "sechs six", 7: "sieben seven",
        8: "acht eight", 9: "neun nine", 10: "zehn ten", 11: "elf eleven", 12: "zwölf twelve",
        13: "dreizehn thirteen", 14: "vierzehn fourteen", 15: "fünfzehn fifteen", 16: "sechzehn sixteen",
        17: "siebzehn seventeen", 18: "achtzehn eighteen", 19: "neunzehn nineteen", 20: "zwanzig twenty",
        30: "dreißig dreissig thirty", 40: "vierzig forty", 50: "fünfzig fifty", 60: "sechzig sixty",
        70: "siebzig seventy", 80: "achtzig eighty", 90: "neunzig ninety", 100: "hundert hundred",
        1_000: "tausend thousand",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Numbers in words, without ``ein`` and ``one``, which are mostly articles."""

_INITIAL: Final = r"\b(?=[ADEFHNSTVZadefhnstvz])"
"""A possible first letter of a word for a number; this check saves most of the time."""

SPELLED: Final = re.compile(rf"{_INITIAL}(?P<word>{'|'.join(WORDS)})\b{_SCALE}", re.IGNORECASE)
ONE_SCALED: Final = re.compile(rf"\b(?:[Ee]ine?|[Oo]ne|[Aa]){SPACE}(?:{_SCALE_WORDS})(?!\w)")
_COMPOUND: Final = re.compile(
    rf"{_INITIAL}(?P<word>ein|{'|'.join(WORDS)})"
    r"(?:jährig|monatig|wöchig|wöchentlich|tägig|stündig|minütig|mal|fach)",
    re.IGNORECASE,
)
ORDINAL_MARK: Final = re.compile(r"\.(?=\s[A-ZÄÖÜ])|(?:st|nd|rd|th)\b")
"""The mark after an ordinal number: *am 3. Samstag*, *the 3rd*."""

_ORDINALS: Final = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        "erste[nrsm]?|first", "zweite[nrsm]?|second", "dritte[nrsm]?|third", "vierte[nrsm]?|fourth",
        "fünfte[nrsm]?|fifth",
    )
)  # fmt: skip
_MULTIPLE: Final = re.compile(r"\b(?:(?P<one>once)|twice|doubled?|doppelte?[nrs]?)\b", re.IGNORECASE)
_ONE_UNIT: Final = re.compile(
    r"\b(?:ein(?:e[mnrs]?)?|one|an?)\s(?:Jahr|Monat|Woche|Tag|Stunde|Minute|Kind|Person|Hund|year|month|week|day"
    r"|hour|minute|child|person|dog|Euro|Prozent|percent|per\scent)",
    re.IGNORECASE,
)


def scale_of(match: re.Match[str]) -> int:
    """Return the factor of "thousand", "Mio." and the like in a match, otherwise 1."""
    return next((size for name, size in _SCALES.items() if match[name]), 1)


@lru_cache(4_096)
def values(digits: str, scale: int = 1) -> tuple[str, ...]:
    """Return the possible values of digits with separators, as decimal numbers: the point in ``1.234`` may
    separate thousands or decimals."""
    return tuple(_values(digits, scale))


def parts(digits: str) -> frozenset[str]:
    """Return the values of the numbers between the separators."""
    return frozenset(value for part in re.findall(r"\d+", digits) for value in values(part))


def implied_values(text: str) -> Iterator[str]:
    """Yield the values of words that imply a number: ``dreijährig``, ``twice``, ``eine Woche``."""
    for match in _COMPOUND.finditer(text):
        yield str(WORDS.get(match["word"].casefold(), 1))
    for match in _MULTIPLE.finditer(text):
        yield "1" if match["one"] else "2"
    if _ONE_UNIT.search(text):
        yield "1"


def ordinals(text: str) -> Iterator[int]:
    """Yield the numbers of ordinal words: 1 for *jeden ersten Montag*."""
    return (number for number, words in enumerate(_ORDINALS, 1) if words.search(text))


def _values(digits: str, scale: int) -> Iterator[str]:
    if len(digits) > _LONGEST_NUMBER:
        return
    marks = [mark for mark in digits if not mark.isdecimal()]
    *whole, last = re.split(r"\D", digits)
    is_grouped = all(len(group) == 3 for group in (*whole[1:], last))
    if marks and (marks[-1] in ".," and marks.count(marks[-1]) == 1):
        yield _key(Decimal(f"{''.join(whole)}.{last}") * scale)
    if not marks or (is_grouped and len(set(marks)) == 1):
        yield _key(Decimal("".join((*whole, last))) * scale)


def _key(value: Decimal) -> str:
    return f"{value.normalize():f}"
