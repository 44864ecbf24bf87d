"""Annotations as JSON: what asks for them, and what is returned."""

from dataclasses import asdict
from typing import Any, Final, get_args

from pydantic import BaseModel, ConfigDict, Field

from app.api.openapi import MOMENT, NUMBER, TEXT, list_of, object_of, or_none
from app.api.schemas import Language, Text
from app.chat.documents import timestamp
from app.features.annotations.annotations import Annotation
from app.features.annotations.desk import AnnotatedUnit, AnnotationState

ANNOTATION: Final = object_of(
    {
        "number": NUMBER,
        "source": TEXT,
        "act": TEXT,
        "unit": TEXT,
        "language": TEXT,
        "text": TEXT,
        "cuts": or_none(list_of(NUMBER)),
        "references": or_none(list_of(TEXT)),
        "version": NUMBER,
        "changed_by": TEXT,
        "changed_at": MOMENT,
    },
    {"state": {"enum": list(get_args(AnnotationState))}},
)
ANNOTATIONS: Final = object_of({"annotations": list_of(ANNOTATION)})
UNIT: Final = object_of(
    {
        "source": TEXT,
        "id": TEXT,
        "language": TEXT,
        "title": TEXT,
        "text": TEXT,
        "cuts": list_of(NUMBER),
        "references": list_of(TEXT),
        "annotation": or_none(ANNOTATION),
        "earlier": list_of(ANNOTATION),
    }
)


class AnnotationsQuery(BaseModel):
    """The query of ``GET /api/admin/annotations``."""

    model_config = ConfigDict(extra="forbid")

    below: int | None = Field(default=None, ge=1, description="the last number of the part before")
    limit: int = Field(default=50, ge=1, le=200)


class UnitQuery(BaseModel):
    """The query of ``/api/admin/annotations/unit``."""

    model_config = ConfigDict(extra="forbid")

    source: Text = Field(min_length=1, max_length=64)
    id: Text = Field(min_length=1, max_length=500, description="the page's id")
    language: Language


class AnnotationRequest(BaseModel):
    """The body of ``PUT /api/admin/annotations/unit``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    version: int = Field(ge=0, description="of the annotation that was read; 0: there was none")
    cuts: list[int] | None = Field(
        default=None, max_length=1_000, description="characters where a chunk begins; null: automatically"
    )
    references: list[Text] | None = Field(
        default=None,
        max_length=1_000,
        description="CELEX/unit (32024R1689/art_3), of the second chunk 2:CELEX/unit; null: automatically",
    )


def annotation_document(annotation: Annotation, state: AnnotationState | None = None) -> dict[str, Any]:
    """An annotation, with its ``state`` if it is given."""
    document = asdict(annotation) | {"changed_at": timestamp(annotation.changed_at)}
    return document | ({"state": state} if state else {})


def unit_document(unit: AnnotatedUnit) -> dict[str, Any]:
    """A unit of law as people annotate it."""
    return {
        "source": unit.ref.source,
        "id": unit.ref.id,
        "language": unit.ref.language,
        "title": unit.title,
        "text": unit.text,
        "cuts": list(unit.cuts),
        "references": list(unit.references),
        "annotation": annotation_document(unit.annotation) if unit.annotation else None,
        "earlier": [annotation_document(each) for each in unit.earlier],
    }
