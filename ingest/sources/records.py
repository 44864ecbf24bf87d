"""Checks a page's record, a mapping of named values, and makes it a :class:`RawPage`.

Known keys: ``id url language name title description keywords updated revision publish_from publish_until``
and one of ``html xhtml markdown text pdf docx odt``; the last three are files in base64. Names, titles,
descriptions and keywords may contain HTML. All other keys become the page's metadata. ``null`` counts as
missing.
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from ingest import languages
from ingest.documents import FILE_TYPES
from ingest.errors import PageError
from ingest.html.metadata import metadata
from ingest.text import visible
from ingest.types import (
    DOCX,
    MAX_URL_CHARACTERS,
    ODT,
    PDF,
    UNDETERMINED,
    FieldName,
    MediaType,
    PageRef,
    RawField,
    RawPage,
)

Record = Mapping[str, Any]

CONTENT_TYPES: Final[dict[str, MediaType]] = {
    "html": "text/html",
    "xhtml": "application/xhtml+xml",
    "markdown": "text/markdown",
    "text": "text/plain",
    "pdf": PDF,
    "docx": DOCX,
    "odt": ODT,
}
URL_SCHEMES: Final = frozenset({"http", "https", "file"})

_LINE_FIELDS: Final[tuple[FieldName, ...]] = ("name", "title", "description")
_MOMENTS: Final = ("updated", "publish_from", "publish_until")
_KNOWN: Final = {"id", "url", "language", "keywords", "revision", *_MOMENTS, *_LINE_FIELDS, *CONTENT_TYPES}


def raw_page(
    record: Record,
    *,
    source: str,
    document: str,
    url: str,
    language: str | None,
    line_type: MediaType = "text/html",
) -> RawPage:
    """Return the page of ``record``.

    ``url`` is used if the record has none. The page's own language comes first, then ``language``, then
    detection. ``line_type``: the media type of names, titles, descriptions and keywords. Raises ``PageError``
    with the wrong value and what it should be.
    """
    fields = page_fields(record, line_type)
    own_language = _language(record, fields.get("content"), language)
    return RawPage(
        ref=PageRef(source=source, id=record_id(record), language=own_language),
        document=document,
        url=_url(record) or url,
        fields=fields,
        revision=record_revision(record),
        updated=record_moment(record, "updated"),
        publish_from=record_moment(record, "publish_from"),
        publish_until=record_moment(record, "publish_until"),
        metadata=page_metadata({key: value for key, value in record.items() if key not in _KNOWN}),
    )


def page_metadata(record: Record) -> dict[str, str]:
    """Return the values that are not ``None``, as texts; values other than texts as JSON."""
    return {key: _shown(value) for key, value in record.items() if value is not None}


def page_fields(record: Record, line_type: MediaType = "text/html") -> dict[FieldName, RawField]:
    """Return the fields that are not empty. Raises ``PageError``."""
    fields: dict[FieldName, RawField] = {}
    for name in _LINE_FIELDS:
        if text := _text(record, name):
            fields[name] = RawField(text=text, media_type=line_type)
    if keywords := _keywords(record):
        fields["keywords"] = RawField(text=keywords, media_type=line_type)
    if content := _content(record):
        fields["content"] = content
    return fields


def record_id(record: Record) -> str:
    """Return the record's id; a whole number counts as text. Raises ``PageError`` if there is none."""
    value = record.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        raise PageError("invalid", "has no id: set a text under 'id' for every page")
    if not isinstance(value, str):
        raise PageError("invalid", f"id is {_shown(value)[:40]}: must be text")
    try:
        return PageRef(source="any", id=value, language=UNDETERMINED).id
    except ValueError as error:
        raise PageError("invalid", str(error)) from error


def _text(record: Record, key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise PageError("invalid", f"{key} is {_shown(value)[:40]}: must be text")
    return visible(value)


def _keywords(record: Record) -> str:
    value = record.get("keywords")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return visible(", ".join(value))
    if isinstance(value, str | None):
        return visible(value or "")
    raise PageError("invalid", f"keywords is {_shown(value)[:40]}: must be text or a list of texts")


def _content(record: Record) -> RawField | None:
    given = {key: text for key in CONTENT_TYPES if (text := _text(record, key))}
    if len(given) > 1:
        raise PageError("invalid", f"has {' and '.join(given)}: use only one of them")
    if not given:
        return None
    [(key, text)] = given.items()
    text = base64_text(text) if CONTENT_TYPES[key] in FILE_TYPES else text
    return RawField(text=text, media_type=CONTENT_TYPES[key])


def base64_text(text: str) -> str:
    """Return base64 ``text`` without white space. Raises ``PageError`` if it is not base64."""
    joined = "".join(text.split())
    try:
        b64decode(joined, validate=True)
    except ValueError as error:
        raise PageError("invalid", "the file is not in base64: encode it") from error
    return joined


def _language(record: Record, content: RawField | None, default: str | None) -> str:
    named = _text(record, "language").strip()
    stated = languages.normalise(named)
    if stated:
        return stated
    if named and named != UNDETERMINED:
        raise PageError(
            "invalid", f"language {named[:40]!r}: use an ISO 639-1 code such as 'de', or leave it out"
        )
    is_text = content is not None and content.media_type not in FILE_TYPES
    sample = content.text if content and is_text else " ".join(_text(record, name) for name in _LINE_FIELDS)
    if content and content.is_html:
        head = metadata(content.text)
        stated, sample = languages.normalise(head.language), head.sample
    return stated or default or languages.detect(sample)


def _url(record: Record) -> str:
    url = "".join(_text(record, "url").split())
    try:
        known = not url or urlsplit(url).scheme in URL_SCHEMES
    except ValueError:
        known = False
    if len(url) > MAX_URL_CHARACTERS:
        raise PageError("invalid", f"url {url[:80]!r}…: longer than {MAX_URL_CHARACTERS:,} characters")
    if not known:
        raise PageError("invalid", f"url {url[:80]!r}: use an address with http:// or https://")
    return url


def record_moment(record: Record, key: str) -> datetime | None:
    """Return the record's moment under ``key``, taken as UTC if it has no zone. Raises ``PageError``."""
    text = _text(record, key).strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise PageError("invalid", f"{key} {text[:40]!r}: use a date such as 2026-03-31T12:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def record_revision(record: Record) -> int | None:
    """Return the record's revision, or None if it has none. Raises ``PageError``."""
    value = record.get("revision")
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63):
        return value
    raise PageError("invalid", f"revision is {_shown(value)[:40]}: must be a whole number")


def _shown(value: object) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
