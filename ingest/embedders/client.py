"""Exchanges JSON with a server that may be busy or unavailable for a moment.

Every error is an ``EmbedderUnavailableError``, refusals too: while the operator corrects key, model or
address, pages wait and questions fall back to keywords; no page fails for good. Transient errors (connection,
429, 5xx) are retried while time is left, refusals are not. Own code: docs/adr/0020-libraries-tried.md.
"""

import time
from typing import Any, Final

import httpx

from ingest.errors import EmbedderUnavailableError

FIRST_WAIT_SECONDS: Final = 0.5
CONNECT_SECONDS: Final = 5.0
MAX_ATTEMPTS: Final = 8
DETAIL_CHARACTERS: Final = 200
_REMEDIES: Final = {
    401: "check api_key",
    403: "check api_key",
    404: "check base_url (it often ends in /v1) and model",
    413: "lower batch_size",
}


class TransientError(EmbedderUnavailableError):
    """A retry may help, after ``wait`` seconds if the server sent them."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class JsonClient:
    """A client of the server at ``base_url``. Thread-safe. ``label`` begins every message."""

    def __init__(self, label: str, base_url: str, *, api_key: str, timeout_seconds: float) -> None:
        self._label = label
        self._api_key = api_key
        try:
            self._http = httpx.Client(
                base_url=base_url,
                headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
                timeout=httpx.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)),
            )
        except (httpx.InvalidURL, ValueError):  # it reads the environment, and its error repeats a password
            raise ValueError("the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is no address") from None

    def get(self, path: str, *, seconds: float) -> Any:
        """GET and return the response's JSON, within ``seconds``. Raises ``TransientError``, and other
        ``EmbedderUnavailableError`` where the server answers, but something else."""
        return self._attempt(self._http.build_request("GET", path, timeout=seconds))

    def post(self, path: str, body: object, *, retry_seconds: float, seconds: float | None = None) -> Any:
        """POST and return the response's JSON; a transient error is retried within ``retry_seconds``.

        Waits as long as the server's ``Retry-After`` (seconds), if that fits in. ``seconds``: of a request,
        instead of the client's. Raises ``EmbedderUnavailableError``.
        """
        timeout = httpx.USE_CLIENT_DEFAULT if seconds is None else seconds
        deadline = time.monotonic() + retry_seconds
        attempt = 1
        while True:
            try:
                return self._attempt(self._http.build_request("POST", path, json=body, timeout=timeout))
            except TransientError as error:
                wait = FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if error.wait is None else error.wait
                if attempt == MAX_ATTEMPTS or time.monotonic() + wait >= deadline:
                    raise
            attempt += 1
            time.sleep(wait)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _attempt(self, request: httpx.Request) -> Any:
        try:
            reply = self._http.send(request)
        except httpx.TimeoutException as error:
            raise TransientError(f"{self._label} does not answer in time: see timeout_seconds") from error
        except httpx.HTTPError as error:
            raise TransientError(
                f"{self._label} cannot be reached: {error or type(error).__name__}"
            ) from error
        if reply.status_code == 429 or reply.status_code >= 500:
            raise TransientError(
                f"{self._label} is busy or broken: {self._summary(reply)}", _retry_after(reply)
            )
        if reply.status_code != 200:
            remedy = _REMEDIES.get(reply.status_code, "check base_url and model")
            raise EmbedderUnavailableError(f"{self._label} refuses: {self._summary(reply)}; {remedy}")
        try:
            return reply.json()
        except ValueError as error:
            raise EmbedderUnavailableError(
                f"{self._label} answers something that is not JSON: check base_url (it often ends in /v1)"
            ) from error

    def _summary(self, reply: httpx.Response) -> str:
        """Return the status and the beginning of the server's message, with the key masked."""
        message = " ".join(_message(reply).split())
        if self._api_key:
            message = message.replace(self._api_key, "***")
        return f"HTTP {reply.status_code}{f' ({message[:DETAIL_CHARACTERS]})' if message else ''}"


def _message(reply: httpx.Response) -> str:
    """Read OpenAI's ``{"error": {"message": …}}`` or TEI's and Ollama's ``{"error": …}``; else empty."""
    try:
        document = reply.json()
    except ValueError:
        return ""
    error = document.get("error", "") if isinstance(document, dict) else ""
    return str(error.get("message", "") if isinstance(error, dict) else error)


def _retry_after(reply: httpx.Response) -> float | None:
    """Return the seconds in ``Retry-After``; such servers do not use its other form, a date."""
    seconds = reply.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
