"""The body of a page as JSON, and the hash by which versions are compared."""

import hashlib
import json
from datetime import datetime
from typing import Any, Final

from app.pages.column_types import UNREADABLE, storable, to_utc
from ingest.errors import PageError
from ingest.types import FIELDS, RawField, RawPage

MAX_TITLE_CHARACTERS: Final = 300
MAX_TITLE_MARKUP: Final = 3_000
"""Maximum characters of a title, with its markup, that are used for a list."""

DAMAGED: Final = "damaged"

_json: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def dump_body(page: RawPage) -> str:
    """Return fields and metadata as JSON, in ASCII so that any text survives any database."""
    fields = {name: {"text": f.text, "media_type": f.media_type} for name, f in page.fields.items()}
    return _json({"fields": fields, "metadata": dict(page.metadata)})


def load_body(body: bytes | None) -> dict[str, Any]:
    """Return ``fields`` and ``metadata`` for a ``RawPage`` from the JSON of :func:`dump_body`.

    Raises ``PageError``, reason ``damaged``, for anything else, which only a damaged file contains.
    """
    try:
        loaded = json.loads((body or b"").decode("ascii"))
        fields = {name: RawField(**value) for name, value in loaded["fields"].items()}
        metadata = loaded["metadata"]
        texts = [*(field.text for field in fields.values()), *metadata.values()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged() from error
    if not fields.keys() <= set(FIELDS) or not all(isinstance(text, str) for text in texts):
        raise _damaged()
    return {"fields": fields, "metadata": metadata}


def content_hash(page: RawPage, body: str) -> str:
    """SHA-256 (hex) of a page and its dumped ``body``: all that the index may depend on, so not the
    revision."""
    header = {
        "document": storable(page.document),
        "kind": storable(page.kind),
        "publish_from": _moment(page.publish_from),
        "publish_until": _moment(page.publish_until),
        "updated": _moment(page.updated),
        "url": storable(page.url),
    }
    return hashlib.sha256(f"{_json(header)}\n{body}".encode()).hexdigest()


def check_whole(page: RawPage, body: bytes, expected: str) -> None:
    """Raise ``PageError``, reason ``damaged``, if a text or time of the page was replaced when it was loaded.

    The hash decides, but only if one may have been replaced, because an earlier version may have made the
    hash differently.
    """
    texts = page.document, page.url, page.kind
    replaced = any("\ufffd" in text for text in texts) or UNREADABLE in (
        page.updated,
        page.publish_from,
        page.publish_until,
    )
    if replaced and content_hash(page, body.decode("ascii")) != expected:
        raise _damaged()


def title(page: RawPage) -> str:
    """Return the page's title for a list, on one line; if it has none, its name."""
    lines = (_line(page.fields[name]) for name in ("title", "name") if name in page.fields)
    return next((line for line in lines if line), "")


def _line(field: RawField) -> str:
    text = field.text[:MAX_TITLE_MARKUP]
    if field.is_html and ("<" in text or "&" in text):
        from ingest.html.line import to_line  # noqa: PLC0415 - its parser is only needed here

        text = to_line(text)
    return " ".join(text.split())[:MAX_TITLE_CHARACTERS]


def _damaged() -> PageError:
    return PageError(
        "damaged", "its stored content can no longer be read: save, import or pull the page again"
    )


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else to_utc(moment).isoformat()
