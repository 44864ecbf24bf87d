"""Reads statements from a passage: their subjects, conditions and values. Pure functions.

German and English. A statement is a sentence, a list item, or a table cell with the heads of its row and
column. The title and headings above it also say what it is about.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from app.chat.text.conditions import GENERIC_STEMS, conditions_of, without_conditions
from app.chat.text.figures import figures_of
from app.chat.text.numbers import WORDS
from app.search import analysis
from app.search.matching_rows import cells
from ingest.text import ends

Values = Mapping[str, frozenset[str]]
"""Values by what they measure: ``time``, ``date``, ``phone``, ``money``, ``days`` and so on, or ``of`` and
the noun counted."""

MOST_CHARACTERS: Final = 600
"""The longest statement; longer ones say too much at once."""

_LETTER: Final = re.compile(
    r"\b[B-Z]\b|(?<=\w )A\b|\b[A-ZÄÖÜ]\w+ \d{1,3}(?=\Z| [a-zäöü])(?! (?:bis|to|und|and) \d)"
)
"""Names such as "tax A", "line B" and "Bus 7"."""

_LINK: Final = re.compile(r"!?\[([^\]\n]*)\]\([^()\n]*\)")
_FILE: Final = re.compile(r"\b\d+(?:[.,]\d+)?\s?[KMG]i?B\b", re.IGNORECASE)
"""A file with its size, which is not about the subject."""

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_REFERENCE: Final = re.compile(
    r"(?:§+|\b(?:art(?:ikels?|icles?)?|abs(?:atz|ätze)?|nr|nummer|satz|sections?|paragraph|kapitel|chapter"
    r"|seiten?|pages?)\b\.?)\s?\d+\w*(?:\s?(?:,|und|and|bis|to|-|–)\s?\d+\w*)*",
    re.IGNORECASE,
)
"""Numbers of sections of law, chapters or pages, which count nothing."""

_TIMES: Final = {"einmal": 1, "zweimal": 2, "dreimal": 3, "viermal": 4, "once": 1, "twice": 2}
_COUNTED: Final = re.compile(
    r"(?P<sign>[€£$])?\s?(?:(?<![\w:.,/+-])"
    r"(?!0\d)(?P<number>\d{1,3}(?:[.,  ]\d{3})+(?:,\d\d)?|\d+(?:[.,]\d+)?)(?![\d:]|\.\d|/\d)"
    rf"|\b(?P<word>(?i:{'|'.join(WORDS)}))\b)"
    r"\s?(?P<unit>%|€|£|\$|(?:working |calendar |per (?=cent))?[^\W\d_]+\.?)?"
    rf"|\b(?P<times>(?i:{'|'.join(_TIMES)}))\b"
)
_UNITS: Final[tuple[tuple[str, str, float], ...]] = (
    (r"€|eur|euros?", "money", 1),
    (r"£|pounds?", "pounds", 1),
    (r"\$|dollars?", "dollars", 1),
    (r"%|prozent|per ?cent", "percent", 1),
    (r"(?:working |calendar )?days?|(?:werk|arbeits|kalender)?tage?n?", "days", 1),
    (r"wochen?|weeks?", "days", 7),
    (r"monate?n?|months?", "months", 1),
    (r"jahre?n?|years?", "months", 12),
    (r"minuten?|minutes?|min\.?", "minutes", 1),
    (r"stunden?|hours?", "minutes", 60),
    (r"millionen|mio\.?|million", "millions", 1),
)
_UNIT_PATTERNS: Final = [
    (re.compile(pattern, re.IGNORECASE), name, factor) for pattern, name, factor in _UNITS
]
_NO_UNITS: Final = re.compile(
    r"uhr|[ap]m|bis|to|und|and|oder|or|o|tausend|thousand|milliarden?|mrd|billion(?:en|s)?", re.IGNORECASE
)
_OUTER: Final = ("person", "season", "year")
"""Conditions in a title or heading that apply to everything below it."""

_MONTHS: Final = r"jan|feb|m[aä]r|apr|ma[iy]$|jun|jul|aug|sep|o[ck]t|nov|de[cz]"


class Stated(NamedTuple):
    """A value in a text: the ``kind`` of what it measures, its language-independent ``value``, and its
    place."""

    kind: str
    value: str
    span: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement with figures.

    ``words``: what it is about, stemmed; ``context``: the same for title and headings. ``conditions``: for
    whom, when, how often, by kind, and the figures in the heads of row and column. ``stated``: its values in
    order, with their places in ``text``.
    """

    text: str
    words: frozenset[str]
    context: frozenset[str]
    conditions: Mapping[str, frozenset[str]]
    stated: tuple[Stated, ...]

    @cached_property
    def values(self) -> Values:
        """Its values by kind."""
        found: dict[str, set[str]] = defaultdict(set)
        for kind, value, _ in self.stated:
            found[kind].add(value)
        return {kind: frozenset(values) for kind, values in found.items()}


