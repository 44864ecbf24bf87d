"""Sentences that say when something takes place, and nothing else.

"Das Fest ist am 3. Mai um 11 Uhr auf dem Markt". Pure functions for German and English; others are not
understood.
"""

import re
from collections.abc import Sequence
from typing import Final

from app.features.facts.calendar_days import DayGroup, day_groups

DAYS: Final = "¤"
"""Placeholder for the days in a sentence."""

_CLOCK: Final = r"\d{1,2}(?:[:.]\d\d)?(?:\s?(?:uhr|h|[ap]\.?m\.?|noon)\b)?"
_TIMES: Final = (
    rf"(?:(?:um|ab|von|from|at)\s)?{_CLOCK}(?:\s?(?:–|-|bis|to|until|und|and)\s?{_CLOCK})*|at noon|ganztägig"
)
_GERMAN_PLACE: Final = (
    r"(?:an|am|auf|bei|beim|im|in|per|vor|zum|zur|hinter|über|unter)"
    r"(?:\s(?:der|die|das|den|dem|uns|allen|Ihre[rnm]?|unsere[rnm]?))?(?:\s[a-zäöüß]+e[nrm])?"
    r"(?:\s[A-ZÄÖÜ][\w.-]*)+"
)
_ENGLISH_PLACE: Final = (
    r"(?:at|in|on|by|via|near|outside)\s(?:(?:the|our|your)\s)?(?:[a-z-]+\s)?[A-Z][\w'’-]*(?:\s[A-Z][\w'’-]*)*"
    r"|(?:at|in|to|via|near|outside)\s(?:the|our|your)(?:\s[a-z]+){1,2}"
    r"|to us|online|in person|in writing|by e?-?mail|by post"
)
AROUND: Final = rf"(?:,?\s(?!in\s\w+ung\b)(?:(?i:{_TIMES})|(?-i:{_GERMAN_PLACE})|(?-i:{_ENGLISH_PLACE})))"
"""A time or a place."""

_VERB: Final = (
    r"(?:findet|finden|ist|sind|steht|stehen|kommt|kommen|beginnt|beginnen|startet|starten|tagt|tagen"
    r"|trifft sich|treffen sich|läuft|dauert|wird|werden|is|are|(?:is|will be) held"
    r"|takes? place|will take place|starts?|begins?|runs?|meets?|comes|stops|will be|will start|visits)"
)
_END: Final = r"(?:\s(?:statt|gefeiert|wieder|again))?[\s.!]*"
_SUBJECT: Final = r"(?P<subject>(?:[^,;:!?\d¤]|\b20\d\d\b){2,90}?)"
_SUBJECT_FIRST: Final = re.compile(
    rf"{_SUBJECT}\s{_VERB}{AROUND}{{0,3}}:?\s?{DAYS}{AROUND}{{0,4}}{_END}", re.IGNORECASE
)
_DATE_FIRST: Final = re.compile(
    rf"{DAYS}{AROUND}{{0,2}},?\s{_VERB}\s{_SUBJECT}{AROUND}{{0,4}}{_END}", re.IGNORECASE
)
_BARE: Final = re.compile(rf"[^,;:]*\s{_VERB}", re.IGNORECASE)


def marked(text: str, groups: Sequence[DayGroup]) -> str:
    """Return a text with a placeholder for everything from its first to its last day."""
    return f"{text[: groups[0].start]}{DAYS}{text[groups[-1].end :]}"


def subject_of(sentence: str) -> str:
    """Return the subject of a sentence that says when something takes place; empty if it is not in a known
    form."""
    groups = day_groups(sentence)
    text = marked(sentence, groups) if groups else ""
    found = _DATE_FIRST.fullmatch(text) or _SUBJECT_FIRST.fullmatch(text)
    return found["subject"] if found else ""


def is_bare(text: str) -> bool:
    """Return True for a subject and a verb, which say nothing without their days."""
    return bool(_BARE.fullmatch(text))
