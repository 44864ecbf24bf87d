"""Errors as ``application/problem+json`` (RFC 9457): type, title, status, detail and a machine-readable code.

Client errors are described in full. Server errors are logged, and the client gets only the code, because the
messages name folders, hosts and settings.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import structlog
from apiflask import APIFlask, HTTPError
from flask import Response, current_app

from app.errors import AuskunftError, FloodError
from ingest.errors import without_pydantic_prefix

MEDIA_TYPE: Final = "application/problem+json"
SCHEMA: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "fields": {"type": "array", "items": {"type": "object"}},
    },
}

RETRY_SECONDS: Final = 30
"""The ``Retry-After`` of a 503."""

log = structlog.get_logger(__name__)


def problem(status: int, code: str, detail: str, **members: Any) -> Response:
    """Return a response with a problem document."""
    body = {
        "type": "about:blank",
        "title": _phrase(status),
        "status": status,
        "detail": detail,
        "code": code,
        **members,
    }
    return current_app.response_class(current_app.json.dumps(body), status=status, mimetype=MEDIA_TYPE)


def retry_headers(error: AuskunftError) -> dict[str, str]:
    """Return the header that says when to repeat a refused request; empty if unknown."""
    if isinstance(error, FloodError):
        return {"Retry-After": str(error.seconds)}
    if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return {"Retry-After": str(RETRY_SECONDS)}
    return {}


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI descriptions of an operation's errors."""
    content = {MEDIA_TYPE: {"schema": SCHEMA}}
    json_response: dict[int | str, dict[str, Any]] = {
        status: {"description": _phrase(status), "content": content} for status in statuses
    }
    for status in json_response.keys() & {429, 503}:
        json_response[status]["headers"] = {
            "Retry-After": {"description": "seconds", "schema": {"type": "integer"}}
        }
    return json_response


def register(app: APIFlask) -> None:
    """Turn all errors of ``app`` into problem documents."""
    app.error_processor(_from_http)
    app.register_error_handler(AuskunftError, _from_auskunft)
    app.register_error_handler(Exception, _from_unexpected)


def _from_http(error: HTTPError) -> Response:
    fields = _fields(error.detail)
    if fields:
        detail = "; ".join(f"{field['field']}: {field['message']}" for field in fields)
        return problem(error.status_code, "invalid_input", detail, fields=fields)
    title = _phrase(error.status_code)
    response = problem(error.status_code, title.lower().replace(" ", "_"), error.message or title)
    response.headers.update(error.headers)
    return response


def _fields(detail: Mapping[str, Any]) -> list[dict[str, str]]:
    """The fields that failed validation, flattened from ``{location: {field: [message]}}``."""
    return [
        {"field": "body" if field == "_schema" else field, "message": without_pydantic_prefix(message)}
        for fields in detail.values()
        for field, messages in fields.items()
        for message in messages
    ]


def _from_auskunft(error: AuskunftError) -> Response:
    if error.status < 500:
        response = problem(error.status, error.code, str(error))
    else:
        log.error("request_failed", code=error.code, message=str(error))
        response = problem(error.status, error.code, "This does not work at the moment: try again later.")
    response.headers.update(retry_headers(error))
    return response


def _from_unexpected(error: Exception) -> Response:
    log.error("request_broke", exc_info=error)
    return problem(500, "error", "Something broke here: it is logged.")


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase
