"""Recognises input that needs no search.

* Greetings, thanks and goodbyes, in the languages of the chat (``greeting_phrases/``, a file for each): the
  whole text must consist of such phrases and the words that go with them. Punctuation, smileys, drawn-out
  letters and the spelling of umlauts do not matter. ``Hallo, was kostet ein Pass?`` is a question.
* In German or English: requests for a poem, code, a sum, homework or a role to play, which are declined;
  letters that are not words; and words that say nothing.

Only the plain forms are known; everything else is searched for and compared by its meaning
(:mod:`app.search.examples`). Patterns have bounded gaps, so they take linear time.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.languages import EVERYDAY_WORDS, read_by_language
from ingest.text import visible

Greeting = Literal["thanks", "bye", "hello"]
"""If a question has several kinds, the first of this list counts."""


class Phrases(BaseModel):
    """The phrases of a language. ``beside``: words that may accompany phrases of a kind, or of ``any``
    kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    thanks: Sequence[str]
    bye: Sequence[str]
    hello: Sequence[str]
    beside: Mapping[Greeting | Literal["any"], Sequence[str]]


MAX_CHARACTERS: Final = 200
"""A longer text is not a greeting."""

_ANYWHERE: Final[Mapping[Greeting, Sequence[str]]] = {
    "thanks": ("merci",),
    "bye": ("ciao", "ciao ciao", "adieu"),
    "hello": ("hi", "hey", "hej", "heya", "salut"),
}
"""Phrases used in several languages."""

# Letters in smileys: ``:D``, ``;-P``, ``xD``.
_SMILEY: Final = re.compile(r"(?<!\w)(?:[:;=][-^']?[dpo3x]+|xd+|<3+)(?!\w)", re.IGNORECASE)
_MARKS: Final = re.compile("[\u0300-\u036f\u064b-\u0655\u0670]+")
_REPEATED: Final = re.compile(r"(\w)\1+")
_SPELT_OUT: Final = re.compile("(?<=[aou])e")

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
"""Requests that are declined without a search."""

_OTHER_REQUEST: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _OTHER), re.IGNORECASE)

READ_CHARACTERS: Final = 500
"""A longer text is not checked: whoever pastes one asks about it."""

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
_STUTTERED: Final = re.compile(r"(.)\1\1|(..+?)\2\2|\A(.)\3\Z")
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
_DAY: Final = ("morgen",)
_ASKS_FOR_DAY: Final = re.compile(r"\b(?:und|auch) morgen\b|\bmorgen\b(?: auch|\s*\?)", re.IGNORECASE)
"""Here "morgen" is tomorrow, not a greeting."""

_WHATS_ON: Final = re.compile(r"\bwhat['’]?s on\b", re.IGNORECASE)


def greeting(question: str, *, is_follow_up: bool = False) -> Greeting | None:
    """Return the kind of a question that is only a greeting, otherwise None. ``Danke, tschüss`` is thanks.

    ``is_follow_up``: it was asked in a conversation, in which ``morgen`` alone is tomorrow.
    """
    kinds = {kind for kind, _ in _phrases(question, is_follow_up=is_follow_up)}
    return next((kind for kind in get_args(Greeting) if kind in kinds), None)


def greeting_language(question: str) -> str | None:
    """Return the language of a greeting (ISO 639-1); None for other questions and for ``Hi``."""
    return next((language for _, language in _phrases(question) if language), None)


def is_other_request(question: str) -> bool:
    """Return True if the question plainly asks for something that no website offers, such as a poem."""
    return len(question) <= READ_CHARACTERS and _OTHER_REQUEST.search(question.strip()) is not None


def says_nothing(question: str) -> bool:
    """Return True if the question has only words such as "the", "and", "well", and does not ask where, when,
    how much or what's on. A single word that means something in another language, such as *Kind*, asks for
    it."""
    said = analysis.words(question.casefold())
    if len(said) == 1 and said[0] in EVERYDAY_WORDS:
        return False
    if not all(word in _FILLERS or _is_function_word(word) for word in said):
        return False
    is_asking = asked_kinds(question) or _WHATS_ON.search(question)
    return not is_asking or not _PLACEHOLDERS.isdisjoint(said)


def is_gibberish(question: str) -> bool:
    """Return True if most words do not look like words. Call it only for words that no page has, because
    abbreviations look the same."""
    said = analysis.words(question.casefold())
    return 2 * sum(map(_is_mashed, said)) > len(said) or not said


def _phrases(question: str, *, is_follow_up: bool = False) -> list[tuple[Greeting, str]]:
    """Return the greetings in the question with their languages, in order; empty if it contains anything
    else."""
    text = visible(question).strip()
    if len(text) > MAX_CHARACTERS:
        return []
    words = _words(_SMILEY.sub(" ", text))
    has_day = is_follow_up or _ASKS_FOR_DAY.search(text) is not None
    found: list[tuple[Greeting, str]] = []
    others: set[str] = set()
    while words:
        length = next((n for n in range(_LONGEST, 0, -1) if words[:n] in _KNOWN), 0)
        if length and not (has_day and words[:length] == _DAY):
            found.append(_KNOWN[words[:length]])
        else:
            others.add(words[0])
        words = words[length or 1 :]
    accompanying = _ACCOMPANYING_ANY.union(*(_ACCOMPANYING[kind] for kind, _ in found))
    return found if others <= accompanying else []


def _words(text: str) -> tuple[str, ...]:
    """Return the words, folded so that ``Tschüß``, ``tschuess`` and ``Tschüüüss`` are equal."""
    folded = unicodedata.normalize("NFD", text.replace("’", "'").casefold())
    folded = _SPELT_OUT.sub("", _REPEATED.sub(r"\1", _MARKS.sub("", folded)))
    return tuple(analysis.words(folded))


def _read() -> Mapping[str, Phrases]:
    """Return the phrases by language (ISO 639-1)."""
    read = read_by_language("app.chat.text", "greeting_phrases")
    return {language: Phrases.model_validate(phrases) for language, phrases in read.items()}


def _known(phrases: Mapping[str, Phrases]) -> Iterable[tuple[tuple[str, ...], tuple[Greeting, str]]]:
    for kind in get_args(Greeting):
        for language, found in phrases.items():
            for phrase in getattr(found, kind):
                yield _words(phrase), (kind, language)
        for phrase in _ANYWHERE[kind]:
            yield _words(phrase), (kind, "")


def _beside(phrases: Iterable[Phrases], kind: Greeting | Literal["any"]) -> frozenset[str]:
    return frozenset(word for each in phrases for text in each.beside.get(kind, ()) for word in _words(text))


def _is_function_word(word: str) -> bool:
    return any(word in analysis.stop_words(language) for language in _FILLERS_IN)


def _is_mashed(word: str) -> bool:
    return any(pattern.search(word) for pattern in (_MASHED, _STUTTERED, _CONSONANTS, _MIXED))


_PHRASES: Final = _read()
_KNOWN: Final = dict(_known(_PHRASES))
_LONGEST: Final = max(map(len, _KNOWN))
_ACCOMPANYING_ANY: Final = _beside(_PHRASES.values(), "any")
_ACCOMPANYING: Final = {kind: _beside(_PHRASES.values(), kind) for kind in get_args(Greeting)}
