"""The languages that a question may be in by its script. Pure functions."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

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
