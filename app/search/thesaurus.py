"""Words that no page has, with other words for them, as a thesaurus knows these: German and English.

Visitors write "Perso" where pages have *Personalausweis*. A word that people say and hardly write is read as
the one that pages have, as a misspelt one is: small models know that better. Where it may mean several things
("Lappen": cloth, driving licence), or is written elsewhere, only the words searched for change: a page with
one of its synonyms counts as one with the word, however many synonyms there are. Words that are only spoken
are looked up and never given. The data, its sources and its licences are in ``thesauri/``, its form is told
in :mod:`app.search.thesaurus_source`.
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
"""Shorter words are abbreviations of too much."""

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
    """Return the question with each word that no page has and that is only spoken, in its single meaning, as
    the synonym that most pages have. Raises ``IndexUnavailableError``."""
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
    """Return the words, each of the ``unknown`` together with those of its synonyms that pages have, as one
    (:class:`app.search.types.QuerySpec`). Raises ``IndexUnavailableError``."""
    synonyms = {word: _single_words(word, language or "") for word in words if word in unknown}
    having = _having([other for each in synonyms.values() for other in each], pages)
    return tuple(" ".join((word, *filter(having.get, synonyms.get(word, ())))) for word in words)


def _single_words(word: str, language: str) -> dict[str, str]:
    """Return the synonyms of a word that are one word each and carry a subject: as they are written, by how
    an index compares them."""
    folded = ((analysis.folded(other), other) for other in sure_synonyms(word, language))
    functional = analysis.stop_words(language)
    return {each[0]: other for each, other in folded if len(each) == 1 and each[0] not in functional}


def _having(words: Sequence[str], pages: Words) -> dict[str, int]:
    """In how many pages each word is."""
    return dict(zip(words, pages.frequencies(words), strict=True)) if words else {}


@dataclass(frozen=True, slots=True)
class Sense:
    """A meaning of a word: the other ``words`` for it, as they are written; none where the thesaurus has only
    wider ones. ``is_spoken``: the word itself is hardly ever written in this meaning ("Lappen" for a driving
    licence)."""

    words: tuple[str, ...]
    is_spoken: bool = False


def sure_synonyms(word: str, language: str) -> tuple[str, ...]:
    """Return the other words for what people say and hardly write, or for a word of a single meaning, each
    once; some are two words. Hardly one of them means something else than was asked for."""
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
    if thesaurus is None or len(folded) < LEAST_LETTERS or not _ENTRY.fullmatch(folded):
        return ()
    for bases in ({folded}, thesaurus.same_stem(folded, language), _infinitives(folded, language)):
        if meanings := thesaurus.meanings(bases):
            own = [analysis.tokens(base, language) for base in bases]
            return tuple(sense for each in meanings if (sense := _sense(each, own, language)))
    return ()


def _sense(meaning: str, own: Sequence[list[str]], language: str) -> Sense | None:
    """Return a meaning without the word itself, whose stems are its ``own``; ``None`` if nothing is left."""
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
    """The text of a language: 12 MB of memory. Words are found by their first letters."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._folded = text.casefold()
        self._line_ends = array("I", (found.start() for found in re.finditer("\n", self._folded)))
        self._starts: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        for found in _BEGINNING.finditer(self._folded):
            self._starts[found[1]].append(found.start(1))

    def meanings(self, words: set[str]) -> list[str]:
        """Return the lines that have one of the words, none of wider meaning."""
        numbers = {bisect(self._line_ends, start) for word in words for start in self._places(f"{word}|")}
        return [self._lines[number] for number in sorted(numbers)]

    def same_stem(self, word: str, language: str) -> set[str]:
        """Return the words that differ from a word by an ending only."""
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
        """Where words begin so, spoken ones too."""
        letters = beginning[:_INDEXED_LETTERS]
        is_indexed = len(letters) == _INDEXED_LETTERS
        keys = [letters] if is_indexed else [key for key in self._starts if key.startswith(letters)]
        for start in chain.from_iterable(self._starts.get(key, ()) for key in keys):
            if self._folded.startswith(beginning, start):
                yield start


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
