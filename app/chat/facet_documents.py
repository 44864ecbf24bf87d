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
    """A field of the pages found. ``labels``: its names by language, as declared. ``values``: only for a
    keyword, that of most pages first. ``min`` and ``max``: only for a number or date."""

    field: str
    type: FieldType
    labels: dict[str, str]
    values: Sometimes[list[FacetValueDocument]] = None
    min: Sometimes[float | date] = None
    max: Sometimes[float | date] = None


def facet_documents(
    facets: Iterable[Facet], declared: Mapping[str, FieldSettings]
) -> list[FacetDocument] | None:
    """Describe facets; None if no field is declared."""
    return [_document(facet, declared[facet.field]) for facet in facets] if declared else None


def _document(facet: Facet, field: FieldSettings) -> FacetDocument:
    counts = [FacetValueDocument(value=value, count=count) for value, count in facet.counts]
    least, most = (
        date.fromisoformat(end) if isinstance(end, str) else end for end in (facet.least, facet.most)
    )
    return FacetDocument(
        field=facet.field, type=facet.type, labels=field.label, values=counts or None, min=least, max=most
    )
