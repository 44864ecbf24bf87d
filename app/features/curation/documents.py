"""Entries of the curation as JSON: what asks for and changes them, and what is returned."""

from typing import Any, Final, get_args

from pydantic import BaseModel, ConfigDict, Field

from app.api.openapi import DAY, FLAG, MOMENT, NUMBER, SHARE, TEXT, list_of, object_of
from app.api.schemas import Text
from app.chat.documents import timestamp
from app.chat.text.render import BlockRenderer
from app.features.curation.content import KINDS, Content, Entry, Kind
from app.features.curation.desk import EntryState
from app.features.curation.preview import Preview
from app.features.curation.store import LISTED

MOST_LISTED: Final = 500
"""Entries in one part of their list."""

_CONTENT: Final = object_of(
    {},
    {
        "phrasings": list_of(TEXT),
        "page": object_of({"source": TEXT, "id": TEXT}, {"language": TEXT}),
        "text": TEXT,
        "words": list_of(TEXT),
        "contact": TEXT,
        "replaces": FLAG,
        "language": TEXT,
        "until": DAY,
        "owner": TEXT,
    },
)
CURATION: Final = object_of(
    {
        "number": NUMBER,
        "site": TEXT,
        "kind": {"enum": list(KINDS)},
        "version": NUMBER,
        "state": {"enum": list(get_args(EntryState))},
        "content": _CONTENT,
        "changed_by": TEXT,
        "changed_at": MOMENT,
    },
    {"html": TEXT},
)
CURATIONS: Final = object_of({"entries": list_of(CURATION)})
CURATION_PREVIEW: Final = object_of(
    {
        "asked": NUMBER,
        "count": NUMBER,
        "share": SHARE,
        "is_broad": FLAG,
        "questions": list_of(
            object_of({"question": TEXT, "count": NUMBER, "last": MOMENT, "relevance": SHARE})
        ),
    },
    {"html": TEXT},
)


class CurationQuery(BaseModel):
    """The query of ``GET /api/admin/curation``."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; all without")
    kind: Kind | None = None
    below: int | None = Field(default=None, ge=1, description="the last number of the part before")
    limit: int = Field(default=LISTED, ge=1, le=MOST_LISTED)


class CurationPreviewRequest(BaseModel):
    """The body of ``POST /api/admin/curation/preview``."""

    model_config = ConfigDict(extra="forbid")

    site: Text = Field(min_length=1, max_length=64)
    kind: Kind
    content: Content


class CurationRequest(CurationPreviewRequest):
    """The body of ``POST /api/admin/curation``."""

    confirm: bool = Field(default=False, description="also where it catches a large share of all questions")


class CurationChange(BaseModel):
    """The body of ``PUT /api/admin/curation/<number>``."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1, description="the version that was read")
    content: Content
    confirm: bool = Field(default=False, description="also where it catches a large share of all questions")


def curation_document(entry: Entry, state: EntryState) -> dict[str, Any]:
    """An entry of the curation; the text that visitors read as ``html``, too."""
    return {
        "number": entry.number,
        "site": entry.site,
        "kind": entry.kind,
        "version": entry.version,
        "state": state,
        "content": entry.content.document(),
        "changed_by": entry.changed_by,
        "changed_at": timestamp(entry.changed_at),
    } | _html(entry.kind, entry.content)


def preview_document(kind: Kind, content: Content, found: Preview) -> dict[str, Any]:
    """The past questions that an entry would catch, and its text as visitors would read it."""
    return {
        "asked": found.asked,
        "count": found.count,
        "share": round(found.share, 4),
        "is_broad": found.is_broad,
        "questions": [
            {
                "question": each.text,
                "count": each.count,
                "last": timestamp(each.last),
                "relevance": round(each.relevance, 4),
            }
            for each in found.caught
        ],
    } | _html(kind, content)


def _html(kind: Kind, content: Content) -> dict[str, str]:
    if kind not in ("answer", "blocked"):
        return {}
    return {"html": BlockRenderer(all_links=True).render(content.text)}
