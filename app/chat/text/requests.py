"""Recognises what visitors write that no website answers, in German or English.

Requests for a poem, code, a sum, homework or a part to play are declined without a search. Letters that are
no words, and words that say nothing, ask for nothing.

Only the plain forms are known; everything else is searched for, and compared by its meaning
(:mod:`app.search.examples`). Patterns have bounded gaps: they take linear time.
"""

import re
from typing import Final

from app.search import analysis
from app.search.answer_kinds import asked_kinds

_TEXT: Final = (
    r"gedichte?|limericks?|reime?|haikus?|lied(?:text)?|song(?:text)?|rap|witze?|poems?|rhymes?|lyrics|jokes?"
    r"|fairy ?tale|liebesbrief|love letter|zungenbrecher|tongue twister|fun fact|riddle|rätsel"
)
_CODE: Final = (
    r"python|java|javascript|typescript|c\+\+|c#|php|sql|bash|html|css|rust|golang|excel[- ]?formel|regex"
)
_ADDRESSED: Final = (
    r"(?:bitte |please |pls |(?:kannst|könntest|würdest) du |(?:can|could|would) (?:you|u) |hey |ok )*+"
)
_TELL: Final = r"schreib\w*|dichte\w*|erzähl\w*|erfinde\w*|sing\w*|write|tell|compose|make up|sing|give"
_SUM: Final = (
    r"\d[\d.,]*+\s*+(?:[x*×+:÷^/-]|mal|plus|minus|hoch|durch|times|divided by|geteilt durch)\s*+\d[\d.,]*+"
)
_OTHER: Final = (
    rf"^{_ADDRESSED}(?:mir |uns |me |us )?(?:{_TELL})\b[^.?!]{{0,40}}\b(?:{_TEXT})\b",
    rf"\b(?:{_TEXT})\b[^.?!]{{0,60}}\b(?:schreiben|erzählen|dichten|vorsingen|erfinden)\b",
    r"^(?:bitte |please )?(?:übersetz\w*|translate)\b.{0,60}[\"„“:]",
    rf"\b(?:{_CODE})\b.{{0,60}}\b(?:programm|code|skript|script|funktion|function|program|class|loop|query)\b",
    rf"\b(?:programm|code|skript|script|function|program|list|class|loop)\b.{{0,60}}\bin (?:{_CODE})(?!\w)",
    r"\b(?:mach|lös|do|solve|help|hilf)\w*\b.{0,30}\b(?:hausaufgaben?|homework)\b",
    r"\b(?:löse?|solve|berechne|calculate)\b.{0,30}\b(?:gleichung|equation|integral|wurzel|ableitung)\b",
    r"^(?:was (?:ist|sind|ergibt)|wie ?viel (?:ist|sind)|what(?:'?s| is)|how much is|rechne\w*)?\s*+"
    rf"{_SUM}[\s?=!]*+$",
    r"\b(?:square|cube) root of\b|\b(?:quadrat|kubik)?wurzel (?:aus|von) \d",
    r"\brezepte? (?:für|von)\b|\brecipes? for\b",
    r"^spiel\w* .{0,20}\bmit mir\b|\blet'?s play\b|\bplay .{0,30} with me\b|\blass uns .{0,30}spielen\b",
    r"^(?:i love you|i hate you|ich (?:liebe|hasse|mag) dich)\b|\b(?:liebst|findest) du mich\b",
    r"\bdo you (?:love|like) me\b|\bwillst du mich heiraten\b|\bwill you marry me\b",
    rf"^{_ADDRESSED}(?:pretend|imagine you|role-?play|insult me|roast me|beleidige? mich|tu so)\b",
    rf"^{_ADDRESSED}(?:act (?:as|like) an?|(?:talk|speak) like an?|(?:rede?|sprich) wie eine?)\b",
    rf"^{_ADDRESSED}(?:ignore|forget|disregard) (?:all|any|your|the previous|previous|everything)\b"
    r".{0,30}\b(?:instructions|rules|told|before)\b",
    rf"^{_ADDRESSED}(?:ignoriere?|vergiss) (?:alle?s?|deine|die)\b.{{0,30}}"
    r"\b(?:anweisungen|regeln|gesagt|vorher\w*|bisher\w*)\b",
    r"^(?:this is (?:just |only )?a |(?:das|dies) ist (?:nur |bloß )?ein )?(?:test(?:ing)?[\s\d.,!?-]*+)+$",
    r"^lorem ipsum\b|^foo ?bar\b",
)
"""What is declined without a search."""

_OTHER_REQUEST: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _OTHER), re.IGNORECASE)

READ_CHARACTERS: Final = 500
"""The most that is read: whoever pastes a longer text asks about it."""

_ROWS: Final = (
    *("qwertzuiopü", "qwertyuiop", "asdfghjklöä", "yxcvbnm", "zxcvbnm"),
    *("abcdefghijklmnopqrstuvwxyz", "1234567890"),
    *("йцукенгшщзх", "фывапролджэ", "фівапролджє", "ячсмитьбю"),
)
_MASHED: Final = re.compile(
    "|".join(
        row[start : start + 4]
        for each in _ROWS
        for row in (each, each[::-1])
        for start in range(len(row) - 3)
    )
)
_REPEATED: Final = re.compile(r"(.)\1\1|(..+?)\2\2|\A(.)\3\Z")
_CONSONANTS: Final = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}")
_MIXED: Final = re.compile(r"(?:\d+[a-z]+){2}|(?:[a-z]+\d+){2}")

_PLACEHOLDERS: Final = frozenset(("bla", "blah", "blubb", "dings", "dingsbums", "irgendwas", "stuff", "yada"))
_FILLERS: Final = _PLACEHOLDERS | frozenset(
    re.findall(
        r"\w+",
        "ach ah aha ahnung eben egal eh ey gell ha haha halt hä hm hmm irgendwie ja jo joa klar lol mal mhm"
        " na naja nee nein nix nö och oh ok okay pff puh right sure tja uff uh um well wow yeah yo äh ähm",
    )
)
_FILLERS_IN: Final = ("de", "en")
_WHATS_ON: Final = re.compile(r"\bwhat['’]?s on\b", re.IGNORECASE)


def is_other_request(question: str) -> bool:
    """True if the question plainly asks for something that pages do not give."""
    return len(question) <= READ_CHARACTERS and _OTHER_REQUEST.search(question.strip()) is not None


def says_nothing(question: str) -> bool:
    """True if the question has only words such as "the", "and", "well", and does not ask where, when, how
    much or what's on."""
    said = analysis.words(question.casefold())
    if not all(word in _FILLERS or _is_function_word(word) for word in said):
        return False
    is_asking = asked_kinds(question) or _WHATS_ON.search(question)
    return not is_asking or not _PLACEHOLDERS.isdisjoint(said)


def is_gibberish(question: str) -> bool:
    """True if most words look like none. For words that no page has: abbreviations look alike."""
    said = analysis.words(question.casefold())
    return 2 * sum(map(_is_mashed, said)) > len(said) or not said


def _is_function_word(word: str) -> bool:
    return any(word in analysis.stop_words(language) for language in _FILLERS_IN)


def _is_mashed(word: str) -> bool:
    return any(pattern.search(word) for pattern in (_MASHED, _REPEATED, _CONSONANTS, _MIXED))
