"""Corrects words that no page has to words that pages have, and splits German compounds; finds words of short
questions inside the compounds of titles ("Müll" in *Sperrmüll*)."""

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
"""The least and the most letters of a word that is corrected, and of its correction."""

PREFIX_LETTERS: Final = 3
"""The fewest letters that words are completed from; with fewer, too many words begin."""

LONG: Final = 8
"""From this number of letters, a word of a short question may have two mistakes."""

SLIP: Final = 6
"""From this number of letters, a typing mistake hardly ever results in another word."""

SURE_PAGES: Final = 2
"""The least number of pages with a correction that changes an arbitrary letter in a longer question, because
misspelt words mostly occur on one page."""

_CHUNK: Final = re.compile(r"\S+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ADDRESS: Final = re.compile(r"[\d@/_]|\w\.\w")
"""Matches chunks of text that are not corrected: numbers, articles, e-mail addresses, URLs."""

Distances = npt.NDArray[np.int8]


PART: Final = 4
"""The fewest letters of a part of a compound."""

SPLITS_TRIED: Final = 3
"""The number of ways tried to split a compound in three, the longest last parts first."""

LINKS: Final = ("", "s", "n", "e", "es", "en", "er")
"""Linking elements between the parts of a German compound."""

_COMPOUNDING: Final = ("de", None)
"""Languages of questions whose compounds are split; ``None``: unknown."""

_UMLAUTS: Final = str.maketrans("äöü", "aou")

BESIDE: Final = 3
"""The fewest letters before a word in a compound; with fewer it is only a string of letters ("Ente" in
*Rente*)."""

SHORT: Final = 3
"""A word with at most this many letters is only looked for at the ends of compounds ("Bad" in
*Hallenbad*)."""

MOST_COMPOUNDS: Final = 16
"""The most compounds used for a word."""

_VOWEL: Final = re.compile("[aouäöü]")
_NOUN: Final = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+")


class Words(Protocol):
    """Statistics on the words of pages (:class:`app.search.visibility.ShownWords`)."""

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """Return the number of pages that have each word."""

    def similar_words(self, word: str, edits: int) -> set[str]:
        """Return words of pages at most ``edits`` edits away from ``word``."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of the question that may be misspelt: its offsets, and its folded form for comparisons."""

    start: int
    end: int
    word: str


def corrected(question: str, language: str | None, pages: Words) -> str:
    """Return the question with its misspelt words as pages spell them. Raises ``IndexUnavailableError``.

    * A word that no page has becomes the most frequent of the words with the fewest edits. A longer question
      is found without the word too, so there only words are considered that it is most probably a
      misspelling of (:func:`_is_misspelt`).
    * Abbreviations, numbers and addresses stay as they are.
    * So does a longer question if pages have neither most of its words nor similar ones: it is in another
      language, or about something else.
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
    """Return the question with every word that no page has replaced by the nearest one that pages have;
    ``None`` if that changes nothing. It may be wrong, so people should choose. Raises
    ``IndexUnavailableError``."""
    text = unicodedata.normalize("NFC", question)
    tokens = _tokens(text, language)
    known = pages.frequencies([token.word for token in tokens])
    for token, having in reversed(list(zip(tokens, known, strict=True))):
        if not having and (found := _nearest(token.word, pages, is_short=True)):
            text = text[: token.start] + found + text[token.end :]
    return None if text == question else text


def is_spelt(word: str) -> bool:
    """Return True if a question may have a misspelling of this word of a page."""
    return LEAST_LETTERS <= len(word) <= MOST_LETTERS and word.isalpha()


def is_completed(prefix: str) -> bool:
    """Return True if words of pages that begin with ``prefix`` are looked for."""
    return PREFIX_LETTERS <= len(prefix) <= MOST_LETTERS and prefix.isalpha()


def within(word: str, others: Sequence[str], edits: int) -> set[str]:
    """Return the ``others`` that are at most ``edits`` edits away from ``word`` and have its first letter."""
    near = [other for other in others if is_spelt(other) and other[0] == word[0]]
    found = distances(word, near)
    return {near[row] for row in np.flatnonzero(found <= edits)}


def distances(word: str, others: Sequence[str]) -> Distances:
    """Return the number of edits from ``word`` to each of ``others``, shape ``(n,)``. An edit adds, removes
    or replaces a letter, or swaps two neighbours; no part of the word is edited twice (optimal string
    alignment)."""
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
    """Return the content words of the question that may be misspelt."""
    functional = analysis.function_words(language)
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
    """Return the word of pages that is probably meant; ``None`` if there is none."""
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
    """Return True if ``word``, one edit apart from ``other``, is most probably a misspelling of it: letters
    are doubled or swapped, an "e" that is hardly heard is left out, or the word is long and enough pages
    (``having``) have the other. Distinct words are mostly shorter, and forms of a word differ in the last
    letter."""
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
    """Return the words, with German compounds among the ``unknown`` split if pages have the parts. Only the
    search by words uses the parts; the question is embedded as it was written. Raises
    ``IndexUnavailableError``."""
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
    """Return the words. Each that no title has is joined with the compounds in titles that it is a part of,
    to count as one word (:class:`app.search.types.QuerySpec`). ``titles_like``: returns titles that contain a
    pattern, in which "_" is any letter. Raises ``IndexUnavailableError``, and what ``titles_like`` raises."""
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
    """Return the possible rests of a compound after ``word``, without linking elements: "" if the compound
    ends with it, nothing if it is no part of the compound. A plural is not a part of a singular."""
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
    """Return the parts of a compound, without linking elements; empty if pages do not have all parts.

    Of several ways to split it in two, choose the one whose parts have the highest geometric mean frequency
    (Koehn and Knight, Empirical Methods for Compound Splitting, EACL 2003). If there is none, try three
    parts; ``inner`` is True within that attempt.
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
    """Return True if the part ends with a linking element: "grunds" is not a word, though pages have its
    stem."""
    return part.endswith("s") and _stem(part) == part[:-1].translate(_UMLAUTS)


def _stem(word: str) -> str:
    return analysis.tokens(word, "de")[0]
