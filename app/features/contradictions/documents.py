"""Contradictions as JSON: requests and responses."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from app.document import Document, Moment
from app.features.contradictions.marks import Pieces, marked, values
from app.features.contradictions.store import Passage, StoredContradiction


class PassageDocument(Document):
    """A passage of a page. ``values``: its values that the other passage does not have."""

    source: str
    id: str
    language: str
    text: str
    values: list[str]

    @classmethod
    def of(cls, passage: Passage, pieces: Pieces) -> Self:
        """Describe a passage."""
        return cls.from_objects(passage.ref, passage, values=values(pieces))


class ContradictionDocument(Document):
    """A contradiction with both passages."""

    number: int
    kind: str
    one: PassageDocument
    other: PassageDocument
    found_at: Moment
    dismissed_by: str

    @classmethod
    def of(cls, stored: StoredContradiction) -> Self:
        """Describe a contradiction."""
        one, other = (PassageDocument.of(*side) for side in marked(stored.found))
        return cls.from_objects(stored, stored.found, one=one, other=other)


class ContradictionsDocument(Document):
    """One page of the list of contradictions."""

    contradictions: list[ContradictionDocument]


class ContradictionsQuery(BaseModel):
    """The query of ``GET /api/admin/contradictions``."""

    model_config = ConfigDict(extra="forbid")

    dismissed: bool = Field(default=False, description="those that editors dismissed")
    below: int | None = Field(default=None, ge=1, description="the last number of the part before")
    limit: int = Field(default=50, ge=1, le=200)
