"""Judgement of a word that no page has: it is absent, or said in other words. Pure functions."""

from typing import Protocol

from app.presets import Thresholds


class WordEvidence(Protocol):
    """How far a word that no page has carries a question, as relevances (:meth:`Thresholds.relevance`).

    ``without``: of what is asked without the word to the whole. ``explained``: how much less relevant the
    best block becomes without the word, as a share of what the question itself loses. ``nearest``: of the
    nearest word of the best blocks. ``is_compound``: it has a part in common with one of them. ``is_part``:
    it begins or ends one.
    """

    @property
    def without(self) -> float: ...
    @property
    def explained(self) -> float: ...
    @property
    def nearest(self) -> float: ...
    @property
    def is_compound(self) -> bool: ...
    @property
    def is_part(self) -> bool: ...


def is_absent(word: WordEvidence, thresholds: Thresholds) -> bool:
    """True if the word carries the question, and the best blocks do not say it in other words."""
    if word.without > thresholds.carrying or word.explained > thresholds.explained or word.is_part:
        return False
    return word.nearest < (thresholds.same_compound if word.is_compound else thresholds.same)
