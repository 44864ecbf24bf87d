"""Other words that mean the same, or something wider, as a thesaurus knows them: German and English.

Visitors write "Perso" where pages have *Personalausweis*. A word of several meanings has words of each of
them ("Lappen": cloth, driving licence), so that whoever uses these must ask which of them the pages have, or
which of them is near the question. Words that are only spoken are looked up and never given. The data, its
sources and its licences are in ``thesauri/``, its form is told in :mod:`app.search.thesaurus_source`.
"""

import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from app.search import analysis
from app.search.thesaurus_source import SPOKEN, WIDER

LEAST_LETTERS: Final = 3
"""Shorter words are abbreviations of too much."""

_ENDING_LETTERS: Final = 3
_WEAK_FORM: Final = re.compile(
    "(?P<prefix>(?:ab|an|auf|aus|bei|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zurück|zusammen)?)"
    "(?P<ge>ge)?(?P<stem>.{3,}?)(?:e?te?[nr]?|e?test)"
)
_WORD: Final = re.compile(r"[^\W_][\w'’. -]*")


@dataclass(frozen=True, slots=True)
class Sense:
    """A meaning of a word: the other ``words`` for it and those of ``wider`` meaning, as they are written.
    ``is_spoken``: the word itself is hardly ever written in this meaning ("Lappen" for a driving licence)."""

    words: tuple[str, ...]
    wider: tuple[str, ...]
    is_spoken: bool = False


def synonyms(word: str, language: str) -> tuple[str, ...]:
    """Return the other words for a word in any of its meanings, each once; some are two words. None for a
    word or a ``language`` that is not known."""
    return tuple(dict.fromkeys(other for sense in senses(word, language) for other in sense.words))


def sure_synonyms(word: str, language: str) -> tuple[str, ...]:
    """Return the other words for what people say and hardly write, or for a word of a single meaning, as
    :func:`synonyms`: hardly one of them means something else than was asked for."""
    found = senses(word, language)
    meant = [sense for sense in found if sense.is_spoken or len(found) == 1]
    return tuple(dict.fromkeys(other for sense in meant for other in sense.words))


def is_only_spoken(word: str, language: str) -> bool:
    """True for a word of a single meaning that people say and hardly write."""
    return [sense.is_spoken for sense in senses(word, language)] == [True]


@lru_cache(maxsize=4_096)
def senses(word: str, language: str) -> tuple[Sense, ...]:
    """Return the meanings of a word that other words have too, or wider ones; of its base form if it is not
    known as it is written ("Autos")."""
    folded, thesaurus = word.casefold(), _thesaurus(language)
    if thesaurus is None or len(folded) < LEAST_LETTERS or not _WORD.fullmatch(folded):
        return ()
    for bases in ({folded}, thesaurus.same_stem(folded, language), _infinitives(folded, language)):
        if meanings := thesaurus.meanings(bases):
            own = [analysis.tokens(base, language) for base in bases]
            return tuple(sense for each in meanings if (sense := _sense(each, own, language)))
    return ()


def _sense(meaning: str, own: Sequence[list[str]], language: str) -> Sense | None:
    """Return a meaning without the word itself, whose stems are its ``own``; ``None`` if nothing is left."""
    words, wider, is_spoken = list[str](), list[str](), False
    for each in meaning.strip("|").split("|"):
        if each[0] == WIDER:
            wider.append(each[1:])
        elif each[0] == SPOKEN:
            is_spoken = is_spoken or analysis.tokens(each[1:], language) in own
        elif analysis.tokens(each, language) not in own:
            words.append(each)
    return Sense(words=tuple(words), wider=tuple(wider), is_spoken=is_spoken) if words or wider else None


class _Thesaurus:
    """The text of a language: 10 MB of memory, a word is found in 2 ms."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._folded = text.casefold()

    def meanings(self, words: set[str]) -> list[str]:
        """Return the lines that have one of the words, none of wider meaning."""
        numbers = {
            self._folded.count("\n", 0, place)
            for word in words
            for mark in ("|", f"|{SPOKEN}")
            for place in self._places(f"{mark}{word}|")
        }
        return [self._lines[number] for number in sorted(numbers)]

    def same_stem(self, word: str, language: str) -> set[str]:
        """Return the words that differ from a word by an ending only."""
        stem = analysis.tokens(word, language)
        if len(stem) != 1 or len(stem[0]) < LEAST_LETTERS:
            return set()
        begins, longest = len(stem[0]) - 1, len(word) + _ENDING_LETTERS
        found = {
            self._folded[place + len(mark) : self._folded.index("|", place + 1)]
            for mark in ("|", f"|{SPOKEN}")
            for beginning in {word[:begins], stem[0][:begins]}
            for place in self._places(mark + beginning)
        }
        return {each for each in found if len(each) <= longest and analysis.tokens(each, language) == stem}

    def _places(self, part: str) -> Iterator[int]:
        place = self._folded.find(part)
        while place >= 0:
            yield place
            place = self._folded.find(part, place + 1)


def _infinitives(word: str, language: str) -> set[str]:
    """Return what a German participle or past form may come from: "geblecht", "zugemacht", "verschlampte"."""
    found = _WEAK_FORM.fullmatch(word) if language == "de" else None
    if found is None:
        return set()
    stems = {found["prefix"] + found["stem"], found["prefix"] + (found["ge"] or "") + found["stem"]}
    return {stem + ending for stem in stems for ending in ("en", "n")}


@cache
def _thesaurus(language: str) -> _Thesaurus | None:
    path = files("app.search").joinpath("thesauri", f"{language}.txt.xz")
    return _Thesaurus(lzma.decompress(path.read_bytes()).decode()) if path.is_file() else None
