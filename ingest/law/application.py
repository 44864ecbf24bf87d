"""From when and until when an act says that it applies.

Only sentences about the act itself count: "This Regulation shall apply from ..." and, right behind such a
sentence, "It shall apply from ...". Articles that apply from another day, what is said of other acts, and
quotations of amended text do not.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from ingest.law.dates import WRITTEN, first_date
from ingest.law.model import Unit

_LAST_ARTICLES: Final = 3
"""Where acts say this."""

_ACTS: Final = (
    r"This (?:Regulation|Directive|Decision)"
    r"|(?:Le présent|La présente) (?:règlement|directive|décision)"
    r"|Diese (?:Verordnung|Richtlinie|Entscheidung)|Dieser Beschluss"
)
_NUMBER: Final = r"(?:\d{1,2}\.\s*)?"
_SUBJECT: Final = rf"(?:^|[.;]\s){_NUMBER}(?:{_ACTS}|It|Il|Elle|Sie|Er)\b"
_FROM: Final = re.compile(
    rf"{_SUBJECT}[^.;]{{0,80}}?(?:\bapply(?:\s+as)?\s+from|applicable à (?:partir|compter) du"
    rf"|s['’]applique à (?:partir|compter) du|\bgilt (?:ab dem|vom|ab))\s+({WRITTEN})",
    re.MULTILINE,
)
_UNTIL: Final = re.compile(
    rf"{_SUBJECT}[^.;]{{0,120}}?(?:\b(?:apply|applies|remain in force) until|\bexpire on"
    rf"|\bcease to (?:apply|have effect) on|\bexpire le|(?:applicable|applique|vigueur) jusqu['’]au"
    rf"|\bcesse d['’]être applicable le|\bgilt bis zum|\btritt am)\s+({WRITTEN})(?!\s+in Kraft)",
    re.MULTILINE,
)
_NAMED: Final = re.compile(_ACTS)
_QUOTED: Final = re.compile(r"^[ \t]*>.*$", re.MULTILINE)


def applies_from(units: Iterable[Unit]) -> date | None:
    """The day from which the act applies as a whole."""
    return _day(_FROM, units)


def valid_until(units: Iterable[Unit]) -> date | None:
    """The day on which the act ends."""
    return _day(_UNTIL, units)


def _day(pattern: re.Pattern[str], units: Iterable[Unit]) -> date | None:
    articles = [unit.markdown for unit in units if unit.kind == "article"]
    for text in reversed(articles[-_LAST_ARTICLES:]):
        own = _QUOTED.sub("", text)
        found = pattern.search(own) if _NAMED.search(own) else None
        if found:
            return first_date(found[1])
    return None
