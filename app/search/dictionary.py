"""Translations of words between German and English, from a dictionary that comes with the package.

A town's website has many pages in one of its languages alone, and visitors ask in the other. Meaning finds
these pages, but ranks them below pages with the very words of the question. The data, its source and its
licence are in ``dictionaries/``, its form is told in :mod:`app.search.dictionary_source`.
"""

import lzma
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from app.search import analysis

LANGUAGES: Final[Mapping[str, str]] = {"de": "en", "en": "de"}
"""The language into which words of each language are translated."""

CACHED_WORDS: Final = 4_096


@lru_cache(maxsize=CACHED_WORDS)
def forms(word: str, language: str, other: str) -> frozenset[str]:
    """Return every stemmed form of a word, and of its translations, in a text of the ``other`` language."""
    own = analysis.forms(word, (language, other))
    if LANGUAGES.get(language) != other:
        return own
    words = (each for stem in analysis.tokens(word, language) for each in translations(stem, language))
    return own.union(*(analysis.forms(each, (other,)) for each in words))


def translations(stem: str, language: str) -> Sequence[str]:
    """Return the translations of the words with this stem, folded, those of most meanings first; none for a
    language that the dictionary does not have."""
    return _dictionary(language).get(stem, ()) if language in LANGUAGES else ()


@cache
def _dictionary(language: str) -> Mapping[str, Sequence[str]]:
    """The translations of a language's words by their stems. It takes .3 s to read, and 30 MB."""
    other = LANGUAGES[language]
    path = files("app.search").joinpath("dictionaries", f"{language}-{other}.txt.xz")
    if not path.is_file():
        return {}
    lines = [line.split("|") for line in lzma.decompress(path.read_bytes()).decode().casefold().split("\n")]
    stems, functional = analysis.stems([line[0] for line in lines], language), analysis.stop_words(other)
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for stem, (_, *words) in zip(stems, lines, strict=True):
        folded = (tuple(analysis.folded(word)) for word in words)
        found[stem] |= {each[0]: None for each in folded if len(each) == 1 and each[0] not in functional}
    return {stem: tuple(words) for stem, words in found.items() if words}
