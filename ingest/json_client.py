"""Exchanges JSON with a server that may be busy or unavailable for a moment.

Transient errors (connection, 429, 5xx) are retried while time is left; other refusals are not. Replies are
limited to ``MAX_REPLY_BYTES`` and in time. Own code because of docs/adr/0020-libraries-tried.md.
"""

import json
import time
from contextlib import closing
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from ingest.errors import AuskunftError, Value
from ingest.said import Said
from ingest.spans import span

FIRST_WAIT_SECONDS: Final = 0.5
CONNECT_SECONDS: Final = 5.0
MAX_ATTEMPTS: Final = 8
MAX_REPLY_BYTES: Final = 64_000_000
"""Twice the size of a thousand vectors of 1,536 dimensions."""

DETAIL_CHARACTERS: Final = 200


class ServerError(AuskunftError):
    """A server gives nothing usable. Users of the client translate this into an error of their own."""

    status = 503


class TransientError(ServerError):
    """A retry may help. ``wait``: the seconds to wait, if the server sent them."""

    def __init__(self, template: str, /, *, wait: float | None = None, **values: Value) -> None:
        super().__init__(template, **values)
        self.wait = wait


class JsonClient:
    """A client of the server at ``base_url``. Thread-safe. ``label`` begins every message.

    ``seconds``: the time limit of a request. ``seconds_option``, ``texts_option``: the plugin's options for
    that limit and for the number of texts in a request, which messages name as remedies.
    """

    def __init__(
        self,
        label: Said,
        base_url: str,
        *,
        api_key: str,
        seconds: float,
        seconds_option: str,
        texts_option: str,
    ) -> None:
        self._label = label
        self._api_key = api_key
        self._seconds = seconds
        self._seconds_option = seconds_option
        self._remedies = {
            401: Said("check api_key"),
            403: Said("check api_key"),
            404: Said("check base_url (it often ends in /v1) and model"),
            413: Said("lower {option}", option=texts_option),
        }
        try:
            self._http = httpx.Client(
                base_url=base_url, headers={"Authorization": f"Bearer {api_key}"} if api_key else {}
            )
        except (httpx.InvalidURL, ValueError):  # httpx reads the environment; its error repeats a password
            raise ValueError(
                "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is not an address: correct it"
            ) from None

    def get(self, path: str, *, seconds: float) -> Any:
        """GET and return the response's JSON, within ``seconds``. Raises ``TransientError``, or another
        ``ServerError`` if the server answers anything but HTTP 200 and JSON."""
        return self._attempt("GET", path, None, seconds)

    def post(self, path: str, body: object, *, retry_seconds: float, seconds: float | None = None) -> Any:
        """POST and return the response's JSON; a transient error is retried within ``retry_seconds``.

        Waits as long as the server's ``Retry-After`` (seconds) says, if that fits. ``seconds``: the limit of
        one request, instead of the client's. Raises ``ServerError``.
        """
        deadline = time.monotonic() + retry_seconds
        attempt = 1
        while True:
            try:
                with span(f"POST {path}", attempt=attempt):
                    return self._attempt("POST", path, body, self._seconds if seconds is None else seconds)
            except TransientError as error:
                wait = FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if error.wait is None else error.wait
                if attempt == MAX_ATTEMPTS or time.monotonic() + wait >= deadline:
                    raise
            attempt += 1
            time.sleep(wait)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _attempt(self, method: str, path: str, body: object, seconds: float) -> Any:
        status, headers, content = self._exchange(method, path, body, seconds)
        if status == 429 or status >= 500:
            summary = self._summary(status, content)
            raise TransientError(
                "{label} is busy or broken: {summary}",
                wait=_retry_after(headers),
                label=self._label,
                summary=summary,
            )
        if status != 200:
            remedy = self._remedies.get(status, Said("check base_url and model"))
            summary = self._summary(status, content)
            raise ServerError(
                "{label} refuses: {summary}; {remedy}", label=self._label, summary=summary, remedy=remedy
            )
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ServerError(
                "{label} sent something that is not JSON: check base_url (it often ends in /v1)",
                label=self._label,
            ) from error

    def _exchange(
        self, method: str, path: str, body: object, seconds: float
    ) -> tuple[int, httpx.Headers, bytes]:
        """Return the reply's status, headers and content."""
        deadline = time.monotonic() + seconds
        timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        request = self._http.build_request(method, path, json=body, timeout=timeout)
        try:
            with closing(self._http.send(request, stream=True)) as reply:
                return reply.status_code, reply.headers, self._content(reply, deadline)
        except httpx.TimeoutException as error:
            raise self._late() from error
        except httpx.HTTPError as error:
            raise TransientError(
                "{label} cannot be reached: {reason}",
                label=self._label,
                reason=str(error) or type(error).__name__,
            ) from error

    def _content(self, reply: httpx.Response, deadline: float) -> bytes:
        content = bytearray()
        for piece in reply.iter_bytes():
            content += piece
            if len(content) > MAX_REPLY_BYTES:
                raise ServerError(
                    "{label} sent more than {count:,} bytes", label=self._label, count=MAX_REPLY_BYTES
                )
            if time.monotonic() > deadline:
                raise self._late()
        return bytes(content)

    def _late(self) -> TransientError:
        return TransientError(
            "{label} does not answer in time: see {option}", label=self._label, option=self._seconds_option
        )

    def _summary(self, status: int, content: bytes) -> str:
        """Return the status and the beginning of the server's message, with the key masked."""
        message = " ".join(_message(content).split())
        if self._api_key:
            message = message.replace(self._api_key, "***")
        return f"HTTP {status}{f' ({message[:DETAIL_CHARACTERS]})' if message else ''}"


def server_name(base_url: str, example: str) -> str:
    """Return host and port for messages. Raises ``ValueError`` without repeating a possible password."""
    try:
        parts = urlsplit(base_url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in ("http", "https"):
        raise ValueError(f"option 'base_url': use an address such as {example}")
    if "@" in base_url or "?" in base_url:
        raise ValueError("option 'base_url' contains a name, password or key: put the key into api_key")
    return parts.netloc


def checked_key(api_key: str) -> str:
    """Return the key for a header. Raises ``ValueError`` without repeating it."""
    stripped = api_key.strip()
    if not (stripped.isascii() and stripped.isprintable()):
        raise ValueError("option 'api_key' contains characters that cannot be in a key")
    return stripped


def _message(content: bytes) -> str:
    """Return the message in OpenAI's ``{"error": {"message": …}}``, TEI's and Ollama's ``{"error": …}`` or
    Cohere's ``{"message": …}``; otherwise empty."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(document, dict):
        return ""
    error = document.get("error", document.get("message", ""))
    return str(error.get("message", "") if isinstance(error, dict) else error)


def _retry_after(headers: httpx.Headers) -> float | None:
    """Return the seconds in ``Retry-After``; these servers do not use its other form, a date."""
    seconds = headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
