"""Finds the days from which and until which an act says that it applies.

Only sentences about the act itself count: "This Regulation shall apply from ..." and, directly after such a
sentence, "It shall apply from ...". Articles that apply from another day, statements about other acts, and
quotations of amended text do not count.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final

from ingest.law.dates import WRITTEN, first_date
from ingest.law.model import Unit

_LAST_ARTICLES: Final = 3
"""The number of last articles to search, because acts state their application there."""

_ACT: Final = re.compile(
    r"(?:This (?:Regulation|Directive|Decision)"
    r"|(?:Le présent|La présente) (?:règlement|directive|décision)"
    r"|Diese (?:Verordnung|Richtlinie|Entscheidung)|Dieser Beschluss)\b"
)
_PRONOUN: Final = re.compile(r"(?:It|Il|Elle|Sie|Er)\b")
_FROM: Final = re.compile(
    r"[^.;]{0,110}?(?:\bapply(?:\s+as)?\s+from|applicable à (?:partir|compter) du"
    rf"|s['’]applique à (?:partir|compter) du|\bgilt (?:ab dem|vom|ab))\s+({WRITTEN})"
)
_UNTIL: Final = re.compile(
    r"[^.;]{0,150}?(?:(?P<last_day>\b(?:apply|applies|remain in force) until|\bexpire on|\bexpire le"
    r"|(?:applicable|applique|vigueur) jusqu['’]au|\bgilt bis zum)"
    r"|\bcease to (?:apply|have effect) on|\bcesse d['’]être applicable le|\btritt am)"
    rf"\s+(?P<day>{WRITTEN})(?!\s+in Kraft)"
)
_NUMBER: Final = re.compile(r"^\d{1,2}\.\s*")
_QUOTED: Final = re.compile(r"[ \t]*>")
_SENTENCE_END: Final = re.compile(r"(?<=[.;])(?!(?<=\d\.)\s+\w+\s\d{4}\b)\s+(?=[^\W\d_a-zà-ÿ])")
"""The gap between two sentences, but not inside ``2. August 2026``."""


def applies_from(units: Iterable[Unit]) -> date | None:
    """Return the day from which the act applies as a whole, or None if it does not say."""
    found = _first(_FROM, units)
    return first_date(found[1]) if found else None


def valid_until(units: Iterable[Unit]) -> date | None:
    """Return the first day on which the act no longer applies, or None if it does not say. If the last day is
    printed, it is the next one."""
    found = _first(_UNTIL, units)
    day = first_date(found["day"]) if found else None
    if found is None or day is None or not found["last_day"]:
        return day
    return day + timedelta(days=1) if day < date.max else None


def _first(pattern: re.Pattern[str], units: Iterable[Unit]) -> re.Match[str] | None:
    articles = [unit.markdown for unit in units if unit.kind == "article"]
    for text in reversed(articles[-_LAST_ARTICLES:]):
        for sentence in _own_sentences(text):
            if found := pattern.match(sentence):
                return found
    return None


def _own_sentences(text: str) -> Iterator[str]:
    """Yield sentences whose subject is the act, or directly after such a sentence, a pronoun for it."""
    own = False
    for line in text.splitlines():
        if not line.strip() or _QUOTED.match(line):
            continue
        for sentence in _SENTENCE_END.split(_NUMBER.sub("", line)):
            own = bool(_ACT.match(sentence)) or (own and bool(_PRONOUN.match(sentence)))
            if own:
                yield sentence
