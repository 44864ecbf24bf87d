"""Tells if a figure of an answer belongs to what the answer says it of.

The words of the figure's clause, and less those farther away and those of the question, are compared with the
words that stand with the figure in the sources, and with those that stand with other figures of its kind. It
is misplaced where another one's words fit clearly better. Words that no source has, and words that stand with
both, tell nothing: what is said in quite other words, or in another language, passes.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from app.chat.text.conditions import GENERIC_STEMS
from app.chat.text.figure_names import names_in
from app.chat.text.figure_places import NEAR, Place, SourceText, places_of
from app.chat.text.figure_words import (
    NUMBERED,
    ORDINAL,
    bound,
    clauses,
    conditions_in,
    is_condition,
    kind_of,
    labels,
    masked,
    named_words,
)
from app.chat.text.figures import Figure, Keys, figures_of
from app.search import analysis
from app.search.answer_kinds import asked_kinds

Weights = Mapping[str, float]

EARLIER: Final = 0.6
BEFORE: Final = 0.4
ASKED: Final = 0.3
LATER: Final = 0.2
"""How much a word counts beside those of the figure's clause: of an earlier clause; of what leads to the
sentence; of the question; of a later clause."""

LEAST_SHARE: Final = 0.12
LEAST_WEIGHT: Final = 0.25
"""How much better another figure's words must fit: the share of their weight, and the share of the weight of
one rare word; half of that where no word fits the figure itself. Of a sentence with more figures of one kind
the share is larger, as fewer of its words belong to each."""

PART_WEIGHT: Final = 0.6
PART_LETTERS: Final = 4
"""A word that begins or ends another one: *Ausweis* in *Personalausweis*."""


class FigureSubjects:
    """What the figures of some sources belong to, for answers to a ``question`` in ``language``. The sources
    are read when the first sentence is compared."""

    def __init__(self, sources: Sequence[SourceText], question: str, language: str) -> None:
        self._sources = sources
        self._question = question
        self._language = language
        self._forms: dict[tuple[str, str], Weights] = {}
        self._weights: dict[str, float] = {}

    def misplaced(self, sentence: str, before: str = "") -> list[Figure]:
        """Return the figures and names of a sentence that stand with something else in the sources. Those of
        the question are the visitor's. ``before``: what leads to the sentence."""
        asked = {key for figure in self._stated(self._question) for key in figure.states}
        found: list[Figure] = []
        for clause in clauses(sentence):
            groups: dict[tuple[str, int], list[Figure]] = {}
            for figure in self._stated(clause):
                if not figure.states or not figure.states <= asked:
                    groups.setdefault((figure.kind, figure.span[0]), []).append(figure)
            for group in groups.values():
                if self._is_misplaced(group, clause, sentence, before):
                    found += group
        return found

    def _is_misplaced(self, group: Sequence[Figure], clause: str, sentence: str, before: str) -> bool:
        """True for figures of one span, such as both ends of some hours, that fit less than others."""
        own = [place for place in self._places if all(map(place.states, group))]
        own = own or [place for place in self._places if any(map(place.states, group))]
        kind = kind_of(group[0], clause)
        if not own or _is_condition(group[0], sentence):
            return False
        if kind == ORDINAL and not any(kind in place.kinds for place in own):
            return False
        kinds = {kind} | {"number" for place in own if "number" in place.kinds}
        beside, said = (_states(self._stated(text)) for text in (clause, f"{before}\n{sentence}"))
        words = self._words(group, kind, clause, sentence, before)
        near = {word: weight for word, weight in words.items() if word in self._named(clause, kind)}
        others = sum(
            not each.states <= _states(group) and kind_of(each, sentence) == kind
            for each in figures_of(sentence)
        )
        mine, sections = set(map(id, own)), {heading for place in own for heading in place.headings}
        for place in self._places:
            if id(place) in mine or (place.named and place.named in sections):
                continue
            found = [keys for other, keys in place.figures if other in kinds]
            if not found or all(keys & beside for keys in found):
                continue
            some = (
                near if all(keys & said for keys in found) else words
            )  # what is said of that one must not count
            if all(self._is_better(place, each, some, others) for each in own):
                return True
        return False

    def _is_better(self, other: Place, own: Place, words: Weights, others: int) -> bool:
        """True if words fit the figures of another place clearly better than those of ``own``."""
        fit, base = (
            math.fsum(
                counts * self._weight(word) * _closeness(place, self._forms_of(word, place.language))
                for word, counts in words.items()
            )
            for place in (other, own)
        )
        least = LEAST_WEIGHT * self._rarest * (1 if base else 0.5)
        return fit - base > max(least, LEAST_SHARE * (1 + others / 2) * fit)

    def _stated(self, text: str) -> list[Figure]:
        """The figures of a text, and the names that sources have."""
        return [*figures_of(text), *(name for name in names_in(text) if name.states <= self._names)]

    def _words(self, group: Sequence[Figure], kind: str, clause: str, sentence: str, before: str) -> Weights:
        """What the figures are said of, each word with how much it counts."""
        start = sentence.find(clause)
        found: dict[str, float] = dict.fromkeys(self._named(sentence[start + len(clause) :], kind), LATER)
        found |= dict.fromkeys(self._named(self._question, kind), ASKED)
        found |= dict.fromkeys(self._named(before, kind), BEFORE)
        for earlier in clauses(sentence[:start]):
            is_of_another = any(kind_of(each, earlier) == kind for each in figures_of(earlier))
            found |= dict.fromkeys(self._named(earlier, kind), LATER if is_of_another else EARLIER)
        found |= dict.fromkeys(self._named(clause, kind), 1.0)
        for key in (key for figure in group for key in figure.states):
            for below in (True, False):
                found.pop(bound(key, below=below), None)
        return {word: weight * (0.5 if is_condition(word) else 1.0) for word, weight in found.items()}

    def _named(self, text: str, kind: str) -> list[str]:
        """The words that name a subject: neither figures of this kind nor what says which kind they are."""
        if kind == "name":
            text = masked(text, (each.span for each in self._stated(text) if each.kind == "name"))
        words = (
            word
            for word in named_words(text, self._language)
            if not asked_kinds(word) and GENERIC_STEMS.isdisjoint(analysis.forms(word, [self._language]))
        )
        return [*words, *conditions_in(text), *(label for other, label in labels(text) if other != kind)]

    def _weight(self, word: str) -> float:
        """``ln(1 + n / (df + 0.5))`` over the places."""
        if word not in self._weights:
            held = sum(
                any(place.words.get(form, 0.0) >= NEAR for form in self._forms_of(word, place.language))
                for place in self._places
            )
            self._weights[word] = math.log1p(len(self._places) / (held + 0.5))
        return self._weights[word]

    def _forms_of(self, word: str, language: str) -> Weights:
        """The words of the sources that mean this one, each with how surely."""
        key = word, language
        if key not in self._forms:
            exact = frozenset({word}) if _is_mark(word) else analysis.forms(word, [language])
            parts = set() if _is_mark(word) else {each for each in self._vocabulary if _is_part(word, each)}
            self._forms[key] = dict.fromkeys(parts, PART_WEIGHT) | dict.fromkeys(exact, 1.0)
        return self._forms[key]

    @cached_property
    def _places(self) -> list[Place]:
        return places_of(self._sources)

    @cached_property
    def _rarest(self) -> float:
        """The weight of a word that one place has."""
        return math.log1p(len(self._places) / 1.5)

    @cached_property
    def _names(self) -> Keys:
        return frozenset(key for place in self._places for key in place.keys if key.startswith("name "))

    @cached_property
    def _vocabulary(self) -> Keys:
        return frozenset(word for place in self._places for word in place.words if not _is_mark(word))


def _closeness(place: Place, forms: Weights) -> float:
    words = place.words
    return max((words[form] * surely for form, surely in forms.items() if form in words), default=0.0)


def _states(figures: Iterable[Figure]) -> Keys:
    """The keys of all figures."""
    return frozenset().union(*(figure.states for figure in figures))


def _is_mark(word: str) -> bool:
    """True for a condition or a figure, which has one form."""
    return " " in word or word.startswith("=")


def _is_part(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= PART_LETTERS and (longer.startswith(shorter) or longer.endswith(shorter))


def _is_condition(figure: Figure, sentence: str) -> bool:
    """True if the figure says when something holds ("under 24 years") and the sentence has another one."""
    bounds = conditions_in(sentence)

    def is_bound(some: Figure) -> bool:
        return any(bound(key, below=below) in bounds for key in some.states for below in (True, False))

    others = (each for each in figures_of(sentence) if each.kind not in NUMBERED)
    return is_bound(figure) and not all(map(is_bound, others))
