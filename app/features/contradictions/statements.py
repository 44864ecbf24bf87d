"""Reads statements from a passage: their subjects, conditions and values. Pure functions.

German and English. A statement is a sentence, an item of a list or a row of a table; the title and headings
above it say what it is about, too.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.chat.text.conditions import GENERIC_STEMS, conditions_of, without_conditions
from app.chat.text.figures import figures_of
from app.chat.text.numbers import WORDS
from app.search import analysis
from ingest.sentences import ends

Values = Mapping[str, frozenset[str]]
"""Values by what they measure: ``time``, ``date``, ``phone``, ``money``, ``days``, or what is counted."""

MOST_CHARACTERS: Final = 600
"""Of a statement: what is longer says too much at once."""

_LETTER: Final = re.compile(r"\b[B-Z]\b|(?<=\w )A\b")
"""Names such as "tax A" and "line B"."""

_LINK: Final = re.compile(r"!?\[([^\]\n]*)\]\([^()\n]*\)")
_FILE: Final = re.compile(r"\b\d+(?:[.,]\d+)?\s?[KMG]i?B\b", re.IGNORECASE)
"""A file with its size, which says nothing of its subject."""

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")

_WORD_NUMBERS: Final = {word: str(number) for word, number in WORDS.items()}
_TIMES: Final = {"einmal": "1", "zweimal": "2", "dreimal": "3", "viermal": "4", "once": "1", "twice": "2"}
_COUNTED: Final = re.compile(
    r"(?P<sign>[€£$])?\s?(?<![\w:.,/+-])(?P<number>\d{1,3}(?:[.,  ]\d{3})+(?:,\d\d)?|\d+(?:[.,]\d+)?)"
    r"(?![\d:]|\.\d|/\d)\s?(?P<unit>%|€|£|\$|(?:working |calendar )?[^\W\d_]+\.?)?"
)
_UNITS: Final[tuple[tuple[str, str, float], ...]] = (
    (r"€|eur|euros?|£|pounds?|\$|dollars?", "money", 1),
    (r"%|prozent|percent", "percent", 1),
    (r"tage?n?|days?|kalendertage?n?|calendar days?", "days", 1),
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
_NO_UNITS: Final = re.compile(r"uhr|[ap]m|bis|to|und|and|oder|or|o", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement with figures. ``words``: what it is about, stemmed; ``context``: the same of title and
    headings. ``conditions``: for whom, when, how often, by their kind."""

    text: str
    words: frozenset[str]
    context: frozenset[str]
    conditions: Mapping[str, frozenset[str]]
    values: Values


def statements_of(text: str, above: str, language: str) -> list[Statement]:
    """Return the statements of a passage that have figures. ``above``: its title and headings."""
    context, years = _words(above, language), frozenset(_YEAR.findall(above))
    found = []
    for sentence in _sentences(text):
        values = _values(sentence, language)
        if not values:
            continue
        conditions = _conditions(sentence)
        if years and "year" not in conditions:
            conditions = {**conditions, "year": years}
        words = _words(sentence, language)
        found.append(
            Statement(text=sentence, words=words, context=context, conditions=conditions, values=values)
        )
    return found


def _sentences(text: str) -> Iterator[str]:
    for line in _LINK.sub(r"\1", text).splitlines():
        start = 0
        for end in (*ends(line), len(line)):
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
        if not word[0].isdigit() and word not in _WORD_NUMBERS and word not in _TIMES
    )
    kept = [word for word in words if not any(unit.fullmatch(word) for unit, _, _ in _UNIT_PATTERNS)]
    stems = {stem for word in kept for stem in analysis.tokens(word, language) if len(stem) > 2}
    return frozenset((stems - GENERIC_STEMS) | set(_LETTER.findall(plain)))


def _values(sentence: str, language: str) -> Values:
    found: dict[str, set[str]] = defaultdict(set)
    for figure in figures_of(sentence):
        for key in figure.any_of[-1 if next(iter(figure.any_of[0]), "").startswith("=") else 0]:
            if re.fullmatch(r"\d{1,2}:\d\d", key):
                found["time"].add(key)
            elif match := re.fullmatch(r"(?:\d{4}-)?(\d\d-\d\d)", key):
                found["date"].add(match[1])
            elif re.fullmatch(r"=\d{6,}", key):
                found["phone"].add(key[1:])
    for name, value in _counted(sentence, language):
        found[name].add(value)
    return {name: frozenset(values) for name, values in found.items()}


def _counted(sentence: str, language: str) -> Iterator[tuple[str, str]]:
    """The numbers of a sentence with what they count."""
    text = re.sub(
        r"[^\W\d_]+",
        lambda word: (
            _WORD_NUMBERS.get(word[0].casefold(), word[0])
            if word[0].casefold() not in _TIMES
            else f"{_TIMES[word[0].casefold()]} mal"
        ),
        sentence,
    )
    for match in _COUNTED.finditer(text):
        unit = (match["sign"] or match["unit"] or "").strip(" .").casefold()
        if not unit or _NO_UNITS.fullmatch(unit):
            continue
        value = _number(match["number"])
        known = next(((name, f) for pattern, name, f in _UNIT_PATTERNS if pattern.fullmatch(unit)), None)
        if known:
            yield known[0], f"{value * known[1]:g}"
        elif len(unit) > 2 and not re.match(_MONTHS, unit):
            yield f"of {' '.join(analysis.tokens(unit, language))}", f"{value:g}"


_MONTHS: Final = r"jan|feb|m[aä]r|apr|ma[iy]$|jun|jul|aug|sep|o[ck]t|nov|de[cz]"


def _number(written: str) -> float:
    """The number: of "." and "," the last one before one or two digits is the decimal sign."""
    if match := re.fullmatch(r"(.*)[.,](\d{1,2})", written):
        return float(re.sub(r"\D", "", match[1]) + "." + match[2])
    return float(re.sub(r"\D", "", written))
