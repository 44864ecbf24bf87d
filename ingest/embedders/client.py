"""POSTs JSON to a server that may be busy or away for a moment.

Everything that goes wrong is an ``EmbedderUnavailableError``, refusals too: what the operator has to mend
(key, model, address) must keep pages waiting and let questions fall back, never fail a page for good.
Passing faults (connection, 429, 5xx) are asked again while time is left, refusals are not.
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


class _PassingError(EmbedderUnavailableError):
    """Asking again may help, after ``wait`` seconds if the server said so."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class JsonClient:
    """One address. Safe to use from several threads. ``label`` begins every message."""

    def __init__(self, label: str, url: str, *, api_key: str, timeout_seconds: float) -> None:
        self._label = label
        self._url = url
        self._api_key = api_key
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=httpx.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)),
        )

    def post(self, body: object, *, retry_seconds: float) -> Any:
        """The reply's JSON; a passing fault is asked again if that begins within ``retry_seconds``.

        A server's ``Retry-After`` (seconds) is kept where it fits in. Raises ``EmbedderUnavailableError``.
        """
        deadline = time.monotonic() + retry_seconds
        attempt = 1
        while True:
            try:
                return self._attempt(body)
            except _PassingError as fault:
                wait = FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if fault.wait is None else fault.wait
                if attempt == MAX_ATTEMPTS or time.monotonic() + wait >= deadline:
                    raise
            attempt += 1
            time.sleep(wait)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _attempt(self, body: object) -> Any:
        try:
            reply = self._http.post(self._url, json=body)
        except httpx.TimeoutException as error:
            raise _PassingError(f"{self._label} does not answer in time: see timeout_seconds") from error
        except httpx.HTTPError as error:
            raise _PassingError(
                f"{self._label} cannot be reached: {error or type(error).__name__}"
            ) from error
        if reply.status_code == 429 or reply.status_code >= 500:
            raise _PassingError(f"{self._label} is busy or broken: {self._said(reply)}", _retry_after(reply))
        if reply.status_code != 200:
            remedy = _REMEDIES.get(reply.status_code, "check base_url and model")
            raise EmbedderUnavailableError(f"{self._label} refuses: {self._said(reply)}; {remedy}")
        try:
            return reply.json()
        except ValueError as error:
            raise EmbedderUnavailableError(
                f"{self._label} answers something that is not JSON: check base_url (it often ends in /v1)"
            ) from error

    def _said(self, reply: httpx.Response) -> str:
        """The status and the beginning of what the server says, without the key."""
        said = " ".join(_message(reply).split())
        if self._api_key:
            said = said.replace(self._api_key, "***")
        return f"HTTP {reply.status_code}{f' ({said[:DETAIL_CHARACTERS]})' if said else ''}"


def _message(reply: httpx.Response) -> str:
    """OpenAI's ``{"error": {"message": …}}``, TEI's and Ollama's ``{"error": …}``; else nothing."""
    try:
        document = reply.json()
    except ValueError:
        return ""
    error = document.get("error", "") if isinstance(document, dict) else ""
    return str(error.get("message", "") if isinstance(error, dict) else error)


def _retry_after(reply: httpx.Response) -> float | None:
    """The seconds for which the server asks; its other form, a date, is not used by such servers."""
    asked = reply.headers.get("Retry-After", "")
    return float(asked) if asked.isdecimal() else None
