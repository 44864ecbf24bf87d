"""Sends events as a CMS does: signed, to any server; and follows their jobs."""

import time
from collections.abc import Iterable
from typing import Any, Final

import httpx

from app.errors import InputError, SendingError
from app.sources.signatures import headers

SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.5
ENDED: Final = frozenset({"indexed", "unchanged", "superseded", "failed"})

JobDocument = dict[str, Any]


class Sender:
    """Sends to the server at ``url`` (``http://host:port``). Every method raises ``InputError`` for what the
    server refuses, and ``SendingError`` for what may be repeated."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise InputError(f"{url!r} is no address: give http://host:port")
        try:
            self._http = httpx.Client(base_url=url, timeout=SECONDS)
        except httpx.InvalidURL as error:
            raise InputError(f"{url!r} is no address ({error}): give http://host:port") from error

    def send(self, source: str, body: bytes, *, secret: str, message_id: str) -> list[JobDocument]:
        """The jobs that the message's body leads to. To repeat a message, give the same id and body."""
        signed = headers(secret, message_id, int(time.time()), body)
        request = self._http.build_request(
            "POST",
            f"/api/sources/{source}/events",
            content=body,
            headers={"Content-Type": "application/json", **signed},
        )
        jobs: list[JobDocument] = self._answer(request)["jobs"]
        return jobs

    def wait(self, jobs: Iterable[JobDocument]) -> list[JobDocument]:
        """The jobs when all of them have ended."""
        return [self._ended(job["id"]) for job in jobs]

    def _ended(self, job_id: str) -> JobDocument:
        while True:
            job = self._answer(self._http.build_request("GET", f"/api/jobs/{job_id}"))
            if job["status"] in ENDED:
                return job
            time.sleep(POLL_SECONDS)

    def _answer(self, request: httpx.Request) -> JobDocument:
        try:
            response = self._http.send(request)
        except httpx.HTTPError as error:
            raise SendingError(f"{request.url} does not answer: {error or type(error).__name__}") from error
        document = _document(response)
        if response.is_success and document:
            return document
        said = f"{request.url} answers {response.status_code}: {document.get('detail', 'no JSON')}"
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            raise SendingError(said)
        raise InputError(said)


def _document(response: httpx.Response) -> JobDocument:
    try:
        document = response.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
