"""Tells if two passages contradict each other. Pure functions.

They do where a statement of one and a statement of the other are about the same thing under the same
conditions, and give different values of the same kind, none of which may just be a part of the other's.
Precision counts more than recall: who is shown much that is no contradiction looks no more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from app.features.contradictions.statements import Statement

MOST_OWN: Final = 0.5
"""Words that only one of the statements has, by the words of the longer one."""

LEAST_NAMED: Final = 0.6
"""The share of the words of the shorter statement that the other one has, too."""

ENOUGH_NAMED: Final = 3
"""Words that both statements have, where each has a word that the other lacks."""

MOST_TIMES: Final = 3
"""An amount or number that is more times another one is of something else."""

_PLACES: Final = frozenset({"date", "time", "phone"})
"""Kinds of values that are no amounts."""

_NAMED_ITSELF: Final = frozenset({"date", "phone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two statements that contradict each other. ``kind``: of the values that differ."""

    one: Statement
    other: Statement
    kind: str


def contradictions(one: Iterable[Statement], other: Iterable[Statement]) -> list[Contradiction]:
    """Return the pairs of statements of two passages that contradict each other.

    A statement that another one of the other passage confirms is in no pair.
    """
    first, second = list(one), list(other)
    return [
        Contradiction(one=each, other=against, kind=kind)
        for each, against in product(first, second)
        if (kind := _differing(each, against))
        and not _is_confirmed(each, kind, second)
        and not _is_confirmed(against, kind, first)
    ]


def _differing(one: Statement, other: Statement) -> str | None:
    """The kind of the values that differ; ``None`` if none do, or several, as those of other occasions do, or
    if the statements are about other things."""
    kinds = [kind for kind in one.values.keys() & other.values.keys() if _differ(one, other, kind)]
    if len(kinds) != 1 or not _is_likely(one, other, kinds[0]):
        return None
    return kinds[0] if _same_conditions(one, other) and _same_subject(one, other) else None


def _differ(one: Statement, other: Statement, kind: str) -> bool:
    first, second = one.values[kind], other.values[kind]
    return not first <= second and not second <= first


def _is_likely(one: Statement, other: Statement, kind: str) -> bool:
    """True if one value may have been the other once: no price is four times what it was."""
    if kind in _PLACES:
        return True
    first, second = (
        sorted(float(value) for value in here.values[kind] - there.values[kind])
        for here, there in ((one, other), (other, one))
    )
    return first[0] <= MOST_TIMES * second[-1] and second[0] <= MOST_TIMES * first[-1]


def _is_confirmed(one: Statement, kind: str, others: Iterable[Statement]) -> bool:
    """True if another statement with a word of its subject has its values."""
    return any(
        one.values[kind] <= other.values.get(kind, frozenset()) and one.words & other.words
        for other in others
    )


def _same_conditions(one: Statement, other: Statement) -> bool:
    """True if no kind of condition that both name differs, and the other names what a row or column is of."""
    return (
        _has_keys(one, other)
        and _has_keys(other, one)
        and all(
            one.conditions[kind] == other.conditions[kind]
            for kind in one.conditions.keys() & other.conditions.keys()
        )
    )


def _has_keys(one: Statement, other: Statement) -> bool:
    stated = {f"{kind} {value}" for kind, value, _ in other.stated}
    return one.conditions.get("keys", frozenset()) <= stated | other.conditions.get("keys", frozenset())


def _same_subject(one: Statement, other: Statement) -> bool:
    """True if both statements name the same thing, a title or heading names it too, and no more than a little
    is said by one alone."""
    named = one.words & other.words
    only_first = one.words - other.words - other.context
    only_second = other.words - one.words - one.context
    if not one.words or not other.words:  # one is about what its title says: so must be all of the other
        return bool(one.words | other.words) and _is_of(one, other) and _is_of(other, one)
    if not named or not _has_same_entity(one, other):
        return False
    if only_first and only_second and (len(named) < ENOUGH_NAMED or len(only_first | only_second) > 2):
        return False
    shorter, longer = sorted((len(one.words), len(other.words)))
    return len(only_first | only_second) <= MOST_OWN * longer and len(named) >= LEAST_NAMED * shorter


def _has_same_entity(one: Statement, other: Statement) -> bool:
    """True if a title or heading names what both are about: the thing itself, or what it belongs to. A phone
    number or date, which stands under every heading, needs the thing itself."""
    above = one.context | other.context
    if one.context == other.context or not above.isdisjoint(one.words & other.words):
        return True
    if not _NAMED_ITSELF.isdisjoint(one.values.keys() & other.values.keys()):
        return False
    is_part = bool(one.context and other.context) and (
        one.context <= other.context or other.context <= one.context
    )
    return is_part or not one.words.isdisjoint(other.context) or not other.words.isdisjoint(one.context)


def _is_of(one: Statement, other: Statement) -> bool:
    """True if all that a statement is about is what the other one and its title name."""
    return (one.words or one.context) <= other.words | other.context
