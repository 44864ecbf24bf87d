"""Corrects words that no page has, by those that pages have, and takes German compounds apart; words of short
questions are searched for in the compounds of titles, too ("Müll" in *Sperrmüll*)."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from app.search import analysis
from app.search.recorder import Correction, record

LEAST_LETTERS: Final = 4
MOST_LETTERS: Final = 40
"""How long a word may be that is corrected, and the one that it is corrected to."""

PREFIX_LETTERS: Final = 3
"""The fewest letters that words are completed from: fewer are the beginning of too many."""

LONG: Final = 8
"""Letters from which on a word of a short question may have two mistakes."""

SLIP: Final = 6
"""Letters from which on a slip of the finger is hardly another word."""

SURE_PAGES: Final = 2
"""Pages with a word that a letter of a longer question is corrected to, at least: mistakes are on one."""

_CHUNK: Final = re.compile(r"\S+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ADDRESS: Final = re.compile(r"[\d@/_]|\w\.\w")
"""No chunk of text like this is corrected: a number, an article, an e-mail address, a page's address."""

Distances = npt.NDArray[np.int8]


PART: Final = 4
"""The fewest letters of a part of a compound."""

SPLITS_TRIED: Final = 3
"""In how many ways a compound is split in three, the longest last parts first."""

LINKS: Final = ("", "s", "n", "e", "es", "en", "er")
"""What German puts between the parts of a compound."""

_COMPOUNDING: Final = ("de", None)
"""Languages of questions whose words are taken apart; ``None``: not known."""

_UMLAUTS: Final = str.maketrans("äöü", "aou")

BESIDE: Final = 3
"""The fewest letters before a word in a compound: with fewer it is part of a word ("Ente" of *Rente*)."""

SHORT: Final = 3
"""Letters of a word that is only looked for at the ends of compounds ("Bad" of *Hallenbad*)."""

MOST_COMPOUNDS: Final = 16
"""Of a word."""

_VOWEL: Final = re.compile("[aouäöü]")
_NOUN: Final = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+")


