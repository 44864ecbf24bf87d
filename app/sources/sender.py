"""Sends signed events as a CMS does, and polls their jobs; makes events from pages."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final

import httpx

from app.errors import InputError, PageError, SendingError
from app.sources.events import MAX_EVENTS
from app.sources.signatures import headers
from ingest.documents import unpaged
from ingest.protocols import Source
from ingest.sources.records import CONTENT_TYPES
from ingest.types import PAGED_MARKDOWN, MediaType, RawField, RawPage

SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.5
ENDED: Final = frozenset({"indexed", "unchanged", "superseded", "failed"})
MESSAGE_BYTES: Final = 4_000_000
"""Well below a server's limit (``AUSKUNFT_MAX_EVENT_BYTES``)."""

_CONTENTS: Final[dict[MediaType, str]] = {
    **{media_type: key for key, media_type in CONTENT_TYPES.items()},
    "application/xhtml+xml": "html",
    PAGED_MARKDOWN: "markdown",
}

JobJson = dict[str, Any]


class Sender:
    """A client of the server at ``url`` (``http://host:port``). Every method raises ``InputError`` if the
    server refuses a request, and ``SendingError`` if it may be repeated."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise InputError(f"{url!r} is not an address: use http://host:port")
        try:
            self._http = httpx.Client(base_url=url, timeout=SECONDS)
        except httpx.InvalidURL as error:
            raise InputError(f"{url!r} is not an address ({error}): use http://host:port") from error

    def send(self, source: str, body: bytes, *, secret: str, message_id: str) -> list[JobJson]:
        """Send a message and return its jobs. To repeat a message, pass the same id and body."""
        signed = headers(secret, message_id, int(time.time()), body)
        request = self._http.build_request(
            "POST",
            f"/api/sources/{source}/events",
            content=body,
            headers={"Content-Type": "application/json", **signed},
        )
        jobs: list[JobJson] = self._answer(request)["jobs"]
        return jobs

    def wait(self, jobs: Iterable[JobJson]) -> list[JobJson]:
        """Wait until all jobs are finished and return them."""
        return [self._wait_for(job["id"]) for job in jobs]

    def _wait_for(self, job_id: str) -> JobJson:
        while True:
            job = self._answer(self._http.build_request("GET", f"/api/jobs/{job_id}"))
            if job["status"] in ENDED:
                return job
            time.sleep(POLL_SECONDS)

    def _answer(self, request: httpx.Request) -> JobJson:
        try:
            response = self._http.send(request)
        except httpx.HTTPError as error:
            raise SendingError(f"{request.url} did not answer: {error or type(error).__name__}") from error
        document = _document(response)
        if response.is_success and document:
            return document
        message = f"{request.url} answers {response.status_code}: {document.get('detail', 'no JSON')}"
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            raise SendingError(message)
        raise InputError(message)


def saved_pages(source: Source) -> Iterator[dict[str, Any]]:
    """Yield a ``page.saved`` event for every page of ``source``. Raises ``InputError`` for a page that cannot
    be read or has no address, and ``SourceError``."""
    for document in source.documents():
        try:
            pages = source.pages(document) or ()
        except PageError as error:
            raise InputError(f"{document}: {error}") from error
        yield from map(saved_page, pages)


def saved_page(page: RawPage) -> dict[str, Any]:
    """Make the ``page.saved`` event of a page. Raises ``InputError`` if it has no address."""
    if not page.url.startswith(("http://", "https://")):
        raise InputError(f"{page.ref.id}: has no address: set its url, which answers link to")
    event = {
        "type": "page.saved",
        "id": page.ref.id,
        "language": page.ref.language,
        "revision": page.revision,
        "url": page.url,
        "updated": page.updated and page.updated.isoformat(),
        "publish_from": page.publish_from and page.publish_from.isoformat(),
        "publish_until": page.publish_until and page.publish_until.isoformat(),
        **{_key(name, field): _sent(name, field) for name, field in page.fields.items()},
    }
    return {name: value for name, value in event.items() if value is not None}


def messages(events: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield message bodies with the events in order, none over ``MESSAGE_BYTES`` unless one event is."""
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


def _sent(name: str, field: RawField) -> str:
    """The field's text, escaped if it is plain text other than the content, because events expect HTML
    there."""
    if field.media_type == PAGED_MARKDOWN:
        return unpaged(field.text)[0]
    is_plain_line = name != "content" and field.media_type == "text/plain"
    return escape(field.text, quote=False) if is_plain_line else field.text


def _message(events: Sequence[str]) -> bytes:
    return f'{{"events": [{", ".join(events)}]}}'.encode()


def _document(response: httpx.Response) -> JobJson:
    try:
        document = response.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
