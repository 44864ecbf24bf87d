"""Sends events and drafts to Auskunft, signed as Standard Webhooks says."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import uuid4

import requests
from django.utils.translation import gettext as _
from standardwebhooks import Webhook

from auskunft_django.config import Config

_SECONDS: Final = (5, 20)
"""To connect, and to answer."""

_DRAFT_SECONDS: Final = (5, 30)

_OF_THE_CONTENT: Final = frozenset({400, 409, 413, 422})
"""Answers about a message's content; with any other, all messages have to wait."""

_MAX_SHOWN: Final = 500


class AwayError(Exception):
    """Auskunft took no message, and would take no other one now. ``pause``: seconds, at least."""

    def __init__(self, problem: str, pause: int = 0) -> None:
        """Say what is wrong."""
        super().__init__(problem)
        self.pause = pause


class RefusedError(Exception):
    """Auskunft will never take this message."""


def send(config: Config, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Send events; return their jobs. Raises ``AwayError`` and ``RefusedError``."""
    answer = _post(config, "events", {"events": list(events)}, _SECONDS)
    if answer.status_code == 202:
        return cast(list[dict[str, Any]], _document(answer, "jobs")["jobs"])
    problem = _problem(answer)
    if answer.status_code in _OF_THE_CONTENT:
        raise RefusedError(problem)
    raise AwayError(problem, _retry_after(answer))


def ask(config: Config, draft: Mapping[str, str]) -> dict[str, Any]:
    """Return what a draft would answer, and what contradicts it. Raises ``AwayError``."""
    answer = _post(config, "draft", {name: value for name, value in draft.items() if value}, _DRAFT_SECONDS)
    if answer.status_code != 200:
        raise AwayError(_problem(answer))
    return _document(answer, "answers")


def _post(config: Config, what: str, document: Any, seconds: tuple[int, int]) -> requests.Response:
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    message, moment = f"msg_{uuid4().hex}", datetime.now(UTC)
    headers = {
        "Content-Type": "application/json",
        "webhook-id": message,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(config.secret).sign(message, moment, body),
    }
    try:
        return requests.post(
            config.address(what), body.encode(), headers=headers, timeout=seconds, allow_redirects=False
        )
    except requests.RequestException as error:
        raise AwayError(
            _("no answer from %(url)s: %(error)s") % {"url": config.url, "error": error}
        ) from error


def test(config: Config) -> None:
    """Check address, source, secret and clock; nothing is stored. Raises ``AwayError``.

    A message without events is refused for just that, but only after its signature was found right.
    """
    try:
        send(config, [])
    except RefusedError:
        return
    raise AwayError(_("%(url)s is not Auskunft") % {"url": config.url})


def _document(answer: requests.Response, name: str) -> dict[str, Any]:
    """Return what the answer says, which has ``name``. Raises ``AwayError``."""
    try:
        document: dict[str, Any] = answer.json()
        document[name]
    except (ValueError, KeyError, TypeError) as error:
        raise AwayError(_("%(url)s is not Auskunft") % {"url": answer.url}) from error
    return document


def _problem(answer: requests.Response) -> str:
    """Return status and detail of an answer."""
    try:
        document = answer.json()
        detail = document.get("detail") or document.get("title")
        fields = "; ".join(f"{field['field']}: {field['message']}" for field in document.get("fields") or ())
    except (ValueError, AttributeError, KeyError, TypeError):
        detail, fields = answer.headers.get("Location") or answer.text, ""
    said = " ".join(str(part) for part in (detail, fields) if part)
    return f"{answer.status_code} {said}"[:_MAX_SHOWN]


def _retry_after(answer: requests.Response) -> int:
    text = answer.headers.get("Retry-After", "")
    return min(int(text), 300) if text.isascii() and text.isdigit() else 0
