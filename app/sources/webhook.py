"""Receives webhook messages from a CMS: checks signature, rate limit and events, then stores the changes.

A refused message leaves nothing behind; an accepted one is committed before the response is sent.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_hex
from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from app.errors import AuskunftError, ForbiddenError, NotFoundError
from app.pages.database import utc_now
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
from app.pages.types import Announcement, Delivery, JobDocument, PageRecord
from app.queue.tasks import Queue
from app.settings.sources import SourceSettings
from app.sources.events import changes_of
from app.sources.factory import can_be_pulled
from app.sources.rate_limit import RateLimiter
from app.sources.signatures import check_reading_token, verify
from app.sources.signatures import headers as signed_headers
from ingest.types import Change

PRIORITY: Final = 10
"""Above imports, because an editor waits for the page."""

DRAFTS_PER_MINUTE: Final = 30
"""Limit for each source in this process, because each draft may take seconds."""

_EVENT: Final = json.dumps(
    {
        "type": "page.saved",
        "id": "rehearsal",
        "language": "en",
        "url": "https://rehearsal.example/",
        "title": "Rehearsal",
        "html": "<p>This page is stored nowhere.</p>",
    }
).encode()

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """The result that a message signed with a secret would have. ``secret``: its number in the settings, from
    1. ``problem``: why the message would be refused; empty if it would be accepted."""

    secret: int
    problem: str


@dataclass(kw_only=True, eq=False)
class WebhookReceiver:
    """Receives messages of the configured ``sources`` and reports the status of their pages. ``declared``:
    the names of metadata that messages may have."""

    deliveries: Deliveries
    page_list: PageList
    queue: Queue
    sources: Mapping[str, SourceSettings]
    rate_limiter: RateLimiter
    declared: Collection[str] = ()
    clock: Callable[[], datetime] = utc_now
    _pullable: dict[str, bool] = field(default_factory=dict, init=False)

    def receive(self, source: str, headers: Mapping[str, str], body: bytes) -> list[JobDocument]:
        """Accept a message as a whole; a repeated one returns the jobs of the first.

        ``headers``: with lower-case names, or a case-insensitive mapping. Raises ``NotFoundError``,
        ``ForbiddenError``, ``SignatureError``, ``FloodError``, ``InputError``, ``EventsError`` and
        ``ConflictError``, and what the page store raises.
        """
        message_id, changes = self._read(source, headers, body)
        with bound_contextvars(source=source, delivery=message_id):
            delivery = Delivery(source=source, id=message_id, digest=hashlib.sha256(body).hexdigest())
            jobs = self.deliveries.accept(delivery, changes, priority=PRIORITY)
            log.info("delivery_accepted", jobs=len(jobs))
            self.queue.wake(len(jobs))
        return jobs

    def admit_draft(self, source: str, headers: Mapping[str, str], body: bytes) -> None:
        """Check that a draft is signed like a message, and within the rate limit. Nothing is stored.

        Raises ``NotFoundError``, ``ForbiddenError``, ``SignatureError`` and ``FloodError``.
        """
        verify(self._secrets(source), headers, body, self.clock())
        self.rate_limiter.hit(f"{source} drafts", DRAFTS_PER_MINUTE)

    def rehearse(self, source: str) -> list[Rehearsal]:
        """Sign a made-up event with each of the source's secrets, and check it as a message is checked.

        Nothing is stored: no page, job or message. It counts towards the rate limit. Raises
        ``NotFoundError``, and ``ForbiddenError`` for a source without secrets.
        """
        return [
            Rehearsal(secret=number, problem=self._refusal(source, secret))
            for number, secret in enumerate(self._secrets(source), start=1)
        ]

    def states(self, source: str, authorization: str, page_id: str) -> list[PageRecord]:
        """Return the status of a page in each of its languages.

        Raises ``NotFoundError``, ``ForbiddenError`` and ``SignatureError``.
        """
        check_reading_token(self._secrets(source), source, authorization)
        rows = self.page_list.languages_of(source, page_id)
        if not rows:
            raise NotFoundError(f"no page has the id {page_id!r} in source {source!r}")
        return rows

    def _read(
        self, source: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[str, list[Change | Announcement]]:
        """Check a message's signature and the rate limit; return its id and its changes."""
        message_id = verify(self._secrets(source), headers, body, self.clock())
        with bound_contextvars(source=source, delivery=message_id):
            self.rate_limiter.hit(source, self.sources[source].events_per_minute)
            return message_id, changes_of(
                source, body, can_pull=self._can_pull(source), declared=self.declared
            )

    def _refusal(self, source: str, secret: str) -> str:
        message_id, now = f"rehearsal_{token_hex(8)}", int(self.clock().timestamp())
        try:
            self._read(source, signed_headers(secret, message_id, now, _EVENT), _EVENT)
        except AuskunftError as error:
            return str(error)
        return ""

    def _can_pull(self, source: str) -> bool:
        if source not in self._pullable:  # listing the plugins takes long
            self._pullable[source] = can_be_pulled(self.sources[source])
        return self._pullable[source]

    def _secrets(self, source: str) -> list[str]:
        settings = self.sources.get(source)
        if settings is None:
            log.warning("message_of_unknown_source", source=source[:64], known=sorted(self.sources))
            raise NotFoundError("no source of this name is configured")
        if not settings.secrets:
            remedy = f"set secrets in [sources.{source}] in auskunft.toml"
            log.warning("message_of_source_without_secrets", source=source, remedy=remedy)
            raise ForbiddenError("this source does not accept messages")
        return [secret.get_secret_value() for secret in settings.secrets]
