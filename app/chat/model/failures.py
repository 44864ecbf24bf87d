"""Turns the errors of the ``openai`` client into ``ModelError``, and decides on retries.

An endpoint's own error message is neither shown nor logged nor kept as a cause, because some messages contain
the question or a part of the API key. ``label``: names the model and its endpoint.
"""

from typing import Final

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

from app.errors import ModelError, ModelFailure
from ingest.said import Said

RETRY_SECONDS: Final = 0.5
DETAIL_CHARACTERS: Final = 200

_HINTS: Final = {
    401: Said(": check the API key"),
    403: Said(": check the API key"),
    404: Said(": check the base URL and the model's name"),
}


def failure(label: str, error: APIError) -> ModelError:
    """Return the error of a request that failed before the reply began."""
    if isinstance(error, APITimeoutError):
        return timeout(label)
    if isinstance(error, APIStatusError):
        return _refusal(label, error.status_code)
    reason = error.__cause__ or type(error).__name__
    return ModelError(
        "unreachable", "{label} cannot be reached: {reason}", label=label, reason=_shortened(str(reason))
    )


def broken_off(label: str, error: APIError) -> ModelError:
    """Return the error of a reply that failed midway."""
    if isinstance(error, APITimeoutError):
        return timeout(label)
    return ModelError("interrupted", "{label} broke off", label=label)


def timeout(label: str) -> ModelError:
    """Return the error of a missed deadline."""
    return ModelError("timeout", "{label} did not answer in time", label=label)


def is_bad_request(error: APIError) -> bool:
    """Return True if the endpoint rejected the request as invalid (HTTP 400 or 422)."""
    return isinstance(error, APIStatusError) and error.status_code in (400, 422)


def retry_wait(error: APIError) -> float | None:
    """Return the seconds to wait before a retry, or None if a retry cannot help."""
    if isinstance(error, APITimeoutError):
        return None
    if isinstance(error, APIStatusError):
        if error.status_code != 429 and error.status_code < 500:
            return None
        after = error.response.headers.get("retry-after", "")
        return float(after) if after.isascii() and after.isdigit() else RETRY_SECONDS
    return RETRY_SECONDS if isinstance(error, APIConnectionError) else None


def _refusal(label: str, status: int) -> ModelError:
    kind: ModelFailure = "refused"
    if status == 429:
        kind = "rate_limited"
    elif status >= 500:
        kind = "unreachable"
    return ModelError(
        kind,
        "{label} answered HTTP {status}{hint}",
        http_status=status,
        label=label,
        status=status,
        hint=_HINTS.get(status, ""),
    )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= DETAIL_CHARACTERS else line[:DETAIL_CHARACTERS] + "…"
