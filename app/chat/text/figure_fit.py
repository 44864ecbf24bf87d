"""Compares how well words fit the places of sources that state figures of one kind.

Words that both places have alike tell nothing; rare ones tell more.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from app.chat.text.figure_places import NEAR, Place
from app.chat.text.figures import Keys
from app.search import analysis

Weights = Mapping[str, float]

LEAST_WEIGHT: Final = 0.2
LEAST_SHARE: Final = 0.3
"""How much better another place must fit: the share of the weight of one rare word, half of that where no
word fits the figure's own; and the share of the weight of the words that tell the two apart."""

STRICT: Final = 2.0
"""How much more clearly a figure must be misplaced beside one that the answer states, too."""

ALIKE: Final = 0.21
SHARED: Final = 0.3
"""The difference of closeness that tells nothing of a word that both places have near; and how much a larger
one counts: the first clause of an enumeration may name what all of it is about."""

PART_WEIGHT: Final = 0.6
PART_LETTERS: Final = 4
"""A word that begins or ends another one: *Ausweis* in *Personalausweis*. Before an end stand as many
letters: *Verlangen* has nothing to do with *lang*."""


class Fit:
    """How well words fit ``places``, which state figures of the same kind."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = places
        self._rarest = math.log1p(len(places) / 1.5)  # the weight of a word that one place has
        self._forms: dict[tuple[str, str], Weights] = {}
        self._weights: dict[str, float] = {}

    def is_better(self, other: Place, own: Place, words: Weights, *, is_said: bool = False) -> bool:
        """True if words fit the ``other`` place clearly better than its ``own``; still more clearly if the
        figure of the other ``is_said`` too."""
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
        # Whoever names both figures says of each what is near it, so that such words then count whole.
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
        """``ln(1 + n / (df + 0.5))`` over the places."""
        if word not in self._weights:
            held = sum(
                any(place.words.get(form, 0.0) >= NEAR for form in self._forms_of(word, place.language))
                for place in self.places
            )
            self._weights[word] = math.log1p(len(self.places) / (held + 0.5))
        return self._weights[word]

    def _forms_of(self, word: str, language: str) -> Weights:
        """The words of the places that mean this one, each with how surely."""
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
    """True for a condition or a figure, which has one form."""
    return " " in word or word.startswith("=")


def _is_part(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= PART_LETTERS and (
        longer.startswith(shorter) or longer.endswith(shorter, PART_LETTERS)
    )
