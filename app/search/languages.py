"""Tells the language of a question by its script, its function words and its letters; reads folders that have
a JSON file for each language."""

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
    "also art as bin come care die do en eu fast gift hat hut mai man need no none on per size son used war"
    " will"
)
EVERYDAY_WORDS: Final = frozenset(_EVERYDAY.split(" "))
"""Function words of one language that are ordinary words or abbreviations of others: alone they show none."""

PLAIN: Final = 0.75
"""The function words that show a language, each counted by its share: one of two languages shows none."""

LETTER_WEIGHT: Final = 0.5
"""What a word shows by its letters, against a function word: it may be a name."""

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
"""The languages that are told apart in each script, by the first word of its letters' names in Unicode."""

_LETTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "іїєґ": ("uk",),
    "ыэё": ("ru",),
    "پچژگ": ("fa",),
    "ٹڈڑںے": ("ur",),
    "ўјљњђћџѓќѕәғқңұү": (),
}
"""Letters that show one language of a script, or one that is not told. The last that occur count."""

_LATIN_LETTERS: Final = {
    "ß": "de",
    **dict.fromkeys("ığ", "tr"),
    **dict.fromkeys("ąęłśźżćń", "pl"),
    **dict.fromkeys("ățș", "ro"),
    "ñ": "es",
}
"""Latin letters that one of the languages has alone."""

_KANA: Final = {"HIRAGANA", "KATAKANA"}

LEAST_LEAD: Final = 8.0
"""How much likelier than the next language the likeliest one must be, as a natural logarithm."""

LEAST_KNOWN: Final = 0.5
"""The share of the groups that the language must have shown: another language than these shows fewer."""

UNSEEN: Final = 0.1
"""As often a group that a language has not shown counts as seen."""


def question_language(question: str) -> str | None:
    """The language that the question's script shows, else the one whose function words it uses most, else the
    one that its groups of letters show unless it is short; ``None`` where none is plain.

    Abbreviations in capitals are no function words: "AI" and "EU" are none of French.
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


@cache
def _letter_groups() -> LetterGroups:
    """The letters of the chat's languages, by their function words and the examples of wishes."""
    return LetterGroups(
        {
            language: [
                *sorted(stop_words(language)),
                *(token for text in chain(*own.values()) for token in folded(text)),
            ]
            for language, own in wish_examples().items()
        }
    )


def _scores(tokens_found: Iterable[str], languages: Iterable[str]) -> dict[str, float]:
    """How much the tokens show each of the languages. A function word of several is shared among them."""
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
    """Return the languages (ISO 639-1) that the script of most ``words`` leaves; none for a script that is
    not known."""
    scripts = Counter(script for word in words if (script := _script(word[0])))
    if not scripts:
        return ()
    if "CJK" in scripts and any(_script(letter) in _KANA for word in words for letter in word):
        return _LANGUAGES["HIRAGANA"]
    # Names of authorities stay Latin in any language: in doubt the other script is the question's.
    most = max(scripts, key=lambda script: (scripts[script], script != "LATIN"))
    letters = set("".join(words).casefold())
    shown = [languages for own, languages in _LETTERS.items() if not letters.isdisjoint(own)]
    return shown[-1] if shown and most in {"CYRILLIC", "ARABIC"} else _LANGUAGES.get(most, ())


def language_of_letters(word: str) -> str | None:
    """Return the language that a letter of the case-folded Latin word shows. Names have such letters, too."""
    return next((_LATIN_LETTERS[letter] for letter in word if letter in _LATIN_LETTERS), None)


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    """Return the script of a letter; empty for digits."""
    return unicodedata.name(letter, "").split(" ")[0] if letter.isalpha() else ""


class LetterGroups:
    """The groups of letters of some languages. Keeps no other state."""

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        """``words``: how each language (ISO 639-1) is written, case-folded."""
        seen = {language: Counter(_groups(own)) for language, own in words.items()}
        kinds = len(set().union(*seen.values()))
        self._costs = {
            language: {group: -log((n + UNSEEN) / _total(own, kinds)) for group, n in own.items()}
            for language, own in seen.items()
        }
        self._unseen = {language: -log(UNSEEN / _total(own, kinds)) for language, own in seen.items()}

    def language(self, words: Sequence[str], among: Iterable[str]) -> str | None:
        """Return the language of the case-folded ``words``, one of those ``among`` which it may be; ``None``
        where it is not plain."""
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
    """Return what the files say, by language (ISO 639-1), in the order of their names."""
    found = files(package).joinpath(folder).iterdir()
    return {
        each.name.removesuffix(".json"): json.loads(each.read_text("utf-8"))
        for each in sorted(found, key=lambda each: each.name)
    }


@cache
def wish_examples() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the examples that wishes are told by (:mod:`app.search.intents`), by language (ISO 639-1), then
    by intent, ``other`` or ``follow_up``. As ordinary sentences they show how a language is written, too."""
    return read_by_language("app.search", "intent_examples")
