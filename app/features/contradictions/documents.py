"""Contradictions as JSON: what asks for them, and what is returned."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from app.api.openapi import MOMENT, NUMBER, TEXT, list_of, object_of
from app.chat.documents import timestamp
from app.features.contradictions.store import StoredContradiction

_SIDE: Final = object_of({"source": TEXT, "id": TEXT, "language": TEXT, "text": TEXT})
CONTRADICTION: Final = object_of(
    {
        "number": NUMBER,
        "kind": TEXT,
        "one": _SIDE,
        "other": _SIDE,
        "found_at": MOMENT,
        "dismissed_by": TEXT,
    }
)
CONTRADICTIONS: Final = object_of({"contradictions": list_of(CONTRADICTION)})


class ContradictionsQuery(BaseModel):
    """The query of ``GET /api/admin/contradictions``."""

    model_config = ConfigDict(extra="forbid")

    dismissed: bool = Field(default=False, description="those that editors dismissed")
    below: int | None = Field(default=None, ge=1, description="the last number of the part before")
    limit: int = Field(default=50, ge=1, le=200)


def contradiction_document(stored: StoredContradiction) -> dict[str, Any]:
    """A contradiction with both passages."""
    found = stored.found
    sides = {
        name: {
            "source": side.ref.source,
            "id": side.ref.id,
            "language": side.ref.language,
            "text": side.text,
        }
        for name, side in (("one", found.one), ("other", found.other))
    }
    return {
        "number": stored.number,
        "kind": found.kind,
        **sides,
        "found_at": timestamp(stored.found_at),
        "dismissed_by": stored.dismissed_by,
    }
