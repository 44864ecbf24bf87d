"""Finds the figures that an answer or its sources state.

A figure is a date, a time of day, an article, section, annex or recital, an e-mail address, a host, a phone
number, an IBAN, a code such as ``12a``, or any other number. German and English spellings are equal:
``1.234,50`` and ``1,234.50``, ``1. Mai 2025`` and ``May 1, 2025``, ``8 Uhr`` and ``8 am``, ``zwölf`` and
``12``, ``1,5 Mio.`` and ``1.5 million``.

Figures are compared one by one (:mod:`app.chat.text.figure_evidence`). A correct figure given for the wrong
thing is found by :mod:`app.chat.text.figure_subjects`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from app.chat.text.citations import NUMBERS_IN_BRACKETS
from app.chat.text.numbers import (
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

Keys = frozenset[str]
"""Figures in a form that is the same in all languages: ``37.5``, ``2025-05-01``, ``8:30``, ``article 6``."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    ``any_of``: its possible readings, empty for a number that cannot be read. A source states the figure if
    it has all keys of one reading. ``states``: the keys that the figure stands for in a source. ``kind``: the
    pattern that matched it. ``span``: its place in the text.
    """

    any_of: tuple[Keys, ...]
    states: Keys
    kind: str = ""
    span: tuple[int, int] = (0, 0)


_LITERAL: Final = "="
"""Prefix of a key that is looked for as a substring in the letters and digits of a text."""

_DASH: Final = "[-‐‑–—]"
_TO: Final = rf"\s*+(?:{_DASH}|/|(?:bis(?:\s+zum)?|to|until|till|und|and|oder|or)\b)\s*"
_ORDINAL: Final = r"(?:\.|(?:st|nd|rd|th)\b)?"

_MONTH_NAMES: Final = (
    "Januar|Jänner|January|Jan", "Februar|Feber|February|Feb", "März|Mär|March|Mar", "April|Apr", "Mai|May",
    "Juni|June|Jun", "Juli|July|Jul", "August|Aug", "September|Sept|Sep", "Oktober|October|Okt|Oct",
    "November|Nov", "Dezember|December|Dez|Dec",
)  # fmt: skip
_MONTHS: Final = {
    name: f"{number:02}" for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split("|")
}
_MONTH: Final = rf"(?P<month>{'|'.join(_MONTHS)})\b\.?"

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
_UNIT_TO: Final = rf"\s*+(?:,|;|{_DASH}|(?:bis|to|und|and|oder|or|sowie)\b)\s*"
_UNITS: Final = {
    kind: re.compile(
        rf"(?<!\w)(?:{names})\s*(?P<numbers>\(?{_UNIT_NUMBER}\)?(?:{_UNIT_TO}\(?{_UNIT_NUMBER}\)?)*)"
    )
    for kind, names in _UNIT_NAMES.items()
}
_UNIT_PARTS: Final = re.compile(rf"({_UNIT_TO})?\(?({_UNIT_NUMBER})")
_RANGE_WORDS: Final = re.compile(rf"{_DASH}|bis|to")
_LONGEST_RANGE: Final = 100

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

_PHONE: Final = re.compile(
    r"(?<![\w.,])(?:(?:\+|00)[1-9][\d()/. \u00a0-]{5,}\d"
    r"|\(?0[1-9]\d{0,4}\)?[ \u00a0/.-]+\d[\d/ \u00a0-]{1,}\d|0[1-9]\d{5,}|\d{3}-\d{3}-\d{4})(?!\w)"
)
_PHONE_DIGITS: Final = 7

_CODE: Final = re.compile(r"(?<!\w)(?:[A-Za-z]{1,3}\d+|\d+[A-Fa-f])(?!\w)")
_SPACED_CODE: Final = re.compile(rf"(?<!\w)(?:([A-Za-z]{{1,3}}){SPACE}?-?(\d+)|(\d+){SPACE}([A-Fa-f]))(?!\w)")

_HALF_PAST: Final = re.compile(rf"\b[Hh]alb (?P<word>eins|{'|'.join(WORDS)})\b(?: Uhr)?")
_LIST_NUMBER: Final = re.compile(rf"^(?:\s|>)*\d{{1,9}}[.)]\s+(?!(?:{'|'.join(_MONTHS)})\b)", re.MULTILINE)


def figures_of(sentence: str) -> list[Figure]:
    """Return the figures of a sentence (Markdown), without citations and the numbers of list items."""
    return list(_read_figures(sentence))


@lru_cache(maxsize=READ_SENTENCES)
def _read_figures(sentence: str) -> tuple[Figure, ...]:
    text = NUMBERS_IN_BRACKETS.sub(_blank, visible(sentence))
    return tuple(_figures(_LIST_NUMBER.sub(_blank, text)))


def is_stated(figure: Figure, keys: Keys, compact: str) -> bool:
    """Return True if a text with these ``keys`` and ``compact`` letters (:func:`keys_of`) states the
    figure."""
    return any(
        all(key[1:] in compact if key.startswith(_LITERAL) else key in keys for key in reading)
        for reading in figure.any_of
    )


@lru_cache(maxsize=READ_PARAGRAPHS)
def keys_of(text: str) -> tuple[Keys, str]:
    """Return the keys that a source's visible text states, and its letters and digits."""
    return frozenset(_evident(text)), _compact(text)


