"""Chooses due pages for one claim. Pure planning."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from app.pages.refs import AnyRow

CLAIM_CHARACTERS: Final = 128_000
"""Maximum characters of stored JSON for all pages of one claim, unless a single page has more: at most 250
chunks."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The due pages to work on now, and those that have used up their attempts."""

    taken: list[AnyRow]
    poisoned: list[AnyRow]


def choose(due: Iterable[AnyRow], max_attempts: int) -> Selection:
    """Choose from due pages in order of urgency.

    Pages of one claim have the same priority, so that none waits for less urgent ones. A page tried before
    is taken alone, so that if it kills its worker it harms no others.
    """
    selection = Selection(taken=[], poisoned=[])
    for row in due:
        if row.attempts >= max_attempts:
            selection.poisoned.append(row)
        elif selection.taken and not _may_share(selection.taken[0], row):
            break
        else:
            selection.taken.append(row)
    return selection


def fitting(sizes: Iterable[int]) -> int:
    """Return how many of the first pages with these sizes fit into one claim, at least one. Claims of many
    long pages would delay the short pages among them, and outlast their lease."""
    totals = list(accumulate(sizes))
    return max(bisect_right(totals, CLAIM_CHARACTERS), min(1, len(totals)))


def _may_share(first: AnyRow, row: AnyRow) -> bool:
    return bool(first.attempts == row.attempts == 0 and first.priority == row.priority)
