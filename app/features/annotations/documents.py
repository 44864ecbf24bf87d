"""Annotations as JSON: requests and responses."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas import Language, Text
from app.document import Document, Moment, Sometimes
from app.features.annotations.annotations import Annotation
from app.features.annotations.desk import AnnotatedUnit, AnnotationState


class AnnotationDocument(Document):
    """An annotation. ``state``: only in lists."""

    number: int
    source: str
    act: str
    unit: str
    language: str
    text: str
    cuts: list[int] | None
    references: list[str] | None
    version: int
    changed_by: str
    changed_at: Moment
    state: Sometimes[AnnotationState] = None

    @classmethod
    def of(cls, annotation: Annotation, state: AnnotationState) -> Self:
        """Describe an annotation of the list."""
        return cls.model_validate(annotation).model_copy(update={"state": state})


class AnnotationsDocument(Document):
    """One page of the list of annotations."""

    annotations: list[AnnotationDocument]


class UnitDocument(Document):
    """A unit of law with its annotations."""

    source: str
    id: str
    language: str
    title: str
    text: str
    cuts: list[int]
    references: list[str]
    annotation: AnnotationDocument | None
    earlier: list[AnnotationDocument]

    @classmethod
    def of(cls, unit: AnnotatedUnit) -> Self:
        """Describe a unit with its annotations."""
        return cls.from_objects(unit.ref, unit)


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
