"""JSON Schema of ``GET /api/search/pages``; :mod:`app.chat.documents` builds it."""

from typing import Final

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
