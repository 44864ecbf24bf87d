"""Finds what each figure of a text counts, and the key that best distinguishes it from others of its kind."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from app.chat.text.figure_keys import Figure, Keys
from app.chat.text.figures import figures_of, keys_of
from app.chat.text.numbers import ORDINAL_MARK, WORDS
from app.search import analysis

NUMBERED: Final = frozenset({"article", "section", "annex", "recital"})
"""Kinds of figures that name a text of law."""

ORDINAL: Final = "ordinal"
COUNTED: Final = "of "
"""Prefix of the kind of a number that counts a noun."""

ONE: Final = frozenset("1")

_UNITS: Final = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("money", r"\s?(?:€|EUR\b|Euros?\b|£|\$|pounds?\b|cents?\b|Cent\b|pence\b|,-)|p\b"),
        ("percent", r"\s?(?:%|Prozent|per ?cent)"),
        (
            "duration",
            r"[ -]?(?:working |calendar |Werk|Kalender)?"
            r"(?:Tage?n?|Wochen?|Monate?n?|Jahre?n?|Stunden?|Minuten?|days?|weeks?|months?|years?|hours?|minutes?)\b",
        ),
        ("length", r"\s?(?:Meter|Metern|metres?|m)\b"),
    )
)
_ONE: Final = re.compile(
    r"\b(?:[Ee]ine[mnrs]?|[Ee]in|[Oo]ne)(?=\s(?:Prozent|Tag|Woche|Monat|Jahr|Stunde|Minute"
    r"|per ?cent|day|week|month|year|hour|minute)(?:e?s)?\b)"
)
"""A word for one that counts something. English *a* is missing because *a year* mostly means each year."""

_NUMBER: Final = rf"(?:\d+(?:[.,]\d+)*|(?:{'|'.join(WORDS)})\b)"
_MORE: Final = re.compile(
    rf"(?:\s?(?:[,/–-]|\b(?:bis(?: zu)?|und|oder|to|and|or)\b)\s?{_NUMBER}){{1,8}}", re.IGNORECASE
)
"""The text between a number and the unit of a range or an enumeration: *bis 14* in *6 bis 14 Jahre*."""

_CLAUSE: Final = re.compile(r"[,;:]\s|\s(?:und|oder|and|or)\s")
_MEASURED: Final = frozenset(kind for kind, _ in _UNITS)
_MONEY_BEFORE: Final = re.compile(r"(?:[€£$]|EUR|Euro)\s?\Z")
_NO_NOUN: Final = (
    r"(?!(?:und|oder|bis|in|im|am|an|auf|aus|bei|für|mit|nach|von|vor|zu|zum|zur|pro|je|ist|sind"
    r"|and|or|at|by|for|from|in|of|on|to|the|with|per|each|if|is|are|after|before)\b)"
)
_COUNTED: Final = re.compile(
    rf"(?:\s{_NO_NOUN}[^\W\d_]+){{0,2}}?\s{_NO_NOUN}(?P<noun>[A-ZÄÖÜ][^\W\d_]{{2,}}|[a-z]{{3,}}s\b)"
    rf"|\s{_NO_NOUN}(?P<word>[^\W\d_]{{3,}})"
)
"""A noun that a number counts, perhaps after other words. In English it is mostly a plural."""

_SPAN: Final = re.compile(
    r"(?P<day>ta|da)|(?P<week>woc|we(?!rk))|(?P<month>mo)|(?P<year>ja|ye)|(?P<hour>st|ho)|(?P<minute>mi)",
    re.IGNORECASE,
)
"""The unit of a duration, by its first letters."""

_TO: Final = re.compile(r"[-‐‑–—]|\b(?:bis|to|until|till)\b")
_NEAR: Final = 40
"""The noun or sign before a number is looked for in so many characters."""

_NUMBERED_NOUN: Final = re.compile(r"(?<=[\w,]\s)(?P<noun>[A-ZÄÖÜ][^\W\d_]{2,})\s\Z")
_NOUN_LETTERS: Final = 4
READ_NOUNS: Final = 4_096
"""So many nouns' heads are cached, because most pages count the same things."""


class Stated(NamedTuple):
    """A figure with what it counts (``kind``). ``label``: its most specific key: a day with its year, the
    larger reading of a number, a duration with its unit."""

    figure: Figure
    kind: str
    label: str

    @property
    def start(self) -> int:
        """The offset of the figure in the text."""
        return self.figure.span[0]


def stated_in(text: str) -> list[Figure]:
    """Return the figures of a text, including words for one unit: *eine Woche*."""
    ones = [Figure((ONE,), ONE, "number", match.span()) for match in _ONE.finditer(text)]
    return [*figures_of(text), *ones]


