"""Compares the figures and names of a rewritten question with those of the visitor's.

Figures may be in digits or in words. In German every noun has a capital and may be replaced by another word
("Kita", "Kindertagesstätte"), so only words written like abbreviations, places after "in" and persons after
their title count as names.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date
from difflib import SequenceMatcher
from typing import Final

from app.chat.question_time import names_relative_time
from app.chat.text.numbers import ONE_SCALED, SPELLED, WORDS, implied_values, scale_of, values
from app.search import analysis
from app.search.retrieval import TimeFilter

TYPO_SIMILARITY: Final = 0.88
"""From this similarity up (difflib's ratio) two words count as one with a typo; Austria and Australia do
not."""

_DATES: Final = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember"}
)
"""Months, which are not names: only the figures of a date must be kept."""

_I: Final = re.compile(r"I(?:['’]\w+)?")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_SENTENCE: Final = re.compile(r"[.!?…:]\s+")
_PERSON: Final = re.compile(r"\b(?:Herrn?|Frau|Dr\.|Mr\.?|Mrs\.?|Ms\.?)\s(?:Dr\.\s)?([A-ZÄÖÜ][\w-]+)")
_PLACE: Final = re.compile(r"\b(?:[Ii]n|of|near)\s([A-ZÄÖÜ][\w-]+)")

_NO_PLACES: Final = frozenset({
    "abhängigkeit", "abwesenheit", "anspruch", "arbeit", "ausbildung", "auftrag", "besitz", "betracht",
    "betreuung", "betrieb", "bezug", "deutschland", "elternzeit", "empfang", "eu", "form", "frage",
    "gebrauch", "gefahr", "haft", "höhe", "ihr", "ihre", "ihrem", "ihrer", "kraft", "miete", "not",
    "ordnung", "papierform", "person", "pflege", "raten", "rechnung", "rente", "sachen", "teilzeit",
    "trennung", "verbindung", "verwahrung", "vollzeit", "verzug", "zukunft", "zusammenhang", "english",
    "german", "germany",
})  # fmt: skip
"""Words after "in" without an article that are not names of places."""

_PLACES_LIKE_PLURALS: Final = frozenset({
    "aachen", "baden", "bayern", "berlin", "bern", "bremen", "dresden", "erlangen", "essen", "göttingen",
    "hagen", "hessen", "italien", "köln", "london", "münchen", "niedersachsen", "nordrhein-westfalen",
    "polen", "sachsen", "siegen", "solingen", "spanien", "st.gallen", "thüringen", "tübingen", "wien",
})  # fmt: skip
"""Places that end like a dative plural. Other words that do ("in Wohngebieten") are taken for plurals."""

_FIGURE: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_SEPARATOR: Final = re.compile(r"[.,'’\u00a0\u202f]")
_ONE: Final = re.compile(r"\b(?:ein(?:e[mnrs]?)?|one|an?)\b", re.IGNORECASE)
_BOTH: Final = re.compile(r"\b(?:beide[mnrs]?|both|couple|pair|paar)\b", re.IGNORECASE)


def keeps_figures(rewrite: str, question: str, time: TimeFilter) -> bool:
    """Return True if the rewrite has all figures of the question except those of ``time``: in digits, in
    words (``zwei``, ``two``), or implied by a word (``dreijährig``, ``twice``)."""
    asked = digits(question)
    for day in (time.at, time.published_from, time.published_before):
        asked -= {str(day.day), str(day.month), *_years(day)} if day else set()
    return asked <= (digits(rewrite) | spelled(rewrite) | _implied(rewrite))


def invents_figures(written: Iterable[str], question: str, earlier: Iterable[str], today: date) -> bool:
    """Return True if one of the figures ``written`` is neither in the question nor in an ``earlier`` turn,
    nor a year that a phrase such as "last year" means."""
    known: set[str] = _years(today) if names_relative_time(question) else set()
    for text in (question, *earlier):
        known |= digits(text) | spelled(text) | _implied(text)
    return not known.issuperset(written)


def digits(text: str) -> set[str]:
    """Return the text's numbers in ASCII digits, without leading zeros and thousands separators. A date gives
    the numbers of its parts."""
    found: set[str] = set()
    for figure in _FIGURE.findall(text):
        parts = _SEPARATOR.split("".join(map(_ascii, figure)))
        if _GROUPED.fullmatch(figure):
            parts = ["".join(parts)]
        elif len(parts) == 2:
            parts = [".".join(parts)]
        found |= {part.lstrip("0") or "0" for part in parts}
    return found


def spelled(text: str) -> set[str]:
    """Return the numbers written in words, in ASCII digits: ``zwei``, ``five thousand``, ``eine Million``."""
    found = {
        value
        for match in SPELLED.finditer(text)
        for value in values(str(WORDS[match["word"].casefold()]), scale_of(match))
    }
    return found | {value for match in ONE_SCALED.finditer(text) for value in values("1", scale_of(match))}


def _implied(text: str) -> set[str]:
    """Return the numbers that other words imply: ``dreijährig``, ``both``, an article."""
    found = set(implied_values(text))
    found |= {"1"} if _ONE.search(text) else set()
    return found | ({"2"} if _BOTH.search(text) else set())


def _years(day: date) -> set[str]:
    return {str(day.year + years) for years in (-1, 0, 1)}


def _ascii(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def keeps_names(rewrite: str, question: str, language: str | None) -> bool:
    """Return True if the rewrite has every name of the question."""
    words = [_folded(word) for word in analysis.words(rewrite)]
    return all(_contains_name(name, words) for name in _names(question, language))


def invents_names(rewrite: str, known: Iterable[str]) -> bool:
    """Return True if the rewrite names a place or a person that none of the ``known`` texts has."""
    words = [_folded(word) for text in known for word in analysis.words(text)]
    return any(not _contains_name(name, words) for name in _places_and_persons(rewrite))


def _names(question: str, language: str | None) -> set[str]:
    """Return the question's names; empty for a question in capitals."""
    words = [
        word for word in analysis.words(question) if not _I.fullmatch(word) and word.casefold() not in _DATES
    ]
    capital = {word for word in words if word[0].isupper()}
    if question.isupper() or len(capital) == len(set(words)):
        return set()
    sure = {_folded(word) for word in words if len(word) > 1 and word[1:] != word[1:].lower()}
    if language == "de":
        return sure | _places_and_persons(question)
    first = {found[0] for part in _SENTENCE.split(question) if (found := analysis.words(part))}
    return sure | {_folded(word) for word in capital - first}


def _places_and_persons(text: str) -> set[str]:
    places = {_folded(word) for word in _PLACE.findall(text)} - _NO_PLACES - _DATES
    places = {word for word in places if not word.endswith("n") or word in _PLACES_LIKE_PLURALS}
    return places | {_folded(word) for word in _PERSON.findall(text)}


def _contains_name(name: str, words: Sequence[str]) -> bool:
    """Return True if one of the words is the name (inflected, in a compound or with a typo), or if the words'
    initials spell it."""
    if name in words or name in "".join(word[0] for word in words):
        return True
    if len(name) < 4:
        return False
    return any(word.startswith(name) or word.endswith(name) or _is_typo(name, word) for word in set(words))


def _is_typo(name: str, word: str) -> bool:
    is_near = abs(len(name) - len(word)) <= 2
    return is_near and SequenceMatcher(None, name, word).ratio() >= TYPO_SIMILARITY


def _folded(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())
