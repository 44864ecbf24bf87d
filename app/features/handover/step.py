"""Sends messages, and deletes expired ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from pydantic import ValidationError

from app.errors import SendingError
from app.features.handover import mail, webhook
from app.features.handover.documents import HandoverDocument
from app.features.handover.recipient import handover_of
from app.features.handover.services import HandoverServices
from app.mail import smtp
from app.web.texts import LANGUAGES, TEXTS

if TYPE_CHECKING:
    from app.features.handover.queue import Handover
    from app.indexing.stopping import Stop
    from app.services import Services

log = structlog.get_logger(__name__)


def is_due(services: Services) -> bool:
    """Return True if a message should be sent now."""
    return services.feature(HandoverServices).queue.is_due()


def send(services: Services, stop: Stop) -> bool:
    """Send the next due message. Return True if there may be more."""
    worker, queue = services.workers.id, services.feature(HandoverServices).queue
    taken = None if stop() else queue.take(worker, services.settings.lease_seconds)
    if taken is None:
        return False
    told = {"number": taken.number, "site": taken.site, "attempts": taken.attempts}
    try:
        _deliver(services, taken)
    except SendingError as error:
        queue.postpone(taken, worker, str(error))
        log.warning("handover_waits", reason=str(error), **told)
    except Exception as error:  # postponed, so that it does not block the messages behind it
        queue.postpone(taken, worker, f"it could not be sent ({type(error).__name__})")
        raise
    else:
        queue.finish(taken.number, worker)
        log.info("handover_sent", **told)
    return True


def delete_expired(services: Services) -> None:
    """Delete the messages whose promised deletion date has come; log those that were never sent."""
    for lost in services.feature(HandoverServices).queue.expire():
        log.error("handover_lost", number=lost.number, site=lost.site, attempts=lost.attempts)


def _deliver(services: Services, handover: Handover) -> None:
    """Send a message by the current settings of its site. Raises ``SendingError``."""
    sites = {site.key: site for site in services.chat.sites.all()}
    site = sites.get(handover.site)
    settings = handover_of(site) if site else None
    if site is None or settings is None:
        raise SendingError("the site {site!r} no longer has anybody to send it to", site=handover.site)
    try:
        document = HandoverDocument.model_validate_json(handover.content)
    except ValidationError:
        raise SendingError("it can no longer be read: delete it") from None
    if settings.webhook:
        body = document.model_dump_json().encode()
        webhook.post(settings.webhook, settings.secret.get_secret_value(), handover.number, body)
        return
    server = services.settings.smtp
    texts = TEXTS[site.language if site.language in LANGUAGES else LANGUAGES[0]]
    smtp.send(mail.email_of(document, site.name or site.key, settings.email, server.sender, texts), server)