def kind_of(figure: Figure, text: str) -> str:
    """Return the kind of a figure of ``text``: what a number counts, otherwise the figure's own kind."""
    start, end = figure.span
    if figure.kind != "number":
        return figure.kind
    if unit := _unit(text, figure.span):
        return unit[0]
    if _before(_MONEY_BEFORE, text, start):
        return "money"
    if ORDINAL_MARK.match(text, end):
        return ORDINAL
    counted, numbered = _COUNTED.match(text, end), _before(_NUMBERED_NOUN, text, start)
    if numbered and not (counted and counted.start("noun") == end + 1 and counted["noun"][0].isupper()):
        counted = numbered  # "Linie 12 hält beim Markt"
    return f"{COUNTED}{_head(next(filter(None, counted.groups())))}" if counted else "number"


@lru_cache(maxsize=READ_NOUNS)
def _head(noun: str) -> str:
    """Return a key for the thing that a noun names, equal for *Linien* and *Buslinie*, *Bäume* and *Baum*."""
    forms = analysis.forms(noun.casefold(), ["de", "en"])
    return min(forms, key=lambda form: (len(form), form), default=noun)[-_NOUN_LETTERS:]


def is_range(figures: Sequence[Figure], text: str) -> bool:
    """Return True if the figures are both ends of a range, which share a span: *8 to 12*, but not
    *8 and 12*."""
    spans = {figure.span for figure in figures}
    return len(figures) > 1 == len(spans) and bool(_TO.search(text[slice(*spans.pop())]))


def hours_in(text: str) -> list[tuple[Keys, Keys]]:
    """Return the keys of both ends of each range of hours in a text: *8-12 Uhr*, *8.00 to 12.00*, also
    *8-12*, which may be rooms instead."""
    times = (each for each in figures_of(text) if each.kind in ("time", "number"))
    return [
        (_times_of(first, text), _times_of(last, text))
        for first, last in pairwise(sorted(times, key=lambda each: each.span))
        if with_unit(last, text) == last.span
        and (is_range((first, last), text) or _TO.fullmatch(text[first.span[1] : last.span[0]].strip()))
    ]


def _times_of(figure: Figure, text: str) -> Keys:
    """Return the keys of a figure, with those of the time that a number such as *8.30* may be."""
    return figure.states.union(keys_of(text[slice(*figure.span)])[0] if figure.kind == "number" else ())


def kinds_of(text: str) -> list[Stated]:
    """Return the figures of a text in text order. A bare number counts the same as the last figure with a
    unit or noun before its clause: "ten days, of others five", "ten days, for 3 euros five"."""
    found = list[Stated]()
    before: tuple[str, str] = ("number", "")
    own, end = before, 0
    for figure in sorted(stated_in(text), key=lambda each: each.span):
        if _CLAUSE.search(text, end, figure.span[0]):
            before = own
        kind, end = kind_of(figure, text), figure.span[1]
        if kind in _MEASURED or kind.startswith(COUNTED):
            own = kind, _span(figure, text)
        kind, span = before if kind == "number" else (kind, _span(figure, text))
        found.append(Stated(figure, kind, f"{_key(figure)} {span}" if kind == "duration" else _key(figure)))
    return found


def is_same(label: str, other: str) -> bool:
    """Return True if two labels are of the same figure. A day without a year equals that day of any year."""
    day, exact = sorted((label, other), key=len)
    return label == other or ("-" in day and exact.endswith(f"-{day}"))


def key_of(label: str) -> str:
    """Return the label of a figure without the unit of a duration."""
    return label.partition(" ")[0]


def named(name: Figure) -> Stated:
    """Return a name as a stated figure."""
    return Stated(name, name.kind, _key(name))


def _key(figure: Figure) -> str:
    if figure.kind in ("date", "time"):
        exact = (key for key in figure.states if not key.startswith("every "))
        return max(exact, key=lambda key: ("-" in key or ":" in key, len(key), key), default="")
    return max(figure.states, key=lambda key: (len(key), key), default="")


def _span(figure: Figure, text: str) -> str:
    """Return the unit of a duration; empty for other figures."""
    unit = _unit(text, figure.span)
    found = _SPAN.search(unit[1][0]) if unit and unit[0] == "duration" else None
    return (found.lastgroup or "") if found else ""


def _unit(text: str, span: tuple[int, int]) -> tuple[str, re.Match[str]] | None:
    """Return the kind and the unit of the number in this place. A number that begins a range or enumeration
    has its unit, but *2* in *Zone 2 and 5 €* has none."""
    start, end = span
    more = _MORE.match(text, end)
    for place in (end, more.end()) if more and not _before(_NUMBERED_NOUN, text, start) else (end,):
        for kind, pattern in _UNITS:
            if unit := pattern.match(text, place):
                return kind, unit
    return None


def _before(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """Return the match of a pattern, which ends with ``\\Z``, right before this place."""
    return pattern.search(text, max(end - _NEAR, 0), end)


def with_unit(figure: Figure, text: str) -> tuple[int, int]:
    """Return the span of a figure including the sign or word for its unit."""
    start, end = figure.span
    if figure.kind != "number":
        return start, end
    if before := _before(_MONEY_BEFORE, text, start):
        start = before.start()
    units = (pattern.match(text, end) for _, pattern in _UNITS)
    return start, next((unit.end() for unit in units if unit), end)
