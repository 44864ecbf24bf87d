"""Finds out if prices may be those of another time, because headings or sentences say so. Pure functions.

German and English; in doubt they may be.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from app.features.facts.price_tables import PRICE
from app.features.facts.validity import is_of_other_time, periods
from ingest.text import sentences

MOST_CHARACTERS: Final = 1_000
"""The part of a sentence beside prices that is read."""

_MONEY: Final = re.compile(
    r"preis|gebühr|entgelt|tarif|kost|s[aä]tze?\b|steuer|beitrag|beiträge|eintritt|gelten|gilt|gültig|karten?\b"
    r"|euro|[€£$]|price|fee|charge|fare|rate|cost|admission|appl(?:y|ies)|valid",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"\b(?:mehr|weniger|teurer|günstiger|billiger|höher\w*|erhöh\w*|steig\w*|senk\w*|änder\w*|geändert\w*"
    r"|neue?[rsnm]?|statt|more|less|higher|lower|increas\w*|r[io]se\w*|chang\w*|new|instead"
    r"|veraltet\w*|ungültig\w*|outdated|no longer)\b",
    re.IGNORECASE,
)
_RISE: Final = re.compile(
    r"\bteurer\b|überholt|erhöhung\b|\bneue\w* (?:preis|gebühr|tarif)|more expensive"
    r"|(?:preis|gebühr|tarif|kost)\w*\b.{0,40}\b(?:steig|erhöh|senk|änder[nt])"
    r"|\bnew (?:prices|fees|fares|charges)"
    r"|\b(?:prices?|fees?|fares?|charges?) .{0,20}\b(?:ris|increas|chang|go up)",
    re.IGNORECASE,
)
_NO_LONGER: Final = re.compile(
    r"\bnicht mehr\b(?! als)|veraltet|ungültig|außer kraft|no longer|outdated|expired", re.IGNORECASE
)
_NEW: Final = re.compile(r"\b(?:neue?[rsnm]?|new)\b", re.IGNORECASE)
_LIMIT: Final = re.compile(r"\W*(?:bis|ab|seit|until|from|since)\b", re.IGNORECASE)


def are_of_other_time(
    above: Sequence[str], others: Sequence[str], beside: Iterable[str], today: date
) -> bool:
    """Return True if prices may not be those of ``today``, because of the headings ``above`` them, ``others``
    of the page, or the lines ``beside`` them."""
    if any(is_of_other_time(each, today) for each in above) or _are_replaced(above, others, today):
        return True
    return any(_is_doubtful(each, today) for line in beside for each in sentences(line))


def _are_replaced(above: Sequence[str], others: Sequence[str], today: date) -> bool:
    """Return True if prices below other headings may be those of ``today``."""
    dated = [found for each in others if _MONEY.search(each) or _LIMIT.match(each) for found in periods(each)]
    if any(_NEW.search(each) for each in above):
        return not all(each.is_over(today) for each in dated)
    return any(not each.is_clear or each.contains(today) for each in dated)


def _is_doubtful(sentence: str, today: date) -> bool:
    """Return True if a sentence says that prices are of another time, or changed."""
    sentence = sentence[:MOST_CHARACTERS]
    if _RISE.search(sentence):
        return True
    if not _MONEY.search(sentence):
        return False
    if _NO_LONGER.search(sentence):
        return True
    dated = list(periods(sentence, is_heading=False))
    is_other = bool(PRICE.search(sentence) or _CHANGE.search(sentence))
    return bool(dated) and (is_other or any(each.is_clear and not each.contains(today) for each in dated))
