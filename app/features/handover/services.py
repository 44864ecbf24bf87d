"""The services of the hand-over: the queue, and sending what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from pydantic import ValidationError

from app.errors import SendingError
from app.features.handover import mail, webhook
from app.features.handover.documents import HandoverDocument
from app.features.handover.queue import Handover, HandoverQueue
from app.features.handover.recipient import handover_of
from app.lazy import lazy
from app.pages.store import utc_now
from app.web.texts import LANGUAGES, TEXTS

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services

log = structlog.get_logger(__name__)


class HandoverServices:
    """Builds the queue, and empties it."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @lazy
    def queue(self) -> HandoverQueue:
        """The messages that are to be sent, and those that were."""
        return HandoverQueue(self._services.engine, utc_now)

    @property
    def is_used(self) -> bool:
        """True if a site has messages sent."""
        return any(handover_of(site) for site in self._services.chat.sites.all())

    def send_next(self, stop: Stop) -> bool:
        """Send the message that is due first. True if there may be more."""
        worker = self._services.workers.id
        taken = None if stop() else self.queue.take(worker, self._services.settings.lease_seconds)
        if taken is None:
            return False
        told = {"number": taken.number, "site": taken.site, "attempts": taken.attempts}
        try:
            self._deliver(taken)
        except SendingError as error:
            self.queue.postpone(taken, worker, str(error))
            log.warning("handover_waits", reason=str(error), **told)
        except Exception as error:  # it waits, so that the next attempt takes those behind it
            self.queue.postpone(taken, worker, f"it could not be sent ({type(error).__name__})")
            raise
        else:
            self.queue.finish(taken.number, worker)
            log.info("handover_sent", **told)
        return True

    def delete_expired(self) -> None:
        """Delete what is older than visitors were told; what was never sent is lost then, and logged."""
        for lost in self.queue.expire():
            log.error("handover_lost", number=lost.number, site=lost.site, attempts=lost.attempts)

    def _deliver(self, handover: Handover) -> None:
        """Send a message where its site has it sent now. Raises ``SendingError``."""
        sites = {site.key: site for site in self._services.chat.sites.all()}
        site = sites.get(handover.site)
        way = handover_of(site) if site else None
        if site is None or way is None:
            raise SendingError("the site {site!r} has nobody to send it to any more", site=handover.site)
        try:
            document = HandoverDocument.model_validate_json(handover.content)
        except ValidationError:
            raise SendingError("it cannot be read any more: delete it") from None
        if way.webhook:
            body = document.model_dump_json().encode()
            webhook.post(way.webhook, way.secret.get_secret_value(), handover.number, body)
            return
        smtp = self._services.settings.smtp
        texts = TEXTS[site.language if site.language in LANGUAGES else LANGUAGES[0]]
        message = mail.email_of(document, site.name or site.key, way.email, smtp.sender, texts)
        mail.send(message, smtp)
