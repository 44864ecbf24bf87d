"""Facets: values of the declared fields in the pages found, by which a search can be narrowed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.search.fields import FieldTypes, FieldValue, FieldValues, field_values, fields_of
from app.search.index import SearchIndex, live_generation
from app.search.types import IndexedPage, PageMatch
from app.settings.fields import FieldType

FACET_VALUES: Final = 50
"""The most values of a keyword facet; the most frequent ones are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A field of the pages found. ``counts``: for a keyword, the number of pages with each value, the most
    frequent first, ties by value. ``least`` and ``most``: for a number or day (ISO 8601), over all pages that
    have one."""

    field: str
    type: FieldType
    counts: tuple[tuple[str, int], ...] = ()
    least: float | str | None = None
    most: float | str | None = None


class Facets:
    """Builds facets of the ``declared`` fields that the index was built with. ``owner``: the page store whose
    pages it must contain."""

    def __init__(self, index: SearchIndex, declared: FieldTypes, owner: str = "") -> None:
        self._index = index
        self._declared = declared
        self._owner = owner

    def of(self, pages: Iterable[IndexedPage], matches: Iterable[PageMatch] = ()) -> tuple[Facet, ...]:
        """Return the facets of pages, in the order of the declaration, without fields that no page has.
        Raises ``IndexUnavailableError``."""
        if not self._declared:
            return ()
        built = fields_of(live_generation(self._index, self._owner).recipe.build)
        types = {name: kind for name, kind in self._declared.items() if built.get(name) == kind}
        found = {match.ref: match.values for match in matches}
        found |= {page.ref: field_values(page.metadata, types) for page in pages}
        return facets_of(list(found.values()), types)


def facets_of(pages: Sequence[FieldValues], types: FieldTypes) -> tuple[Facet, ...]:
    """Return the facets of pages with these values."""
    made = (
        _facet(name, kind, [page[name] for page in pages if name in page]) for name, kind in types.items()
    )
    return tuple(facet for facet in made if facet is not None)


def _facet(name: str, kind: FieldType, values: Sequence[FieldValue]) -> Facet | None:
    if not values:
        return None
    if kind == "keyword":
        counted = Counter(each for value in values if isinstance(value, tuple) for each in value)
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        return Facet(field=name, type=kind, counts=tuple(ordered[:FACET_VALUES]))
    numbers = [value for value in values if isinstance(value, float)]
    days = [value for value in values if isinstance(value, str)]
    ends = (min(numbers), max(numbers)) if numbers else (min(days), max(days))
    return Facet(field=name, type=kind, least=ends[0], most=ends[1])
