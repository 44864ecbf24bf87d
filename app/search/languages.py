"""Detects the language of a question by its script, its function words and its letters; loads folders with a
JSON file for each language."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from math import log
from typing import Any, Final

from app.search.analysis import folded, is_short, stop_words, words

_EVERYDAY: Final = (
    "also alt alte art as bin come care die do en eu fast gift hat hut kind los mai man need nie no none on"
    " per sei size son ton used war will"
)
EVERYDAY_WORDS: Final = frozenset(_EVERYDAY.split(" "))
"""Function words of one language that are ordinary words or abbreviations in others. One of them alone does
not show a language."""

PLAIN: Final = 0.75
"""The least score by function words that shows a language. A word that two languages share counts half, so it
shows none."""

LETTER_WEIGHT: Final = 0.5
"""The weight of a word with letters of one language, compared with a function word: it may be a name."""

_LANGUAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "LATIN": ("de", "en", "es", "fr", "it", "pl", "ro", "tr"),
    "CYRILLIC": ("ru", "uk"),
    "ARABIC": ("ar",),
    "GREEK": ("el",),
    "HEBREW": ("he",),
    "ARMENIAN": ("hy",),
    "GEORGIAN": ("ka",),
    "THAI": ("th",),
    "HANGUL": ("ko",),
    "HIRAGANA": ("ja",),
    "KATAKANA": ("ja",),
    "CJK": ("zh",),
}
"""The languages that are distinguished in each script, by the first word of its letters' names in Unicode."""

_LETTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "іїєґ": ("uk",),
    "ыэё": ("ru",),
    "پچژگ": ("fa",),
    "ٹڈڑںے": ("ur",),
    "ўјљњђћџѓќѕәғқңұү": (),
}
"""Letters that show one language of a script, or (``()``) one that is not supported. If several entries
match, the last one counts."""

_LATIN_LETTERS: Final = {
    "ß": "de",
    **dict.fromkeys("ığ", "tr"),
    **dict.fromkeys("ąęłśźżćń", "pl"),
    **dict.fromkeys("ățș", "ro"),
    "ñ": "es",
}
"""Latin letters that only one of the languages has."""

_KANA: Final = {"HIRAGANA", "KATAKANA"}

LEAST_LEAD: Final = 8.0
"""The natural logarithm of how much likelier the likeliest language must be than the next."""

LEAST_KNOWN: Final = 0.5
"""The share of the letter groups that the language must know; text in an unsupported language has fewer known
groups."""

UNSEEN: Final = 0.1
"""The count assumed for a letter group that a language does not know."""


def question_language(question: str) -> str | None:
    """Detect the language of a question: by its script, otherwise by the function words that it uses most,
    otherwise, unless it is short, by its letter groups; ``None`` if it is unclear.

    Abbreviations in capitals are no function words: "AI" and "EU" are not French.
    """
    all_capitals = question.isupper()
    found = [word for word in words(question) if all_capitals or not _is_abbreviation(word)]
    languages = possible_languages(found)
    if len(languages) < 2:
        return next(iter(languages), None)
    asked = [token for word in found for token in folded(word)]
    scores = _scores(set(asked), languages)
    first, second = sorted(languages, key=lambda language: -scores[language])[:2]
    if scores[first] >= PLAIN and scores[first] > scores[second]:
        return first
    return None if is_short(question) else _letter_groups().language(asked, languages)


def language_by_words(question: str, guesses: Sequence[str]) -> str:
    """Return the language whose function words and examples of wishes have most words of a question: of
    several, the first of the ``guesses``. If none has any, every language of its script may be the one."""
    asked = set(folded(question))
    shares = {language: len(asked.intersection(own)) for language, own in _samples().items()}
    most = max(shares.values())
    best = [language for language, share in shares.items() if share == most]
    possible = best if most else possible_languages(words(question))
    return next((guess for guess in guesses if guess in possible), next(iter(possible), guesses[0]))


@cache
def _letter_groups() -> LetterGroups:
    """Return the letter groups of the chat's languages."""
    return LetterGroups(_samples())


@cache
def _samples() -> Mapping[str, Sequence[str]]:
    """Return words of each of the chat's languages: its function words and those of its examples of
    wishes."""
    return {
        language: [
            *sorted(stop_words(language)),
            *(token for text in chain(*own.values()) for token in folded(text)),
        ]
        for language, own in wish_examples().items()
    }


