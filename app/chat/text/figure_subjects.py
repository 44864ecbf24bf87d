"""Finds figures that an answer gives for the wrong thing.

The words of the figure's clause, and with less weight those farther away and those of the question, are
compared with the words around the figure in the sources, and with those around other figures of its kind. The
figure is misplaced if the words of another one fit clearly better. Words that no source has, and words around
both figures, say nothing: an answer in quite different words, or in another language, passes.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from app.chat.text.directions import reversed_in
from app.chat.text.figure_fit import Fit, Weights, is_mark
from app.chat.text.figure_keys import Figure, Keys
from app.chat.text.figure_kinds import (
    NUMBERED,
    ONE,
    ORDINAL,
    Stated,
    is_range,
    is_same,
    key_of,
    kind_of,
    kinds_of,
    named,
)
from app.chat.text.figure_names import names_in, names_of
from app.chat.text.figure_places import MOST_FIGURES, Place, SourceText, places_of
from app.chat.text.figure_said import Said
from app.chat.text.figure_words import OTHERS, bound, clauses, conditions_in, negated_in
from app.chat.text.figures import figures_of
from app.search import analysis


class FigureSubjects:
    """The things that the figures of some sources belong to, for answers to a ``question`` in ``language``.
    The sources are analysed when the first figure or name is compared."""

    def __init__(self, sources: Sequence[SourceText], question: str, language: str) -> None:
        self._sources = sources
        self._question = question
        self._language = language
        self._fits: dict[Keys, Fit] = {}

    def misplaced(self, sentence: str, before: str = "") -> list[Figure]:
        """Return the figures and names of a sentence that belong to something else in the sources. Those of
        the question are skipped. ``before``: the text that leads to the sentence."""
        asked = {key for each in self._stated(self._question) for key in each.figure.states}
        stated = [each for each in self._stated(sentence) if not each.figure.states <= asked]
        found: list[Figure] = []
        start = 0
        parts = tuple(clauses(sentence, self._names_in(sentence)) if len(stated) <= MOST_FIGURES else ())
        for number, clause in enumerate(parts):
            end = start + len(clause)
            said = Said(parts, number, before, self._question, self._language)
            groups: dict[tuple[str, int], list[Stated]] = {}
            for each in stated:
                if start <= each.start < end:
                    groups.setdefault((each.figure.kind, each.start), []).append(each)
            for group in groups.values():
                if self._is_misplaced(group, said):
                    found += (each.figure for each in group)
            start = end
        reversed_figures = reversed_in(sentence, (source.text for source in self._sources))
        return [*found, *(each for each in reversed_figures if not each.states <= asked)]

    def _is_misplaced(self, group: Sequence[Stated], said: Said) -> bool:
        """Return True if the words of other figures fit clearly better than those of a group, the figures of
        one span, such as both ends of a range."""
        figures = [each.figure for each in group]
        own = [place for place in self._places if all(map(place.states, figures))]
        own = own or [place for place in self._places if any(map(place.states, figures))]
        own = own or [place for place in self._places if place.names(group)]  # a day without its year
        if not own or _is_condition(figures[0], said.sentence):
            return False
        timed = [place for place in own if place.kinds & {"time", "number"}]
        is_hours = figures[0].kind == "time" and is_range(figures, said.sentence)
        if is_hours and timed and all(place.has_other_hours(figures[0], figures[-1]) for place in timed):
            return True
        kind = _kind(group[0], said.sentence, own)
        of_kind = [place for place in own if kind in place.kinds]
        if kind == ORDINAL and not of_kind:
            return False
        exact = [place for place in of_kind if place.names(group)]  # "3 Tage", not "3 Monate"
        if not exact and figures[0].states == ONE:
            return False
        own = exact or of_kind or own
        kinds = frozenset({kind, *({"number"} if any("number" in place.kinds for place in own) else ())})
        fit = self._fit(kinds)
        if kind == "name":
            said = said.without(figures)
        words = _adapted(said.words(kind, figures), said, fit)
        named_here = set(said.named(said.clause, kind))
        near = {word: counts for word, counts in words.items() if word in named_here}
        for other, is_said in self._others(fit, kinds, own, said):
            some = near if is_said else words
            if all(fit.is_better(other, each, some, is_said=is_said) for each in own):
                return True
        return False

    def _others(
        self, fit: Fit, kinds: Keys, own: Sequence[Place], said: Said
    ) -> Iterator[tuple[Place, bool]]:
        """Yield the places of figures that the clause does not state, and True if the rest of the answer
        states these; words that belong to them must then not count."""
        in_clause, in_all = (
            [each.label for each in self._stated(text)]
            for text in (said.clause, f"{said.before}\n{said.sentence}")
        )
        mine, sections = set(map(id, own)), {heading for place in own for heading in place.headings}
        for place in fit.places:
            if id(place) in mine or (place.named and place.named in sections):
                continue
            found = [label for kind, label in place.figures if kind in kinds]
            if not all(_is_in(label, in_clause) for label in found):
                yield place, all(_is_in(label, in_all) for label in found)

    def _stated(self, text: str) -> list[Stated]:
        """Return the figures of a text, and the names in it that sources have."""
        return [*kinds_of(text), *map(named, self._names_in(text))]

    def _names_in(self, text: str) -> list[Figure]:
        return [name for name in names_in(text) if name.states <= self._names]

    def _fit(self, kinds: Keys) -> Fit:
        if kinds not in self._fits:
            self._fits[kinds] = Fit([place for place in self._places if kinds & place.kinds])
        return self._fits[kinds]

    @cached_property
    def _places(self) -> list[Place]:
        return places_of(self._sources)

    @cached_property
    def _names(self) -> Keys:
        return names_of("\n".join(source.text for source in self._sources))


def _is_in(label: str, labels: Iterable[str]) -> bool:
    return any(is_same(label, other) for other in labels)


def _kind(stated: Stated, sentence: str, own: Iterable[Place]) -> str:
    """Return the kind of a figure: as ``stated``, if a source has it for this figure; otherwise for a bare
    number the kind that all sources have, if they agree."""
    if any(stated.kind in place.kinds for place in own):
        return stated.kind
    kind = kind_of(stated.figure, sentence)
    told = {told for place in own for told, label in place.figures if key_of(label) == key_of(stated.label)}
    return told.pop() if kind == "number" and len(told) == 1 else kind


def _adapted(words: Weights, said: Said, fit: Fit) -> Weights:
    """Adapt the words to those of the places. "With" and "without" a thing are dropped unless the places have
    both. A word that the clause negates becomes "all others" if the places have others."""
    undistinguished = {word for word in words if not _is_distinguished(word, fit)}
    undistinguished |= {word.removeprefix("without ") for word in undistinguished}
    words = {word: counts for word, counts in words.items() if word not in undistinguished}
    negated = negated_in(said.clause)
    others = fit.words.intersection(_others_than(negated, said.language))
    if not others:
        return words
    stems = {stem for word in negated for stem in analysis.tokens(word, said.language)}
    kept = {
        word: counts
        for word, counts in words.items()
        if is_mark(word) or stems.isdisjoint(analysis.tokens(word, said.language))
    }
    return kept | dict.fromkeys(others, 1.0)


def _is_distinguished(word: str, fit: Fit) -> bool:
    """Return False for "with" or "without" a thing if the places do not have both."""
    relation, _, noun = word.partition(" ")
    return relation not in {"with", "without"} or {f"with {noun}", f"without {noun}"} <= fit.words


def _others_than(negated: Iterable[str], language: str) -> Iterator[str]:
    """Yield the words for people or things that are not what the ``negated`` words name."""
    for word in negated:
        yield OTHERS
        for prefix in ("non", "nicht"):
            yield from analysis.tokens(f"{prefix}{word}", language)


def _is_condition(figure: Figure, sentence: str) -> bool:
    """Return True if the figure is a bound ("under 24 years") and the sentence has another figure."""
    bounds = conditions_in(sentence)

    def is_bound(some: Figure) -> bool:
        return any(bound(key, below=below) in bounds for key in some.states for below in (True, False))

    others = (each for each in figures_of(sentence) if each.kind not in NUMBERED)
    return is_bound(figure) and not all(map(is_bound, others))
