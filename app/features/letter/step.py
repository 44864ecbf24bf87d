"""Sends due letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from app.errors import SendingError
from app.features.letter.services import LetterServices
from app.features.letter.writer import LetterWriter

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services

log = structlog.get_logger(__name__)


def is_due(services: Services) -> bool:
    """Return True if a letter should be sent now."""
    return bool(services.feature(LetterServices).due())


def send(services: Services, stop: Stop) -> bool:
    """Send the next due letter. Return True if there may be more."""
    due = [] if stop() else services.feature(LetterServices).due()
    if not due:
        return False
    try:
        delivery = services.feature(LetterWriter).send(due[0])
    except SendingError as error:
        log.warning("letter_waits", reason=str(error))
    else:
        log.info("letter_delivered", outcome=delivery)
    return True


def forget(services: Services) -> None:
    """Delete the states of addresses that are no longer in the settings."""
    of_feature = services.feature(LetterServices)
    of_feature.ledger.forget(of_feature.recipients, of_feature.week)
