"""Recognises what visitors write that no website answers, in German or English: requests for a poem, a joke,
code, a translation, homework or a recipe, talk about the assistant itself, and letters that are no words.

Only the plain forms are known. Everything else is searched for. Patterns have bounded gaps: they take linear
time.
"""

import re
from typing import Final

from app.search import analysis

_THING: Final = (
    r"gedichte?|limerick|reim|haiku|lied(?:text)?|song(?:text)?|rap|witz|geschichte|märchen|aufsatz|essay|roman"
    r"|bewerbung|liebesbrief|rede|poem|rhyme|lyrics|joke|story|fairy ?tale|essay|novel|speech|love letter"
    r"|cover letter|riddle|rätsel|fun fact"
)
_CODE: Final = (
    r"python|java|javascript|typescript|c\+\+|c#|php|sql|bash|html|css|rust|golang|excel[- ]?formel|regex"
)
_ADDRESSED: Final = r"(?:bitte |please |(?:kannst|könntest|würdest) du |(?:can|could|would) you |hey |ok )*"
_TELL: Final = r"schreib\w*|dichte\w*|erzähl\w*|erfinde\w*|sing\w*|write|tell|compose|make up|sing|give"
_LANGUAGES: Final = r"(?:auf|in) (?:englisch|französisch|spanisch|italienisch|türkisch|polnisch|latein)"
_PATTERNS: Final = (
    rf"^{_ADDRESSED}(?:mir |uns |me |us )?(?:{_TELL})\b[^.?!]{{0,40}}\b(?:{_THING})\b",
    rf"\b(?:{_THING})\b[^.?!]{{0,60}}\b(?:schreiben|erzählen|dichten|vorsingen|erfinden)\b",
    r"^tell me (?:something|anything)\b|^erzähl\w* (?:mir )?(?:et)?was\b",
    r"^(?:bitte |please )?(?:übersetz\w*|translate)\b",
    rf"\bwie (?:sagt|heißt) (?:man )?.{{0,60}}\b{_LANGUAGES}",
    rf"\b(?:{_CODE})\b.{{0,60}}\b(?:programm|code|skript|script|funktion|function|program|class|loop|query)\b",
    rf"\b(?:programm|code|skript|script|function|program|list|class|loop)\b.{{0,60}}\bin (?:{_CODE})(?!\w)",
    r"\b(?:mach|lös|do|solve|help|hilf)\w*\b.{0,30}\b(?:hausaufgaben?|homework)\b",
    r"\b(?:löse?|solve|berechne|calculate)\b.{0,30}\b(?:gleichung|equation|integral|wurzel|ableitung)\b",
    r"\brezepte? (?:für|von)\b|\brecipes? for\b",
    r"^spiel\w* .{0,20}\bmit mir\b|\blet'?s play\b|\bplay .{0,30} with me\b|\blass uns .{0,30}spielen\b",
    r"^(?:i love you|i hate you|ich (?:liebe|hasse|mag) dich)\b|\b(?:liebst|findest) du mich\b",
    r"\bdo you (?:love|like) me\b|\bwillst du mich heiraten\b|\bwill you marry me\b",
    r"^(?:bist du|are you) (?:ein |eine |a |an )?(?:real|echt|chatgpt|verheiratet|single|married|bored|alive"
    r"|human|mensch|robot|roboter|dumm|stupid)\b",
    r"^(?:was machst du|what (?:are you doing|do you do)) (?:heute|gerade|so|tonight|today|for fun)\b",
)
_OTHER: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)

READ_CHARACTERS: Final = 500
"""The most that is read: whoever pastes a longer text asks about it."""

_ROWS: Final = ("qwertzuiopü", "qwertyuiop", "asdfghjklöä", "yxcvbnm", "zxcvbnm")
_MASHED: Final = re.compile(
    "|".join(row[start : start + 4] for row in _ROWS for start in range(len(row) - 3))
)
_REPEATED: Final = re.compile(r"(.)\1\1|(..+?)\2\2")
_CONSONANTS: Final = re.compile(r"[^aeiouyäöüáéíóúàèìòùâêîôû\d]{5}")


def is_other_request(question: str) -> bool:
    """True if the question plainly asks for something that pages do not give."""
    return len(question) <= READ_CHARACTERS and _OTHER.search(question.strip()) is not None


def is_gibberish(question: str) -> bool:
    """True if no word looks like one. For words that no page has: abbreviations look alike."""
    return all(map(_is_mashed, analysis.words(question.casefold())))


def _is_mashed(word: str) -> bool:
    return any(pattern.search(word) for pattern in (_MASHED, _REPEATED, _CONSONANTS))
