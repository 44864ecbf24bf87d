"""Finds the figures that an answer or its sources state.

A figure is a date, a time of day, an article, section, annex or recital, an e-mail address, a host, a phone
number, an IBAN, a code such as ``12a``, or any other number. German and English spellings are equal:
``1.234,50`` and ``1,234.50``, ``1. Mai 2025`` and ``May 1, 2025``, ``8 Uhr`` and ``8 am``, ``zwölf`` and
``12``, ``1,5 Mio.`` and ``1.5 million``.

Figures are compared one by one (:mod:`app.chat.text.figure_evidence`). A correct figure given for the wrong
thing is found by :mod:`app.chat.text.figure_subjects`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from app.chat.text.citations import NUMBERS_IN_BRACKETS
from app.chat.text.figure_dates import DATE_READERS, MONTHS, loose_dates
from app.chat.text.figure_keys import LITERAL, Figure, Keys, Read, Reader, compact_form, one
from app.chat.text.numbers import (
    DASH,
    NUMBER,
    ONE_SCALED,
    ORDINAL_MARK,
    SPACE,
    SPELLED,
    WORDS,
    implied_values,
    ordinals,
    parts,
    scale_of,
    values,
)
from ingest.text import visible

READ_PARAGRAPHS: Final = 8_192
"""So many paragraphs' figures are cached, because finding those of a page takes longer than a search."""

READ_SENTENCES: Final = 512
"""So many sentences' figures are cached. Models seldom repeat a sentence, and one takes 10 kB."""

_MAIL: Final = re.compile(r"(?<![\w.+'%-])[\w.+'%-]{1,64}+@[\w-]++(?:\.[\w-]++)+")
_ADDRESS: Final = re.compile(
    r"(?:https?://(?:www\.)?|www\.|(?<![\w.@-]))"
    r"(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:de|at|ch|eu|org|com|net|gov|info|int|uk|example))"
    r"(?![\w-])(?:[:/?#][^\s<>)\]|]*)?",
    re.IGNORECASE,
)
_IBAN: Final = re.compile(
    rf"\b[A-Z]{{2}}\d{{2}}(?:{SPACE}?[A-Z0-9]{{4}}){{3,7}}(?:{SPACE}?[A-Z0-9]{{1,3}})?\b"
)

_CENTS: Final = re.compile(r"\s?(?:[Cc]ents?|ct|pence)\b|p\b")
_EURO_CENTS: Final = re.compile(
    r"(?<![\d.,])(?P<euros>\d{1,4}) Euro (?P<cents>\d\d)(?: Cent\b)?"
    r"(?=\s*(?:[^\w\s%€£$.,:]|[.,:](?!\d)|\Z)|\s(?:pro|für|je|im|am|mehr|weniger|und|oder|per|an?|for|and|or|each)\b)"
)
"""*12 Euro 50*, as in speech."""

_UNIT_NAMES: Final = {
    "article": r"[Aa]rticles?|Artikeln?|Artikels|Arts?\.?",
    "section": r"§{1,2}|[Ss]ections?|Sec\.|Paragra(?:ph|f)(?:en|s)?",
    "annex": r"[Aa]nnex(?:es)?|Anhang(?:s|es)?|Anhängen?",
    "recital": r"[Rr]ecitals?|Erwägungsgr(?:und(?:es|e)?|ünden?)",
}
_UNIT_NUMBER: Final = r"(?:\d{1,4}[a-z]?(?!\w)|[IVXL]+\b)"
_UNIT_TO: Final = rf"\s*+(?:,|;|{DASH}|(?:bis|to|und|and|oder|or|sowie)\b)\s*"
_UNITS: Final = {
    kind: re.compile(
        rf"(?<!\w)(?:{names})\s*(?P<numbers>\(?{_UNIT_NUMBER}\)?(?:{_UNIT_TO}\(?{_UNIT_NUMBER}\)?)*)"
    )
    for kind, names in _UNIT_NAMES.items()
}
_UNIT_PARTS: Final = re.compile(rf"({_UNIT_TO})?\(?({_UNIT_NUMBER})")
_RANGE_WORDS: Final = re.compile(rf"{DASH}|bis|to")
_LONGEST_RANGE: Final = 100

_PHONE: Final = re.compile(
    r"(?<![\w.,])(?:(?:\+|00)[1-9][\d()/. \u00a0-]{5,}\d"
    r"|\(?0[1-9]\d{0,4}\)?[ \u00a0/.-]+\d[\d/ \u00a0-]{1,}\d|0[1-9]\d{5,}|\d{3}-\d{3}-\d{4})(?!\w)"
)
_PHONE_DIGITS: Final = 7

_CODE: Final = re.compile(r"(?<!\w)(?:[A-Za-z]{1,3}\d+|\d+[A-Fa-f])(?!\w)")
_SPACED_CODE: Final = re.compile(rf"(?<!\w)(?:([A-Za-z]{{1,3}}){SPACE}?-?(\d+)|(\d+){SPACE}([A-Fa-f]))(?!\w)")

_LIST_NUMBER: Final = re.compile(rf"^(?:\s|>)*\d{{1,9}}[.)]\s+(?!(?:{'|'.join(MONTHS)})\b)", re.MULTILINE)


