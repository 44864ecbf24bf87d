"""Decides whether two passages contradict each other. Pure functions.

They do if a statement of each is about the same thing under the same conditions, and the two give different
values of the same kind, none of which may be just part of the other's. Precision counts more than recall:
people who are shown many false alarms stop looking.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from app.features.contradictions.statements import Statement

MOST_OWN: Final = 0.5
"""The largest share of words in only one of the statements, relative to the longer statement."""

LEAST_NAMED: Final = 0.6
"""The share of the shorter statement's words that must be in the other."""

ENOUGH_NAMED: Final = 3
"""Shared words needed if each statement has a word that the other lacks."""

MOST_TIMES: Final = 3
"""Amounts or numbers that differ by more than this factor are about different things."""

_PLACES: Final = frozenset({"date", "time", "phone"})
"""Kinds of values that are not amounts."""

_NAMED_ITSELF: Final = frozenset({"date", "phone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two statements that contradict each other. ``kind``: of the values that differ."""

    one: Statement
    other: Statement
    kind: str


def contradictions(one: Iterable[Statement], other: Iterable[Statement]) -> list[Contradiction]:
    """Return the pairs of contradicting statements of two passages.

    A statement that the other passage confirms elsewhere is in no pair.
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
    """The kind of the values that differ, or ``None``.

    ``None`` if no kind differs, if several do (as for separate occasions), or if the statements are about
    different things.
    """
    kinds = [kind for kind in one.values.keys() & other.values.keys() if _differ(one, other, kind)]
    if len(kinds) != 1 or not _is_likely(one, other, kinds[0]):
        return None
    return kinds[0] if _same_conditions(one, other) and _same_subject(one, other) else None


def _differ(one: Statement, other: Statement, kind: str) -> bool:
    first, second = one.values[kind], other.values[kind]
    return not first <= second and not second <= first


def _is_likely(one: Statement, other: Statement, kind: str) -> bool:
    """Return True if one value may be an earlier version of the other: no price becomes four times as
    high."""
    if kind in _PLACES:
        return True
    first, second = (
        sorted(float(value) for value in here.values[kind] - there.values[kind])
        for here, there in ((one, other), (other, one))
    )
    return first[0] <= MOST_TIMES * second[-1] and second[0] <= MOST_TIMES * first[-1]


def _is_confirmed(one: Statement, kind: str, others: Iterable[Statement]) -> bool:
    """Return True if another statement has the values and at least one of the subject's words."""
    return any(
        one.values[kind] <= other.values.get(kind, frozenset()) and one.words & other.words
        for other in others
    )


def _same_conditions(one: Statement, other: Statement) -> bool:
    """Return True if all kinds of conditions that both name are equal, and each names the figures in the
    other's row or column head."""
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
    """Return True if both statements name the same thing, a title or heading names it too, and few words are
    in one alone."""
    named = one.words & other.words
    only_first = one.words - other.words - other.context
    only_second = other.words - one.words - one.context
    if not one.words or not other.words:  # one is about what its title names, so the other must be as a whole
        return bool(one.words | other.words) and _is_of(one, other) and _is_of(other, one)
    if not named or not _has_same_entity(one, other):
        return False
    if only_first and only_second and (len(named) < ENOUGH_NAMED or len(only_first | only_second) > 2):
        return False
    shorter, longer = sorted((len(one.words), len(other.words)))
    return len(only_first | only_second) <= MOST_OWN * longer and len(named) >= LEAST_NAMED * shorter


def _has_same_entity(one: Statement, other: Statement) -> bool:
    """Return True if a title or heading names what both are about: the thing itself, or what it belongs to.

    For a phone number or date, which may be under any heading, it must name the thing itself.
    """
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
    """Return True if the other statement and its title name everything that this statement is about."""
    return (one.words or one.context) <= other.words | other.context
