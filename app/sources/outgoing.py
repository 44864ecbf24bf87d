"""Pages as a CMS would send them: events in messages that a server takes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from app.errors import InputError, PageError
from app.sources.events import MAX_EVENTS
from ingest.protocols import Source
from ingest.types import MediaType, RawField, RawPage

MESSAGE_BYTES: Final = 4_000_000
"""Well below what a server takes (``AUSKUNFT_MAX_EVENT_BYTES``)."""

_CONTENTS: Final[dict[MediaType, str]] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/plain": "text",
}


def saved_pages(source: Source) -> Iterator[dict[str, Any]]:
    """A ``page.saved`` for every page of ``source``. Raises ``InputError`` for one that cannot be read or
    has no address, and ``SourceError``."""
    for document in source.documents():
        try:
            pages = source.pages(document) or ()
        except PageError as error:
            raise InputError(f"{document}: {error}") from error
        yield from map(saved_page, pages)


def saved_page(page: RawPage) -> dict[str, Any]:
    """The event that says that ``page`` was saved. Raises ``InputError`` if it has no address."""
    if not page.url.startswith(("http://", "https://")):
        raise InputError(f"{page.ref.id}: has no address: give its url, which answers link to")
    event = {
        "type": "page.saved",
        "id": page.ref.id,
        "language": page.ref.language,
        "revision": page.revision,
        "url": page.url,
        "updated": page.updated and page.updated.isoformat(),
        "publish_from": page.publish_from and page.publish_from.isoformat(),
        "publish_until": page.publish_until and page.publish_until.isoformat(),
        **{_key(name, field): field.text for name, field in page.fields.items()},
    }
    return {name: value for name, value in event.items() if value is not None}


def messages(events: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Bodies with the events in order, none larger than ``MESSAGE_BYTES`` unless one event alone is."""
    batch: list[str] = []
    size = 0
    for event in events:
        text = json.dumps(event, ensure_ascii=False)
        if batch and (len(batch) == MAX_EVENTS or size + len(text.encode()) > MESSAGE_BYTES):
            yield _message(batch)
            batch, size = [], 0
        batch.append(text)
        size += len(text.encode())
    if batch:
        yield _message(batch)


def _key(name: str, field: RawField) -> str:
    return _CONTENTS[field.media_type] if name == "content" else name


def _message(events: Sequence[str]) -> bytes:
    return f'{{"events": [{", ".join(events)}]}}'.encode()
