"""Synonyms for words that no page has, from a thesaurus for German and English.

Visitors write "Perso" where pages have *Personalausweis*. A word that is spoken but hardly ever written is
replaced in the question by the word that pages have, like a misspelt one, because small models know that word
better. If the word has several meanings ("Lappen": cloth, driving licence), or is also written, only the
words searched for change: a page with one of its synonyms counts like a page with the word, however many
synonyms there are. Words that are only spoken are looked up, but never used as synonyms. ``thesauri/``
contains the data with its sources and licences; :mod:`app.search.thesaurus_source` describes the format.
"""

import lzma
import re
from array import array
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Final

from app.search import analysis
from app.search.spelling import Words
from app.search.thesaurus_source import SPOKEN, WIDER

LEAST_LETTERS: Final = 3
"""Shorter words are abbreviations of too many things."""

_ENDING_LETTERS: Final = 3
_WEAK_FORM: Final = re.compile(
    "(?P<prefix>(?:ab|an|auf|aus|bei|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zurück|zusammen)?)"
    "(?P<ge>ge)?(?P<stem>.{3,}?)(?:e?te?[nr]?|e?test)"
)
_INDEXED_LETTERS: Final = 3
_BEGINNING: Final = re.compile(rf"\|{SPOKEN}?([^|\n{SPOKEN}{WIDER}]{{{_INDEXED_LETTERS}}})")
_ENTRY: Final = re.compile(r"[^\W_][\w'’. -]*")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def in_written_words(question: str, language: str | None, pages: Words) -> str:
    """Replace each word that no page has and that has a single, only spoken meaning, by the synonym that most
    pages have. Raises ``IndexUnavailableError``."""
    spoken = {
        word: others
        for word in _WORD.findall(question)
        if is_only_spoken(word, language or "") and (others := _single_words(word, language or ""))
    }
    if not spoken:
        return question
    having = _having([*spoken, *(other for others in spoken.values() for other in others)], pages)
    for word, others in spoken.items():
        best = max(others, key=lambda other: having[other])
        if having[best] and not having[word]:
            question = re.sub(rf"\b{word}\b", others[best], question)
    return question


def with_other_words(
    words: Sequence[str], unknown: Sequence[str], language: str | None, pages: Words
) -> tuple[str, ...]:
    """Return the words, each ``unknown`` one joined with those of its synonyms that pages have, to count as
    one word (:class:`app.search.types.QuerySpec`). Raises ``IndexUnavailableError``."""
    synonyms = {word: _single_words(word, language or "") for word in words if word in unknown}
    having = _having([other for each in synonyms.values() for other in each], pages)
    return tuple(" ".join((word, *filter(having.get, synonyms.get(word, ())))) for word in words)


def _single_words(word: str, language: str) -> dict[str, str]:
    """Return the synonyms of a word that are single words with a subject of their own: the written form by
    the folded form that an index compares."""
    folded = ((analysis.folded(other), other) for other in sure_synonyms(word, language))
    functional = analysis.stop_words(language)
    return {each[0]: other for each, other in folded if len(each) == 1 and each[0] not in functional}


def _having(words: Sequence[str], pages: Words) -> dict[str, int]:
    """Return the number of pages that have each word."""
    return dict(zip(words, pages.frequencies(words), strict=True)) if words else {}


@dataclass(frozen=True, slots=True)
class Sense:
    """A meaning of a word. ``words``: its synonyms as they are written; empty if the thesaurus has only wider
    terms. ``is_spoken``: the word itself is hardly ever written in this meaning ("Lappen" for a driving
    licence)."""

    words: tuple[str, ...]
    is_spoken: bool = False


def sure_synonyms(word: str, language: str) -> tuple[str, ...]:
    """Return the synonyms of a word in the meanings that are only spoken, or in its single meaning, each
    once. Some consist of two words. Hardly any means something else than was asked for."""
    found = senses(word, language)
    meant = [sense for sense in found if sense.is_spoken or len(found) == 1]
    return tuple(dict.fromkeys(other for sense in meant for other in sense.words))


