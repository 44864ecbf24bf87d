"""Field collapsing: one hit for each unit of an act, among all its languages and versions. Pure functions."""

from collections.abc import Sequence
from typing import Final

from app.law.units import law_unit
from app.search.fusion import Scored
from app.search.types import IndexedPage

LANGUAGE_TOLERANCE: Final = 0.85
"""The text in the question's language is preferred if it has at least this share of the best text's score."""


def collapsed(scored: Sequence[Scored], language: str | None) -> list[Scored]:
    """Return the best text of each unit, or the one in ``language`` if its score is nearly the same. It gets
    the rank and score of the best one. Pages that are not units of acts do not change."""
    groups: dict[tuple[str, ...], list[Scored]] = {}
    for item in scored:
        groups.setdefault(_unit(item[1].page), []).append(item)
    return [_chosen(group, language) for group in groups.values()]


def _chosen(group: Sequence[Scored], language: str | None) -> Scored:
    best, first = group[0]
    near = (candidate for score, candidate in group if score >= LANGUAGE_TOLERANCE * best)
    return best, next((candidate for candidate in near if candidate.page.ref.language == language), first)


def _unit(page: IndexedPage) -> tuple[str, ...]:
    ref = page.ref
    law = law_unit(page)
    return (ref.source, law.celex, law.unit) if law else (ref.source, ref.id, ref.language)