class Words(Protocol):
    """What an index says of words (:class:`app.search.index.SearchIndex`)."""

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """In how many pages each word is."""
        ...

    def similar_words(self, word: str, edits: int) -> set[str]:
        """The words of pages near ``word``."""
        ...


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of the question that pages may spell otherwise: its offsets, and how it is compared."""

    start: int
    end: int
    word: str


def corrected(question: str, language: str | None, pages: Words) -> str:
    """The question with its misspelt words as pages spell them.

    A word that no page has becomes the most frequent of the words that the fewest edits make of it, in a
    question of one or two words; in a longer one, which is found without it too, of those that it is hardly
    anything but a misspelling of (:func:`_is_misspelt`). Abbreviations, numbers and addresses stay. So does a
    longer question most of whose words pages neither have nor have the like of: it is in another language, or
    about something else. Raises ``IndexUnavailableError``.
    """
    text = unicodedata.normalize("NFC", question)
    tokens = _tokens(text, language)
    if not tokens:
        return question
    known = pages.frequencies([token.word for token in tokens])
    unknown = [token for token, pages_having in zip(tokens, known, strict=True) if not pages_having]
    is_short = analysis.is_short(text)
    nearest = {token: _nearest(token.word, pages, is_short=is_short) for token in unknown}
    strange = sum(word is None for word in nearest.values())
    if not unknown or (2 * strange > len(tokens) and not is_short):
        return question
    for token in reversed(unknown):
        if found := nearest[token]:
            record(Correction, word=text[token.start : token.end], spelt=found, is_compound=False)
            text = text[: token.start] + found + text[token.end :]
    return text


def suggestion(question: str, language: str | None, pages: Words) -> str | None:
    """The question with every word that no page has as the nearest one that pages have; ``None`` if that
    changes nothing. For people to choose: it may well not be meant. Raises ``IndexUnavailableError``."""
    text = unicodedata.normalize("NFC", question)
    tokens = _tokens(text, language)
    known = pages.frequencies([token.word for token in tokens])
    for token, having in reversed(list(zip(tokens, known, strict=True))):
        if not having and (found := _nearest(token.word, pages, is_short=True)):
            text = text[: token.start] + found + text[token.end :]
    return None if text == question else text


def is_spelt(word: str) -> bool:
    """True if a question may have this word of a page in another spelling."""
    return LEAST_LETTERS <= len(word) <= MOST_LETTERS and word.isalpha()


def is_completed(prefix: str) -> bool:
    """True if words of pages that begin like this are looked for."""
    return PREFIX_LETTERS <= len(prefix) <= MOST_LETTERS and prefix.isalpha()


def within(word: str, others: Sequence[str], edits: int) -> set[str]:
    """Those of ``others`` that at most ``edits`` edits make of ``word`` and that have its first letter."""
    near = [other for other in others if is_spelt(other) and other[0] == word[0]]
    found = distances(word, near)
    return {near[row] for row in np.flatnonzero(found <= edits)}


def distances(word: str, others: Sequence[str]) -> Distances:
    """How many edits make each of ``others`` of ``word``, shape ``(n,)``: letters added, left out, replaced
    or swapped with the next one, no part of the word edited twice."""
    if not others:
        return np.zeros(0, np.int8)
    lengths = np.array([len(other) for other in others])
    letters = np.array(others).view(np.uint32).reshape(len(others), -1).T
    before = last = np.repeat(np.arange(len(letters) + 1, dtype=np.int8)[:, None], len(others), axis=1)
    for number, letter in enumerate(word, start=1):
        row = np.full_like(last, number)
        differs = letters != ord(letter)
        for at in range(1, len(last)):
            row[at] = np.minimum(np.minimum(last[at], row[at - 1]) + 1, last[at - 1] + differs[at - 1])
            if number > 1 and at > 1:
                swapped = ~differs[at - 2] & (letters[at - 1] == ord(word[number - 2]))
                row[at] = np.where(swapped, np.minimum(row[at], before[at - 2] + 1), row[at])
        before, last = last, row
    found: Distances = last[lengths, np.arange(len(others))]
    return found


def _tokens(text: str, language: str | None) -> list[_Token]:
    """The content words of the question that may be misspelt."""
    functional = frozenset[str]().union(
        *(analysis.stop_words(each) for each in (*analysis.LISTED_LANGUAGES, language or ""))
    )
    all_capitals = text.isupper()
    return [
        _Token(found.start(), found.end(), word)
        for chunk in _CHUNK.finditer(text)
        if not _ADDRESS.search(chunk[0])
        for found in _WORD.finditer(text, *chunk.span())
        if all_capitals or not found[0].isupper()
        for word in analysis.folded(found[0])
        if is_spelt(word) and word not in functional
    ]


def _nearest(word: str, pages: Words, *, is_short: bool) -> str | None:
    """The word that is meant, as far as pages tell."""
    if not is_short and len(word) < SLIP:
        return None
    similar = sorted(pages.similar_words(word, 2 if is_short and len(word) >= LONG else 1))
    if not similar:
        return None
    having = dict(zip(similar, pages.frequencies(similar), strict=True))
    served = [
        other for other in similar if having[other] and (is_short or _is_misspelt(word, other, having[other]))
    ]
    apart = dict(zip(served, distances(word, served).tolist(), strict=True))
    return min(served, key=lambda other: (apart[other], -having[other], other), default=None)


def _is_misspelt(word: str, other: str, having: int) -> bool:
    """True if ``word``, an edit apart, is hardly anything but a misspelling of the ``other`` one, which
    ``having`` pages have: letters are doubled or swapped, an "e" that is hardly heard is left out, or it is
    long. Words of their own are mostly shorter, and forms of a word differ in the last letter."""
    if sorted(word) == sorted(other) or _undoubled(word) == _undoubled(other):
        return True
    if word[-1] != other[-1]:
        return False
    return (len(word) >= LONG and having >= SURE_PAGES) or any(
        letter == "e" and word == other[:at] + other[at + 1 :] for at, letter in enumerate(other)
    )


def _undoubled(word: str) -> str:
    return "".join(letter for letter, _ in groupby(word))


def in_parts(words: Sequence[str], unknown: Sequence[str], language: str | None, pages: Words) -> list[str]:
    """Return the words, the German compounds among the ``unknown`` as their parts, if pages have these. Only
    words are searched for in parts: the meaning is that of the question as it was written.
    Raises ``IndexUnavailableError``."""
    if language not in _COMPOUNDING:
        return list(words)
    parts = {word: compound_parts(word, pages) for word in unknown if is_spelt(word)}
    for word in filter(parts.get, parts):
        record(Correction, word=word, spelt=" ".join(parts[word]), is_compound=True)
    return list(dict.fromkeys(part for word in words for part in parts.get(word) or (word,)))


def with_compounds(
    words: Sequence[str],
    language: str | None,
    titles_like: Callable[[str], Sequence[str]],
    pages: Words,
) -> tuple[str, ...]:
    """Return the words, each that no title has together with the compounds in titles that it is a part of,
    as one (:class:`app.search.types.QuerySpec`). ``titles_like``: returns the titles that have a pattern, in
    which "_" is any letter. Raises ``IndexUnavailableError``, and what ``titles_like`` raises."""
    if language not in _COMPOUNDING:
        return tuple(words)
    return tuple(" ".join((word, *_compounds(word, titles_like, pages))) for word in words)


def _compounds(word: str, titles_like: Callable[[str], Sequence[str]], pages: Words) -> list[str]:
    stem = _stem(word)
    if not word.isalpha() or len(stem) < SHORT:
        return []
    titles = titles_like(_VOWEL.sub("_", word[: len(stem)]))
    if any(stem in analysis.tokens(title, "de") for title in titles):
        return []
    nouns = [each for title in titles for noun in _NOUN.findall(title) for each in analysis.folded(noun)]
    ends = {noun: _behind(word, noun) for noun in dict.fromkeys(nouns)}
    known = [end for some in ends.values() for end in some if end]
    having = dict(zip(known, pages.frequencies(known), strict=True)) | {"": 1}
    return [noun for noun, some in ends.items() if any(having[end] for end in some)][:MOST_COMPOUNDS]


def _behind(word: str, noun: str) -> list[str]:
    """What may stand behind a word in a compound, without what links them; "" where it is the compound's end,
    nothing where it is no part of it. A plural is no part of a singular."""
    stem = _stem(word)
    part, whole = (stem, _stem(noun)) if word.translate(_UMLAUTS) == stem else (word, noun)
    if whole.endswith(part):
        return [""] if len(whole) - len(part) >= BESIDE + (len(part) <= SHORT) else []
    before, found, end = noun.translate(_UMLAUTS).partition(word.translate(_UMLAUTS))
    if not found or len(part) <= SHORT or 0 < len(before) < BESIDE:
        return []
    rest = noun[len(noun) - len(end) :]
    return [rest[len(link) :] for link in LINKS if rest.startswith(link) and len(rest) >= len(link) + PART]


def compound_parts(word: str, pages: Words, *, inner: bool = False) -> list[str]:
    """The parts of a compound that pages have, without what links them; none if they do not have all.

    Of several ways to split it in two, that with the most frequent parts by geometric mean (Koehn and Knight,
    Empirical Methods for Compound Splitting, EACL 2003). What cannot be split in two may be in three:
    ``inner`` says that this is being tried.
    """
    splits = [
        (word[: at - len(link)], word[at:])
        for at in range(PART, len(word) - PART + 1)
        for link in LINKS
        if word[:at].endswith(link) and at - len(link) >= PART
        if not _has_link(word[: at - len(link)]) and len(_stem(word[at:])) >= PART
    ]
    parts = list(dict.fromkeys(part for split in splits for part in split))
    having = dict(zip(parts, pages.frequencies(parts), strict=True))
    best = max(splits, key=lambda split: (having[split[0]] * having[split[1]], split), default=None)
    if best and having[best[0]] * having[best[1]]:
        return list(best)
    heads = (
        []
        if inner
        else sorted((split for split in splits if having[split[1]]), key=lambda split: len(split[0]))
    )
    for before, head in heads[:SPLITS_TRIED]:
        if first := compound_parts(before, pages, inner=True):
            return [*first, head]
    return []


def _has_link(part: str) -> bool:
    """True if the part has the link of a compound at its end: "grunds" is no word, though pages have its
    stem."""
    return part.endswith("s") and _stem(part) == part[:-1].translate(_UMLAUTS)


def _stem(word: str) -> str:
    return analysis.tokens(word, "de")[0]