def statements_of(text: str, above: str, language: str, header: str = "") -> list[Statement]:
    """Return the statements of a passage that have figures.

    ``above``: its title and headings. ``header``: the first row of its table, if it is in one.
    """
    context = _words(above, language)
    outer = {kind: names for kind, names in _conditions(above).items() if kind in _OUTER}
    heads = cells(header) if header else []
    found = []
    for sentence in _sentences(text):
        for label, start, end in _parts(sentence, heads):
            stated = tuple(
                Stated(each.kind, each.value, (each.span[0] + start, each.span[1] + start))
                for each in stated_in(sentence[start:end], language)
            )
            if not stated:
                continue
            named = f"{label} {sentence[start:end]}"
            conditions = {**outer, **_conditions(named)}
            if keys := frozenset(f"{kind} {value}" for kind, value, _ in stated_in(label, language)):
                conditions["keys"] = keys
            words = _words(f"{label} {_without(stated, sentence, start, end)}", language)
            found.append(
                Statement(text=sentence, words=words, context=context, conditions=conditions, stated=stated)
            )
    return found


def _without(stated: Iterable[Stated], sentence: str, start: int, end: int) -> str:
    """The part of a sentence without its values."""
    pieces, at = [], start
    for _, _, (first, last) in stated:
        pieces.append(sentence[at:first])
        at = max(at, last)
    return " ".join((*pieces, sentence[at:end]))


def _parts(sentence: str, heads: list[str]) -> Iterator[tuple[str, int, int]]:
    """The heads, start and end of each cell of a row except the first; a sentence is one part without
    heads."""
    row = cells(sentence)
    if len(heads) < 2 or len(row) != len(heads):
        yield "", 0, len(sentence)
        return
    start = len(row[0])
    for cell, head in zip(row[1:], heads[1:], strict=True):
        start = sentence.index(cell, start)
        yield f"{row[0]} {head}", start, start + len(cell)
        start += len(cell)


def _sentences(text: str) -> Iterator[str]:
    for line in _LINK.sub(r"\1", text).splitlines():
        start = 0
        for end in (len(line),) if line.startswith("|") else (*ends(line), len(line)):
            sentence = line[start:end].strip(" \t|-*>")
            start = end
            if sentence and len(sentence) <= MOST_CHARACTERS and not _FILE.search(sentence):
                yield sentence


def _conditions(sentence: str) -> dict[str, frozenset[str]]:
    found = conditions_of(sentence)
    years = frozenset(_YEAR.findall(sentence))
    return {kind: names for kind, names in (found | {"year": years}).items() if names}


def _words(text: str, language: str) -> frozenset[str]:
    plain = without_conditions(text)
    words = (
        word
        for word in analysis.content_words(plain, language)
        if not word[0].isdigit() and word not in WORDS and word not in _TIMES
    )
    kept = [word for word in words if not any(unit.fullmatch(word) for unit, _, _ in _UNIT_PATTERNS)]
    stems = {stem for word in kept for stem in analysis.tokens(word, language) if len(stem) > 2}
    return frozenset((stems - GENERIC_STEMS) | set(_LETTER.findall(plain)))


def stated_in(sentence: str, language: str) -> list[Stated]:
    """Return the values that a sentence states, in order."""
    found = list(_counted(sentence, language))
    for figure in figures_of(sentence):
        if not figure.any_of:  # not a readable number, such as in a web address
            continue
        for key in figure.any_of[-1 if next(iter(figure.any_of[0]), "").startswith("=") else 0]:
            if re.fullmatch(r"\d{1,2}:\d\d", key):
                found.append(Stated("time", key, figure.span))
            elif match := re.fullmatch(r"(?:\d{4}-)?(\d\d-\d\d)", key):
                found.append(Stated("date", match[1], figure.span))
            elif re.fullmatch(r"=\d{6,}", key):
                found.append(Stated("phone", key[1:], figure.span))
    return sorted(found, key=lambda each: (each.span, len(each.value), each.value))


def _counted(sentence: str, language: str) -> Iterator[Stated]:
    """The numbers in a sentence with what they count."""
    text = _REFERENCE.sub(lambda match: " " * len(match[0]), sentence)
    for match in _COUNTED.finditer(text):
        if times := match["times"]:
            yield Stated("of mal", str(_TIMES[times.casefold()]), match.span())
            continue
        unit = (match["sign"] or match["unit"] or "").strip(" .")
        if not unit or _NO_UNITS.fullmatch(unit):
            continue
        value = _number(match["number"]) if match["number"] else WORDS[match["word"].casefold()]
        known = next(((name, f) for pattern, name, f in _UNIT_PATTERNS if pattern.fullmatch(unit)), None)
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        span = start, match.end("number" if match["sign"] and match["number"] else 0)
        if known:
            yield Stated(known[0], f"{value * known[1]:g}", span)
        elif _is_noun(unit, language):
            yield Stated(f"of {' '.join(analysis.tokens(unit, language))}", f"{value:g}", span)


def _is_noun(unit: str, language: str) -> bool:
    """Return True if the word may be a noun that a number counts."""
    if (
        len(unit) < 3
        or re.match(_MONTHS, unit.casefold())
        or unit.casefold() in analysis.stop_words(language)
    ):
        return False
    return language != "de" or unit[0].isupper() or unit == "mal"


def _number(written: str) -> float:
    """The number. A "." or "," before the last one or two digits is the decimal sign."""
    if match := re.fullmatch(r"(.*)[.,](\d{1,2})", written):
        return float(re.sub(r"\D", "", match[1]) + "." + match[2])
    return float(re.sub(r"\D", "", written))