def is_only_spoken(word: str, language: str) -> bool:
    """Return True for a word with a single meaning that is spoken but hardly ever written."""
    return [sense.is_spoken for sense in senses(word, language)] == [True]


@lru_cache(maxsize=4_096)
def senses(word: str, language: str) -> tuple[Sense, ...]:
    """Return the meanings of a word for which the thesaurus has synonyms or wider terms; those of its base
    form if the word as it is written is unknown ("Autos")."""
    folded, thesaurus = word.casefold(), _thesaurus(language)
    if thesaurus is None or len(folded) < LEAST_LETTERS or not _ENTRY.fullmatch(folded):
        return ()
    for bases in ({folded}, thesaurus.same_stem(folded, language), _infinitives(folded, language)):
        if meanings := thesaurus.meanings(bases):
            own = [analysis.tokens(base, language) for base in bases]
            return tuple(sense for each in meanings if (sense := _sense(each, own, language)))
    return ()


def _sense(meaning: str, own: Sequence[list[str]], language: str) -> Sense | None:
    """Parse a meaning without the word itself, whose possible stems are ``own``; ``None`` if nothing is
    left."""
    words, is_known, is_spoken = list[str](), False, False
    for each in meaning.strip("|").split("|"):
        if each[0] == WIDER:
            is_known = True
        elif each[0] == SPOKEN:
            is_spoken = is_spoken or analysis.tokens(each[1:], language) in own
        elif analysis.tokens(each, language) not in own:
            words.append(each)
    return Sense(words=tuple(words), is_spoken=is_spoken) if words or is_known else None


class _Thesaurus:
    """The thesaurus of a language; takes 12 MB of memory. Words are indexed by their first letters."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._folded = text.casefold()
        self._line_ends = array("I", (found.start() for found in re.finditer("\n", self._folded)))
        self._starts: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        for found in _BEGINNING.finditer(self._folded):
            self._starts[found[1]].append(found.start(1))

    def meanings(self, words: set[str]) -> list[str]:
        """Return the lines that have one of the words, but not as a wider term."""
        numbers = {bisect(self._line_ends, start) for word in words for start in self._places(f"{word}|")}
        return [self._lines[number] for number in sorted(numbers)]

    def same_stem(self, word: str, language: str) -> set[str]:
        """Return the words that differ from a word only in the ending."""
        stem = analysis.tokens(word, language)
        if len(stem) != 1 or len(stem[0]) < LEAST_LETTERS:
            return set()
        begins, longest = len(stem[0]) - 1, len(word) + _ENDING_LETTERS
        found = {
            self._folded[start : self._folded.index("|", start)]
            for beginning in {word[:begins], stem[0][:begins]}
            for start in self._places(beginning)
        }
        return {each for each in found if len(each) <= longest and analysis.tokens(each, language) == stem}

    def _places(self, beginning: str) -> Iterator[int]:
        """Yield the positions of words with this beginning, spoken ones included."""
        letters = beginning[:_INDEXED_LETTERS]
        is_indexed = len(letters) == _INDEXED_LETTERS
        keys = [letters] if is_indexed else [key for key in self._starts if key.startswith(letters)]
        for start in chain.from_iterable(self._starts.get(key, ()) for key in keys):
            if self._folded.startswith(beginning, start):
                yield start


def _infinitives(word: str, language: str) -> set[str]:
    """Return the possible infinitives of a German participle or past form: "geblecht", "zugemacht",
    "verschlampte"."""
    found = _WEAK_FORM.fullmatch(word) if language == "de" else None
    if found is None:
        return set()
    stems = {found["prefix"] + found["stem"], found["prefix"] + (found["ge"] or "") + found["stem"]}
    return {stem + ending for stem in stems for ending in ("en", "n")}


@cache
def _thesaurus(language: str) -> _Thesaurus | None:
    path = files("app.search").joinpath("thesauri", f"{language}.txt.xz")
    return _Thesaurus(lzma.decompress(path.read_bytes()).decode()) if path.is_file() else None