def _scores(tokens_found: Iterable[str], languages: Iterable[str]) -> dict[str, float]:
    """Score the languages by the tokens. A function word of several languages is shared among them."""
    scores = dict.fromkeys(languages, 0.0)
    for token in tokens_found:
        using = [language for language in scores if token in stop_words(language)]
        for language in using:
            scores[language] += 1 / (len(using) + (token in EVERYDAY_WORDS))
        shown = None if using else language_of_letters(token)
        if shown in scores:
            scores[shown] += LETTER_WEIGHT
    return scores


def _is_abbreviation(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def possible_languages(words: Sequence[str]) -> tuple[str, ...]:
    """Return the languages (ISO 639-1) that are possible in the script of most ``words``; empty for an
    unknown script."""
    scripts = Counter(script for word in words if (script := _script(word[0])))
    if not scripts:
        return ()
    if "CJK" in scripts and any(_script(letter) in _KANA for word in words for letter in word):
        return _LANGUAGES["HIRAGANA"]
    # Names of authorities stay Latin in any language, so in doubt the question is in the other script.
    most = max(scripts, key=lambda script: (scripts[script], script != "LATIN"))
    letters = set("".join(words).casefold())
    shown = [languages for own, languages in _LETTERS.items() if not letters.isdisjoint(own)]
    return shown[-1] if shown and most in {"CYRILLIC", "ARABIC"} else _LANGUAGES.get(most, ())


def language_of_letters(word: str) -> str | None:
    """Return the language that a letter of the case-folded Latin word shows, or ``None``. Names have such
    letters too."""
    return next((_LATIN_LETTERS[letter] for letter in word if letter in _LATIN_LETTERS), None)


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    """Return the script of a letter; empty for digits."""
    return unicodedata.name(letter, "").split(" ")[0] if letter.isalpha() else ""


class LetterGroups:
    """Statistics of the letter groups (trigrams) of some languages. Immutable."""

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        """``words``: case-folded sample words of each language (ISO 639-1)."""
        seen = {language: Counter(_groups(own)) for language, own in words.items()}
        kinds = len(set().union(*seen.values()))
        self._costs = {
            language: {group: -log((n + UNSEEN) / _total(own, kinds)) for group, n in own.items()}
            for language, own in seen.items()
        }
        self._unseen = {language: -log(UNSEEN / _total(own, kinds)) for language, own in seen.items()}

    def language(self, words: Sequence[str], among: Iterable[str]) -> str | None:
        """Return the language of the case-folded ``words``, one of ``among``; ``None`` if it is unclear."""
        groups = list(_groups(words))
        known = [language for language in among if language in self._costs]
        costs = sorted((self._cost(groups, language), language) for language in known)
        if len(costs) < 2 or costs[1][0] - costs[0][0] < LEAST_LEAD:
            return None
        first = costs[0][1]
        known_groups = sum(group in self._costs[first] for group in groups)
        return first if known_groups >= LEAST_KNOWN * len(groups) else None

    def _cost(self, groups: Iterable[str], language: str) -> float:
        costs, unseen = self._costs[language], self._unseen[language]
        return sum(costs.get(group, unseen) for group in groups)


def _groups(words: Iterable[str]) -> Iterable[str]:
    text = f" {' '.join(words)} "
    return (text[start : start + 3] for start in range(len(text) - 2))


def _total(seen: Counter[str], kinds: int) -> float:
    return seen.total() + UNSEEN * kinds


def read_by_language(package: str, folder: str) -> Mapping[str, Any]:
    """Load the JSON files of a folder, by language (ISO 639-1), in the order of their names."""
    found = files(package).joinpath(folder).iterdir()
    return {
        each.name.removesuffix(".json"): json.loads(each.read_text("utf-8"))
        for each in sorted(found, key=lambda each: each.name)
    }


@cache
def wish_examples() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the examples by which wishes are recognised (:mod:`app.search.intents`), by language (ISO
    639-1), then by intent, ``other`` or ``follow_up``. They also serve as samples of written language."""
    return read_by_language("app.search", "intent_examples")
