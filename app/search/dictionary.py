"""Translations of words between German and English, from a dictionary that comes with the package.

A town's website has many pages in only one of its languages, and visitors ask in the other. Meaning finds
these pages, but ranks them below pages with the very words of the question. ``dictionaries/`` contains the
data with its source and licence; :mod:`app.search.dictionary_source` describes the format.
"""

import lzma
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from app.search import analysis

LANGUAGES: Final[Mapping[str, str]] = {"de": "en", "en": "de"}
"""The target language of each source language."""

CACHED_WORDS: Final = 4_096


@lru_cache(maxsize=CACHED_WORDS)
def forms(word: str, language: str, other: str) -> frozenset[str]:
    """Return every stemmed form of a word, and of its translations, in a text of the ``other`` language."""
    own = analysis.forms(word, (language, other))
    if LANGUAGES.get(language) != other:
        return own
    words = (each for stem in analysis.tokens(word, language) for each in translations(stem, language))
    return own.union(*(analysis.forms(each, (other,)) for each in words))


@lru_cache(maxsize=CACHED_WORDS)
def translations(stem: str, language: str) -> tuple[str, ...]:
    """Return the folded translations of the words with this stem, the usual ones of each word first; empty
    for a language that the dictionary lacks."""
    if not (dictionary := _dictionary(language)):
        return ()
    functional = analysis.stop_words(LANGUAGES[language])
    folded = (tuple(analysis.folded(word)) for word in dictionary.translations(stem))
    return tuple(dict.fromkeys(each[0] for each in folded if len(each) == 1 and each[0] not in functional))


class _Dictionary:
    """The dictionary of a language; takes 30 MB of memory."""

    def __init__(self, text: str, language: str) -> None:
        lines = text.split("\n")
        heads = [line.partition("|")[0].casefold() for line in lines]
        pairs = sorted(zip(analysis.stems(heads, language), lines, strict=True))
        self._stems = [stem for stem, _ in pairs]
        self._lines = [line for _, line in pairs]

    def translations(self, stem: str) -> Iterator[str]:
        """Yield the translations of each word with this stem."""
        for number in range(bisect_left(self._stems, stem), bisect_right(self._stems, stem)):
            yield from self._lines[number].split("|")[1:]


@cache
def _dictionary(language: str) -> _Dictionary | None:
    """Load the dictionary of a language (.2 s); ``None`` if none comes with the package."""
    if (other := LANGUAGES.get(language)) is None:
        return None
    path = files("app.search").joinpath("dictionaries", f"{language}-{other}.txt.xz")
    return _Dictionary(lzma.decompress(path.read_bytes()).decode(), language) if path.is_file() else None
