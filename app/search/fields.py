"""The values of declared fields in a page's metadata, as both indexes store them for filters and facets.

Metadata is text. A keyword field may contain several values separated by ``;``, or a JSON list; a number is
written as in JSON; a date as ``2026-01-31``, optionally followed by a time. Anything else is left out here,
and stays in the page's metadata.
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from app.settings.fields import FieldType
from ingest.protocols import Recipe

FieldTypes = Mapping[str, FieldType]
FieldValue = tuple[str, ...] | float | str
"""The values of a keyword, in their order; a number; a day in ISO 8601."""

FieldValues = Mapping[str, FieldValue]

KEYWORD_CHARACTERS: Final = 256
"""A longer value is text, not a keyword, and is left out."""

_SEPARATOR: Final = ";"
_RECIPE: Final = "fields"
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_DAY: Final = re.compile(r"(\d{4}-\d{2}-\d{2})([T ].*)?", re.ASCII | re.DOTALL)


def field_values(metadata: Mapping[str, str], types: FieldTypes) -> dict[str, FieldValue]:
    """Return the values of the fields for which the page has any."""
    read = {name: _value(metadata[name], kind) for name, kind in types.items() if name in metadata}
    return {name: value for name, value in read.items() if value is not None}


def values_left_out(metadata: Mapping[str, str], types: FieldTypes) -> dict[str, tuple[str, ...]]:
    """Return the texts that are not of their field's type, by field; fields without any are left out."""
    read = {name: _left_out(metadata[name], kind) for name, kind in types.items() if name in metadata}
    return {name: texts for name, texts in read.items() if texts}


def stored_values(stored: Mapping[str, Any]) -> dict[str, FieldValue]:
    """Return the values from an index's JSON, in which those of a keyword are a list."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}


def fields_recipe(types: FieldTypes) -> Recipe:
    """Return the entry about fields in a generation's build recipe; empty if none is declared, so that an
    index without fields stays current."""
    return {_RECIPE: json.dumps(dict(types), sort_keys=True, separators=(",", ":"))} if types else {}


def fields_of(build: Recipe) -> FieldTypes:
    """Return the fields that a generation of this build has."""
    types: FieldTypes = json.loads(str(build.get(_RECIPE, "{}")))
    return types


def keyword(text: str) -> str:
    """Return a keyword as it is compared: composed (NFC), with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def number(text: str) -> float | None:
    """Parse a number; ``None`` if ``text`` is not one."""
    text = text.strip()
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value + 0.0 if math.isfinite(value) else None  # -0.0 is 0.0


def day(text: str) -> date | None:
    """Parse the day that ``text`` begins with; ``None`` if there is none."""
    match = _DAY.fullmatch(text.strip())
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def _value(text: str, kind: FieldType) -> FieldValue | None:
    if kind == "keyword":
        return tuple(dict.fromkeys(filter(_is_keyword, map(keyword, _parts(text))))) or None
    if kind == "number":
        return number(text)
    found = day(text)
    return found.isoformat() if found else None


def _left_out(text: str, kind: FieldType) -> tuple[str, ...]:
    if kind != "keyword":
        return (text,) if text.strip() and _value(text, kind) is None else ()
    texts = (each for each in map(keyword, _parts(text)) if each and not _is_keyword(each))
    return tuple(dict.fromkeys(_SURROGATE.sub("\ufffd", each) for each in texts))


def _is_keyword(text: str) -> bool:
    return 0 < len(text) <= KEYWORD_CHARACTERS and not _SURROGATE.search(text)


def _parts(text: str) -> Iterable[str]:
    try:
        listed = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list):
        return text.split(_SEPARATOR)
    return [each if isinstance(each, str) else json.dumps(each) for each in listed]
