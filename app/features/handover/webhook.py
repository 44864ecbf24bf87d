"""Posts a message to a webhook, signed by Standard Webhooks."""

import time
from typing import Final

import httpx

from app.errors import SendingError
from app.settings.addresses import shown
from app.sources.signatures import headers

SECONDS: Final = 30.0


def post(address: str, secret: str, number: str, body: bytes) -> None:
    """Post ``body``; the number is the message's id, the same for each attempt. Raises ``SendingError``."""
    signed = headers(secret, number, int(time.time()), body)
    sent = {"Content-Type": "application/json", **signed}
    try:
        with httpx.stream("POST", address, content=body, headers=sent, timeout=SECONDS) as response:
            status = response.status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SendingError(
            "the webhook {address} did not answer ({reason})",
            address=shown(address),
            reason=type(error).__name__,
        ) from None
    if not httpx.codes.is_success(status):
        raise SendingError("the webhook {address} answered {status}", address=shown(address), status=status)
