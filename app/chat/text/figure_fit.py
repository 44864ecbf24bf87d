"""Compares how well words fit the places of sources that state figures of one kind.

A word that is equally close in both places does not count; rare words count more.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from app.chat.text.figure_closeness import NEAR
from app.chat.text.figure_keys import Keys
from app.chat.text.figure_places import Place
from app.search import analysis

Weights = Mapping[str, float]

LEAST_WEIGHT: Final = 0.2
LEAST_SHARE: Final = 0.3
"""Another place fits clearly better if its lead exceeds both limits: ``LEAST_WEIGHT`` of the weight of one
rare word (half if no word fits the figure's own place), and ``LEAST_SHARE`` of the weight of the words that
distinguish the two places."""

STRICT: Final = 2.0
"""Factor of ``LEAST_WEIGHT`` if the answer states the other place's figure, too."""

ALIKE: Final = 0.21
SHARED: Final = 0.3
"""A difference of closeness up to ``ALIKE`` does not count for a word near the figures in both places, and a
larger one only by ``SHARED``: the first clause of an enumeration may name the subject of all of it."""

PART_WEIGHT: Final = 0.6
PART_LETTERS: Final = 4
"""The weight of a word that begins or ends another one (*Ausweis* in *Personalausweis*), and the letters that
both the word and the rest before it need at least: *Verlangen* has nothing to do with *lang*."""


class Fit:
    """Compares the fit of words to ``places`` that state figures of the same kind."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = places
        self._rarest = math.log1p(len(places) / 1.5)  # the weight of a word that one place has
        self._forms: dict[tuple[str, str], Weights] = {}
        self._weights: dict[str, float] = {}

    def is_better(self, other: Place, own: Place, words: Weights, *, is_said: bool = False) -> bool:
        """Return True if words fit the ``other`` place clearly better than the figure's ``own``. ``is_said``:
        the answer states the other place's figure, too, so the difference must be clearer."""
        gain = loss = both = near_gain = near_loss = 0.0
        for word, counts in words.items():
            weight = counts * self._weight(word)
            theirs, mine = (self._closeness(word, place) for place in (other, own))
            both += weight * min(theirs, mine)
            if min(theirs, mine) < NEAR:
                gain += weight * max(theirs - mine, 0.0)
                loss += weight * max(mine - theirs, 0.0)
            elif abs(theirs - mine) > ALIKE:
                near_gain += weight * max(theirs - mine, 0.0)
                near_loss += weight * max(mine - theirs, 0.0)
        # An answer with both figures puts to each the words near it, so such words then count in full.
        gain += near_gain * (SHARED if loss > gain else 1.0)
        loss += near_loss * (1.0 if is_said else SHARED)
        least = LEAST_WEIGHT * (STRICT if is_said else 1.0) * self._rarest * (1.0 if loss or both else 0.5)
        return gain - loss > max(least, LEAST_SHARE * (gain + loss))

    @cached_property
    def words(self) -> Keys:
        """The words of all places."""
        return frozenset().union(*(place.words for place in self.places))

    def _closeness(self, word: str, place: Place) -> float:
        words, forms = place.words, self._forms_of(word, place.language)
        return max((words[form] * surely for form, surely in forms.items() if form in words), default=0.0)

    def _weight(self, word: str) -> float:
        """Return ``ln(1 + n / (df + 0.5))`` over the places."""
        if word not in self._weights:
            held = sum(
                any(place.words.get(form, 0.0) >= NEAR for form in self._forms_of(word, place.language))
                for place in self.places
            )
            self._weights[word] = math.log1p(len(self.places) / (held + 0.5))
        return self._weights[word]

    def _forms_of(self, word: str, language: str) -> Weights:
        """Return the words of the places that match this one, each with a degree of certainty."""
        key = word, language
        if key not in self._forms:
            self._forms[key] = {word: 1.0} if is_mark(word) else self._forms_of_word(word, language)
        return self._forms[key]

    def _forms_of_word(self, word: str, language: str) -> Weights:
        own = {word, *analysis.tokens(word, language)}
        parts = {each for each in self._vocabulary if any(_is_part(form, each) for form in own)}
        return dict.fromkeys(parts, PART_WEIGHT) | dict.fromkeys(analysis.forms(word, [language]), 1.0)

    @cached_property
    def _vocabulary(self) -> Keys:
        return frozenset(word for word in self.words if not is_mark(word))


def is_mark(word: str) -> bool:
    """Return True for a condition or a figure, which has only one form."""
    return " " in word or word.startswith("=")


def _is_part(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= PART_LETTERS and (
        longer.startswith(shorter) or longer.endswith(shorter, PART_LETTERS)
    )