def figures_of(sentence: str) -> list[Figure]:
    """Return the figures of a sentence (Markdown), without citations and the numbers of list items."""
    return list(_read_figures(sentence))


@lru_cache(maxsize=READ_SENTENCES)
def _read_figures(sentence: str) -> tuple[Figure, ...]:
    text = NUMBERS_IN_BRACKETS.sub(_blank, visible(sentence))
    return tuple(_figures(_LIST_NUMBER.sub(_blank, text)))


@lru_cache(maxsize=READ_PARAGRAPHS)
def keys_of(text: str) -> tuple[Keys, str]:
    """Return the keys that a source's visible text states, and its letters and digits."""
    return frozenset(_evident(text)), compact_form(text)


def _figures(text: str) -> Iterator[Figure]:
    """Yield the figures, the most specific kinds first. A match is blanked out for the kinds that follow."""
    for kind, pattern, read in _READERS:
        found: list[Figure] = []

        def take(
            match: re.Match[str], kind: str = kind, read: Read = read, found: list[Figure] = found
        ) -> str:
            figures = list(read(match))
            found += (replace(figure, kind=kind, span=match.span()) for figure in figures)
            return ";".center(len(match[0])) if figures else match[0]

        text = pattern.sub(take, text)
        yield from found


def _evident(text: str) -> Iterator[str]:
    """Yield the keys that a source's text states. The digits of dates, times, addresses and the like do not
    count as numbers, except years and full hours; otherwise every source would have all small numbers."""
    for figure in _figures(text):
        yield from figure.states
    for match in _SPACED_CODE.finditer(text):
        yield "code " + "".join(filter(None, match.groups())).casefold()
    yield from loose_dates(text)
    yield from implied_values(text)
    yield from (f"ordinal {number}" for number in ordinals(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _literal(match: re.Match[str]) -> Iterator[Figure]:
    yield one(LITERAL + compact_form(match[0]))


def _host(match: re.Match[str]) -> Iterator[Figure]:
    yield one(LITERAL + compact_form(match["host"]))


def _unit(kind: str, match: re.Match[str]) -> Iterator[Figure]:
    named: list[str] = []
    meant: list[str] = []
    for between, number in _UNIT_PARTS.findall(match["numbers"]):
        if _RANGE_WORDS.search(between) and number.isdecimal() and named and named[-1].isdecimal():
            first, last = int(named[-1]), int(number)
            meant += map(str, range(first, min(last, first + _LONGEST_RANGE)))
        named.append(number)
        meant.append(number)
    keys, states = ({f"{kind} {number.casefold()}" for number in numbers} for numbers in (named, meant))
    yield Figure(any_of=(frozenset(keys),), states=frozenset(states))


def _phone(match: re.Match[str]) -> Iterator[Figure]:
    """Yield a phone number that matches with the country code, with a zero instead, or with neither."""
    digits = re.sub(r"\D", "", match[0])
    if len(digits) < _PHONE_DIGITS:
        return
    national = digits.lstrip("0")
    forms = [national]
    if match[0].startswith(("+", "00")):
        forms += [national[2:], national[2:].removeprefix("0")]
    any_of = tuple(frozenset((LITERAL + form,)) for form in dict.fromkeys(forms))
    yield Figure(any_of=any_of, states=frozenset((LITERAL + forms[-1],)))


def _code(match: re.Match[str]) -> Iterator[Figure]:
    yield one(f"code {match[0].casefold()}")


def _number(match: re.Match[str]) -> Iterator[Figure]:
    digits = match["digits"]
    found = values(digits, scale_of(match))
    if _CENTS.match(match.string, match.end()) and digits.isdecimal():
        found += values(f"{int(digits) / 100:.2f}")
    readings = dict.fromkeys((*found, *values(digits)))  # a table may have the scale in its header
    any_of = tuple(frozenset((value,)) for value in readings)
    if ORDINAL_MARK.match(match.string, match.end()):
        any_of += (frozenset((f"ordinal {digits}",)),)
    if match["separator"] and match["separator"].isspace():  # may be two numbers
        any_of += (parts(digits),)
    yield Figure(any_of=any_of, states=frozenset(found))


def _money(match: re.Match[str]) -> Iterator[Figure]:
    yield one(*values(f"{match['euros']}.{match['cents']}"))


def _spelled(match: re.Match[str]) -> Iterator[Figure]:
    yield one(str(WORDS[match["word"].casefold()] * scale_of(match)))


def _one_scaled(match: re.Match[str]) -> Iterator[Figure]:
    yield one(str(scale_of(match)))


_READERS: Final[tuple[Reader, ...]] = (
    ("mail", _MAIL, _literal),
    ("host", _ADDRESS, _host),
    ("iban", _IBAN, _literal),
    *((kind, pattern, partial(_unit, kind)) for kind, pattern in _UNITS.items()),
    *DATE_READERS,
    ("phone", _PHONE, _phone),
    ("code", _CODE, _code),
    ("money", _EURO_CENTS, _money),
    ("number", NUMBER, _number),
    ("number", SPELLED, _spelled),
    ("number", ONE_SCALED, _one_scaled),
)
