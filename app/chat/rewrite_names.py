"""Compares the names of a rewritten question with those of the visitor's.

In German every noun has a capital and may be put into other words ("Kita", "Kindertagesstätte"). There only
words written like abbreviations, places after "in" and persons after their title count as names.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

from app.search import analysis

TYPO_SIMILARITY: Final = 0.88
"""From this similarity on (difflib's ratio) two words are the same one with a typo; Austria and Australia are
not."""

_DATES: Final = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember"}
)
"""Not treated as names: of a date only the figures must be kept."""

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
"""What stands after "in" without an article and is no place of its own."""

_PLACES_LIKE_PLURALS: Final = frozenset({
    "aachen", "baden", "bayern", "berlin", "bern", "bremen", "dresden", "erlangen", "essen", "göttingen",
    "hagen", "hessen", "italien", "köln", "london", "münchen", "niedersachsen", "nordrhein-westfalen",
    "polen", "sachsen", "siegen", "solingen", "spanien", "st.gallen", "thüringen", "tübingen", "wien",
})  # fmt: skip
"""Places that end as the dative plural does ("in Wohngebieten"), which others are taken for."""


def keeps_names(rewrite: str, question: str, language: str | None) -> bool:
    """True if the rewrite has every name of the question."""
    words = [_folded(word) for word in analysis.words(rewrite)]
    return all(_contains_name(name, words) for name in _names(question, language))


def invents_names(rewrite: str, known: Iterable[str]) -> bool:
    """True if the rewrite names a place or a person that none of the ``known`` texts has."""
    words = [_folded(word) for text in known for word in analysis.words(text)]
    return any(not _contains_name(name, words) for name in _places_and_persons(rewrite))


def _names(question: str, language: str | None) -> set[str]:
    """The question's names; none for a question in capitals."""
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
    """True if one of the words is the name (inflected, compounded or with a typo), or if the words' initials
    spell it."""
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
