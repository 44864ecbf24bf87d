"""What a page says, as JSON, and the hash by which two versions are the same."""

import hashlib
import json
from datetime import datetime
from typing import Any, Final

from app.pages.column_types import to_utc
from ingest.types import RawField, RawPage

MAX_TITLE_CHARACTERS: Final = 300

_json: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def dump_body(page: RawPage) -> str:
    """Fields and metadata as JSON, in ASCII so that any text survives any database."""
    fields = {name: {"text": f.text, "media_type": f.media_type} for name, f in page.fields.items()}
    return _json({"fields": fields, "metadata": dict(page.metadata)})


def load_body(body: str) -> dict[str, Any]:
    """``fields`` and ``metadata`` for a ``RawPage``, from :func:`dump_body`'s JSON."""
    loaded = json.loads(body)
    fields = {name: RawField(**value) for name, value in loaded["fields"].items()}
    return {"fields": fields, "metadata": loaded["metadata"]}


def content_hash(page: RawPage, body: str) -> str:
    """SHA-256 (hex) of a page and its dumped ``body``: all that the index may depend on, not the revision."""
    header = {
        "document": page.document,
        "kind": page.kind,
        "publish_from": _moment(page.publish_from),
        "publish_until": _moment(page.publish_until),
        "updated": _moment(page.updated),
        "url": page.url,
    }
    return hashlib.sha256(f"{_json(header)}\n{body}".encode()).hexdigest()


def title(page: RawPage) -> str:
    """What to call the page in a list, on one line: its title, else its name."""
    texts = (page.fields[name].text for name in ("title", "name") if name in page.fields)
    return next((line for text in texts if (line := " ".join(text.split())[:MAX_TITLE_CHARACTERS])), "")


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else to_utc(moment).isoformat()
