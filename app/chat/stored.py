"""Reads the documents of stored answers."""

import json
from typing import Any


def read_document(row: Any) -> dict[str, Any] | None:
    """Return the document of an answer's row, or None if there is none or it cannot be read."""
    if row.document is None:
        return None
    try:
        document: Any = json.loads(row.document)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("answer"), str):
        return None
    lists = (document.get(name, []) for name in ("sources", "citations"))
    return document if all(isinstance(some, list) for some in lists) else None
