"""Learns which words of two languages mean the same, from texts in both. Pure functions.

Words that occur again and again in the translations of a word's texts are its translations: IBM's first model
(Brown et al., "The Mathematics of Statistical Machine Translation", 1993), by expectation maximisation. It is
learned in both directions, and pairs that either direction finds unlikely are dropped (Liang, Taskar and
Klein, "Alignment by Agreement", 2006).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.features.translations.store import Terms
from app.search import analysis

ROUNDS: Final = 5
"""Rounds of expectation maximisation; further ones change little."""

LEAST_SHARE: Final = 0.1
"""Needed by a word and its translation: the product of the share that each has among the other's
translations."""

MOST_TRANSLATIONS: Final = 3
"""Per word, the most likely ones."""

MOST_LETTERS: Final = 100
"""Per word: longer ones are not words, and too long for a database index."""

MOST_WORDS: Final = 100
"""Per text: in longer ones, too many words co-occur."""

MOST_PAIRS: Final = 4_000_000
"""Pairs of words compared, which take 300 MB; later texts are left out."""

NO_WORD: Final = 0
"""The source of words that translate nothing."""

Texts = tuple[str, str]
"""The same text in two languages: a heading or a paragraph."""

Numbers = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedTerms:
    """The translations of the first language's words, and of the second's."""

    first: Terms
    second: Terms


def learned_terms(texts: Iterable[Texts], languages: tuple[str, str]) -> LearnedTerms:
    """Return the translations learned from these texts in the two ``languages``."""
    first, second = Vocabulary(languages[0]), Vocabulary(languages[1])
    pairs: list[tuple[Numbers, Numbers]] = []
    room = MOST_PAIRS
    for one, other in texts:
        stems = first.stems(one), second.stems(other)
        if not all(0 < len(each) <= MOST_WORDS for each in stems):
            continue
        room -= len(stems[0]) * len(stems[1])
        if room < 0:
            break
        pairs.append(stems)
    there = _shares(pairs, len(second.words))
    back = _shares([(other, one) for one, other in pairs], len(first.words))
    agreed = {(one, other): share * back.get((other, one), 0.0) for (one, other), share in there.items()}
    likely = {pair: share for pair, share in agreed.items() if share >= LEAST_SHARE}
    return LearnedTerms(
        first=_terms(likely, first, second),
        second=_terms({(other, one): share for (one, other), share in likely.items()}, second, first),
    )


class Vocabulary:
    """The words of a language by stem, numbered from 1. ``words``: for each number, how often each form
    occurs; the first entry is for ``NO_WORD``."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._numbers: dict[str, int] = {}
        self.words: list[Counter[str]] = [Counter()]
        self.names: list[str] = [""]

    def stems(self, text: str) -> Numbers:
        """Return the numbers of the stems of a text's content words, in order."""
        without = analysis.stop_words(self._language)
        words = [word for word in analysis.folded(text) if _is_term(word) and word not in without]
        return np.array([self._number(word) for word in words], np.int64)

    def commonest(self, number: int) -> str:
        """Return a stem's most common form, which is readable."""
        return self.words[number].most_common(1)[0][0]

    def _number(self, word: str) -> int:
        (stem,) = analysis.tokens(word, self._language)
        if stem not in self._numbers:
            self._numbers[stem] = len(self.names)
            self.names.append(stem)
            self.words.append(Counter())
        self.words[self._numbers[stem]][word] += 1
        return self._numbers[stem]


def _is_term(word: str) -> bool:
    return 1 < len(word) <= MOST_LETTERS and word.isalpha()


def _shares(pairs: Sequence[tuple[Numbers, Numbers]], words: int) -> dict[tuple[int, int], float]:
    """Return the share of each translation among all of a word, if at least ``LEAST_SHARE``.

    ``words``: the size of the translations' vocabulary.
    """
    if not pairs:
        return {}
    keys, places = _cells(pairs, words)
    cells, cell_of = np.unique(keys, return_inverse=True)
    word_of: Numbers = cells // words
    shares: Shares = np.ones(len(cells))
    for _ in range(ROUNDS):
        weights = shares[cell_of]
        weights /= np.bincount(places, weights)[places]
        expected = np.bincount(cell_of, weights, minlength=len(cells))
        shares = expected / np.bincount(word_of, expected)[word_of]
    kept = (shares >= LEAST_SHARE) & (word_of != NO_WORD)
    return {
        (int(cell // words), int(cell % words)): float(share)
        for cell, share in zip(cells[kept], shares[kept], strict=True)
    }


def _cells(pairs: Sequence[tuple[Numbers, Numbers]], words: int) -> tuple[Numbers, Numbers]:
    """Return each pair of a word and a translation in the same text as one number, and for each the position
    of the translation in all texts."""
    keys: list[Numbers] = []
    sizes: list[Numbers] = []
    for one, other in pairs:
        candidates = np.concatenate(([NO_WORD], one))
        keys.append((candidates[None, :] * words + other[:, None]).ravel())
        sizes.append(np.full(len(other), len(candidates)))
    lengths = np.concatenate(sizes)
    return np.concatenate(keys), np.repeat(np.arange(len(lengths)), lengths)


def _terms(likely: Mapping[tuple[int, int], float], own: Vocabulary, other: Vocabulary) -> Terms:
    found: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for (word, translation), share in likely.items():
        found[own.names[word]].append((-share, other.commonest(translation)))
    return {
        word: tuple(text for _, text in sorted(translations)[:MOST_TRANSLATIONS])
        for word, translations in found.items()
    }
