"""The JSON document of a facet: a declared field of the pages found."""

from collections.abc import Iterable, Mapping
from datetime import date

from app.document import Document, Sometimes
from app.search.facets import Facet
from app.settings.fields import FieldSettings, FieldType


class FacetValueDocument(Document):
    """A value of a keyword, and how many of the pages found have it."""

    value: str
    count: int


class FacetDocument(Document):
    """A field of the pages found. ``values``: of a keyword alone, that of most pages first. ``min`` and
    ``max``: of a number or date alone."""

    field: str
    type: FieldType
    label: str
    values: Sometimes[list[FacetValueDocument]] = None
    min: Sometimes[float | date] = None
    max: Sometimes[float | date] = None


def facet_documents(
    facets: Iterable[Facet], declared: Mapping[str, FieldSettings], language: str
) -> list[FacetDocument] | None:
    """Describe facets, with their labels in ``language``; ``None`` where no field is declared."""
    if not declared:
        return None
    return [_document(facet, declared[facet.field].shown(facet.field, language)) for facet in facets]


def _document(facet: Facet, label: str) -> FacetDocument:
    counts = [FacetValueDocument(value=value, count=count) for value, count in facet.counts]
    least, most = (
        date.fromisoformat(end) if isinstance(end, str) else end for end in (facet.least, facet.most)
    )
    return FacetDocument(
        field=facet.field, type=facet.type, label=label, values=counts or None, min=least, max=most
    )
