"""The search page's list as JSON: what asks for it, and what is returned."""

from typing import Any, Final

from pydantic import Field

from app.api.openapi import (
    DAY,
    DEGRADED,
    FLAG,
    MODE,
    NUMBER,
    TEXT,
    TIME,
    Schema,
    list_of,
    object_of,
    or_none,
)
from app.api.schemas import Day, Index, Language, SiteQuery, Text
from app.chat.documents import ended_document, time_document
from app.chat.found_pages import FoundPage, marked_title
from app.features.search_page.page_list import PageList

_PIECES: Final = list_of(TEXT)
_TALLY: Final[Schema] = {"type": "object", "additionalProperties": NUMBER}
SEARCH_PAGES: Final = object_of(
    {
        "asked": TEXT,
        "question": TEXT,
        "suggestion": or_none(TEXT),
        "mode": MODE,
        "degraded": DEGRADED,
        "count": NUMBER,
        "more": FLAG,
        "page": NUMBER,
        "pages": NUMBER,
        "filters": object_of(dict.fromkeys(("source", "language", "kind"), _TALLY)),
        "hits": list_of(
            object_of(
                {
                    "id": TEXT,
                    "source": TEXT,
                    "language": TEXT,
                    "kind": TEXT,
                    "updated": or_none(DAY),
                    "href": TEXT,
                    "path": TEXT,
                    "title": _PIECES,
                    "heading": TEXT,
                    "lines": list_of(object_of({"pieces": _PIECES, "listed": FLAG})),
                },
                {"ended": DAY},
            )
        ),
    },
    {"time": TIME},
)


class SearchPagesQuery(SiteQuery):
    """The query of ``GET /api/search/pages``."""

    q: Text = Field(min_length=1, description="what is looked for")
    index: Index | None = None
    source: Text | None = Field(default=None, max_length=64, description="pages of this source only")
    written_in: Language | None = Field(default=None, description="pages in this language only")
    kind: Text | None = Field(default=None, max_length=200, description="pages of this kind only")
    page: int = Field(default=1, ge=1, le=1_000, description="the part of the list")
    typing: bool = Field(default=False, description="by words alone, the last of which may go on")
    language: Language | None = None
    at: Day | None = None


def page_list_document(found: PageList) -> dict[str, Any]:
    """``{"asked", "question", "suggestion", "mode", "degraded", "count", "more", "page", "pages", "filters",
    "hits"}``. Texts come in pieces, every second one marked, so that nobody needs to count characters."""
    return time_document(found.retrieval.time) | {
        "asked": found.asked,
        "question": found.question,
        "suggestion": found.suggestion,
        "mode": found.retrieval.mode,
        "degraded": list(found.retrieval.degraded),
        "count": found.count,
        "more": found.is_more,
        "page": found.number,
        "pages": found.last,
        "filters": {name: dict(counts) for name, counts in found.filters.items()},
        "hits": [_listed(page, found.question) for page in found.pages],
    }


def _listed(found: FoundPage, question: str) -> dict[str, Any]:
    page = found.hit.page
    return {
        "id": page.ref.id,
        "source": page.ref.source,
        "language": page.ref.language,
        "kind": page.kind,
        "updated": page.updated.date().isoformat() if page.updated else None,
        "href": found.href,
        "path": found.path,
        "title": marked_title(found, question).strings,
        "heading": found.heading,
        "lines": [{"pieces": line.strings, "listed": line.listed} for line in found.lines],
    } | ended_document(found.hit.ended)
