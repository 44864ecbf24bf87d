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

LEAST_SHARED: Final = 0.6
"""The share of the words of the shorter statement that the other passage has."""


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
    return [
        Contradiction(one=first, other=second, kind=kind)
        for first, second in product(list(one), list(other))
        if (kind := _differing(first, second))
    ]


def _differing(one: Statement, other: Statement) -> str | None:
    """The kind of the values that differ; ``None`` if none do, or the statements are about other things."""
    kinds = [kind for kind in one.values.keys() & other.values.keys() if _differ(one, other, kind)]
    if not kinds or not _same_conditions(one, other) or not _same_subject(one, other):
        return None
    return min(kinds)


def _differ(one: Statement, other: Statement, kind: str) -> bool:
    first, second = one.values[kind], other.values[kind]
    return not first <= second and not second <= first


def _same_conditions(one: Statement, other: Statement) -> bool:
    """True if no kind of condition that both name differs."""
    return all(
        one.conditions[kind] == other.conditions[kind]
        for kind in one.conditions.keys() & other.conditions.keys()
    )


def _same_subject(one: Statement, other: Statement) -> bool:
    """True if the statements share most words, and not each has some that the other passage lacks."""
    first, second = one.words | one.context, other.words | other.context
    only_first, only_second = one.words - second, other.words - first
    if only_first and only_second:
        return False
    shared = (one.words & second) | (other.words & first)
    fewest = min(len(one.words), len(other.words))
    if not fewest:  # one is about what its title says: so must be all of the other
        return bool(shared) and one.words <= second and other.words <= first
    return bool(shared) and len(shared) >= LEAST_SHARED * fewest
