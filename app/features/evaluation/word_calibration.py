"""Proposes thresholds from which a word that no page has counts as absent (:mod:`app.search.absent_words`).

Thresholds may hedge at most ``HEDGED`` of the answerable questions. Among those, the ones win that flag most
of the unanswerable questions, less the answerable ones they hedge; in a tie, the ones nearest to the
defaults. Pure functions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from app.presets import Thresholds
from app.search.recorder import WordEvidence

HEDGED: Final = 0.08
"""The share of answerable questions that may be hedged for their words."""

LEAST_QUESTIONS: Final = 10
"""A proposal needs so many answerable and so many unanswerable questions with a word that no page has."""

CARRYING: Final = np.array([0.0, *np.arange(0.78, 0.98, 0.01).round(2)])
EXPLAINED: Final = np.arange(0.1, 0.51, 0.05).round(2)
SAME: Final = np.arange(0.5, 0.93, 0.02).round(2)
"""Values to try; ``SAME`` for compounds too. If ``carrying`` is 0, no word is absent."""

WORD_THRESHOLDS: Final = ("carrying", "explained", "same", "same_compound")

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredWord:
    """The evidence for a word (:class:`WordEvidence`), with ``without`` and ``nearest`` as cosines."""

    without: float
    explained: float
    nearest: float
    is_compound: bool
    is_part: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCalibration:
    """Proposed thresholds by name. ``flagged_answerable``: the share of answerable questions that have an
    absent word by these. ``flagged_unanswerable``: the same share of unanswerable questions."""

    thresholds: Mapping[str, float]
    flagged_answerable: float
    flagged_unanswerable: float


def measured_word(word: WordEvidence, thresholds: Thresholds) -> MeasuredWord:
    """Measure a word. ``thresholds``: turn relevances into cosines. Raises ``EmbedderUnavailableError``."""
    return MeasuredWord(
        without=thresholds.cosine(word.without),
        explained=word.explained,
        nearest=thresholds.cosine(word.nearest),
        is_compound=word.is_compound,
        is_part=word.is_part,
    )


def propose_word_thresholds(
    answerable: Sequence[Sequence[MeasuredWord]],
    others: Sequence[Sequence[MeasuredWord]],
    thresholds: Thresholds,
) -> WordCalibration | None:
    """Propose thresholds from the words of each question, or return ``None`` if too few have any.

    ``thresholds``: supply the ``base`` of the cosines and the defaults."""
    if min(sum(map(bool, answerable)), sum(map(bool, others))) < LEAST_QUESTIONS:
        return None
    words = _Words([*answerable, *others], thresholds)
    defaults = np.array([getattr(thresholds, name) for name in WORD_THRESHOLDS])
    found: list[tuple[float, float, tuple[float, ...], float, float]] = []
    for tried in product(CARRYING, EXPLAINED, SAME, SAME):
        if tried[3] < tried[2]:
            continue
        flags = words.flagged(*tried)
        hedged, right = flags[: len(answerable)].mean(), flags[len(answerable) :].mean()
        if hedged <= HEDGED:
            away = float(np.abs(np.array(tried) - defaults).sum())
            found.append(
                (float(right - hedged), -away, tuple(map(float, tried)), float(hedged), float(right))
            )
    _, _, values, hedged, right = max(found)
    return WordCalibration(
        thresholds=dict(zip(WORD_THRESHOLDS, values, strict=True)),
        flagged_answerable=hedged,
        flagged_unanswerable=right,
    )


class _Words:
    """Words of questions, except parts of words in blocks, as arrays of shape ``(words,)``."""

    def __init__(self, questions: Sequence[Sequence[MeasuredWord]], thresholds: Thresholds) -> None:
        numbered = [(at, word) for at, words in enumerate(questions) for word in words if not word.is_part]
        self._questions = len(questions)
        self._question = np.array([at for at, _ in numbered], np.int64)
        self._without = np.array([thresholds.relevance(word.without) for _, word in numbered])
        self._explained = np.array([word.explained for _, word in numbered])
        self._nearest = np.array([thresholds.relevance(word.nearest) for _, word in numbered])
        self._is_compound = np.array([word.is_compound for _, word in numbered], np.bool_)

    def flagged(self, carrying: float, explained: float, same: float, same_compound: float) -> Flags:
        """True for each question that has an absent word (:func:`app.search.absent_words.is_absent`)."""
        most = np.where(self._is_compound, same_compound, same)
        absent = (self._without <= carrying) & (self._explained <= explained) & (self._nearest < most)
        return np.bincount(self._question[absent], minlength=self._questions) > 0
