"""One hit for a unit, whichever languages and versions of it were found. Pure functions."""

from collections.abc import Sequence
from typing import Final

from app.law.units import law_unit
from app.search.fusion import Scored
from app.search.types import IndexedPage

NEARLY: Final = 0.85
"""Of the best text's score: from here on the text in the question's language is shown instead."""


def collapsed(scored: Sequence[Scored], language: str | None) -> list[Scored]:
    """The first of each unit's texts, or the one in ``language`` where it is nearly as good, in the place and
    with the score of the first. Pages that are no units of acts stay as they are."""
    groups: dict[tuple[str, ...], list[Scored]] = {}
    for item in scored:
        groups.setdefault(_unit(item[1].page), []).append(item)
    return [_chosen(group, language) for group in groups.values()]


def _chosen(group: Sequence[Scored], language: str | None) -> Scored:
    best, first = group[0]
    near = (candidate for score, candidate in group if score >= NEARLY * best)
    return best, next((candidate for candidate in near if candidate.page.ref.language == language), first)


def _unit(page: IndexedPage) -> tuple[str, ...]:
    ref = page.ref
    law = law_unit(page)
    return (ref.source, law.celex, law.unit) if law else (ref.source, ref.id, ref.language)