def _figures(text: str) -> Iterator[Figure]:
    """Yield the figures, the most specific kinds first. A match is blanked out for the kinds that follow."""
    for kind, pattern, read in _READERS:
        found: list[Figure] = []

        def take(
            match: re.Match[str], kind: str = kind, read: _Read = read, found: list[Figure] = found
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
    for match in _BARE_TIME.finditer(text):
        yield from _at(match).states
    for match in _SPACED_CODE.finditer(text):
        yield "code " + "".join(filter(None, match.groups())).casefold()
    yield from (f"month {_MONTHS[match['month']]}" for match in _NAMED_MONTH.finditer(text))
    yield from implied_values(text)
    yield from (f"ordinal {number}" for number in ordinals(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _one(*keys: str) -> Figure:
    return Figure(any_of=(frozenset(keys),), states=frozenset(keys))


def _literal(match: re.Match[str]) -> Iterator[Figure]:
    yield _one(_LITERAL + _compact(match[0]))


def _host(match: re.Match[str]) -> Iterator[Figure]:
    yield _one(_LITERAL + _compact(match["host"]))


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


def _day(match: re.Match[str]) -> Iterator[Figure]:
    groups = match.groupdict()
    month = _MONTHS[groups["month"]] if groups.get("month") else f"{int(groups['number']):02}"
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
    month, year = _MONTHS[match["month"]], match["year"]
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
    return _time(match["hour"], match["minute"], "") or _one()


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
        return _one(key)
    return Figure(any_of=(frozenset((key,)), frozenset((str(hours),))), states=frozenset((key, str(hours))))


def _half_past(match: re.Match[str]) -> Iterator[Figure]:
    hour = WORDS.get(match["word"].casefold(), 1)
    if hour <= _HALF_DAY:
        yield _one(f"{(hour - 1) % _HALF_DAY}:30")


def _phone(match: re.Match[str]) -> Iterator[Figure]:
    """Yield a phone number that matches with the country code, with a zero instead, or with neither."""
    digits = re.sub(r"\D", "", match[0])
    if len(digits) < _PHONE_DIGITS:
        return
    national = digits.lstrip("0")
    forms = [national]
    if match[0].startswith(("+", "00")):
        forms += [national[2:], national[2:].removeprefix("0")]
    any_of = tuple(frozenset((_LITERAL + form,)) for form in dict.fromkeys(forms))
    yield Figure(any_of=any_of, states=frozenset((_LITERAL + forms[-1],)))


def _code(match: re.Match[str]) -> Iterator[Figure]:
    yield _one(f"code {match[0].casefold()}")


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
    yield _one(*values(f"{match['euros']}.{match['cents']}"))


def _spelled(match: re.Match[str]) -> Iterator[Figure]:
    yield _one(str(WORDS[match["word"].casefold()] * scale_of(match)))


def _one_scaled(match: re.Match[str]) -> Iterator[Figure]:
    yield _one(str(scale_of(match)))


def _compact(text: str) -> str:
    """Return the text, case-folded, without the characters that people put between digits of long numbers."""
    return re.sub(r"[^\S\n]|[()/.‐‑–—-]", "", text).casefold()


_Read = Callable[[re.Match[str]], Iterator[Figure]]
_READERS: Final[tuple[tuple[str, re.Pattern[str], _Read], ...]] = (
    ("mail", _MAIL, _literal),
    ("host", _ADDRESS, _host),
    ("iban", _IBAN, _literal),
    *((kind, pattern, partial(_unit, kind)) for kind, pattern in _UNITS.items()),
    *(("date", pattern, _day) for pattern in _DAYS),
    ("date", _MONTH_OF_YEAR, _month_of_year),
    ("time", _HOURS, _hours),
    *(("time", pattern, _clock) for pattern in _TIMES),
    ("time", _HALF_PAST, _half_past),
    ("phone", _PHONE, _phone),
    ("code", _CODE, _code),
    ("money", _EURO_CENTS, _money),
    ("number", NUMBER, _number),
    ("number", SPELLED, _spelled),
    ("number", ONE_SCALED, _one_scaled),
)
