"""Signatures of messages as in Standard Webhooks 1.0: HMAC-SHA256 of ``id.timestamp.body``.

Own code, because the package ``standardwebhooks`` needs the body as text, raises ``ValueError`` for malformed
headers, and cannot say how far two clocks are apart.
"""

import hmac
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from app.errors import SignatureError
from app.settings.sources import key_of

ID_HEADER: Final = "webhook-id"
TIMESTAMP_HEADER: Final = "webhook-timestamp"
SIGNATURE_HEADER: Final = "webhook-signature"
TOLERANCE_SECONDS: Final = 300

HEADERS: Final = (ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER)
PARAMETERS: Final = [
    {"name": name, "in": "header", "required": True, "schema": {"type": "string"}} for name in HEADERS
]
"""The headers of a signed message, as OpenAPI describes them."""

_VERSION: Final = "v1"
_ID: Final = re.compile(r"[\x21-\x7e]{1,255}")
_TIMESTAMP: Final = re.compile(r"[0-9]{1,11}")


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers of a signed message; ``timestamp`` in seconds since 1970."""
    signature = _signature(secret, message_id, str(timestamp), body)
    return {ID_HEADER: message_id, TIMESTAMP_HEADER: str(timestamp), SIGNATURE_HEADER: signature}


def verify(secrets: Sequence[str], headers: Mapping[str, str], body: bytes, now: datetime) -> str:
    """Return the message's id if it is signed with one of ``secrets``. Raises ``SignatureError``."""
    message_id, timestamp, signatures = (_header(headers, name) for name in HEADERS)
    if not _ID.fullmatch(message_id):
        raise SignatureError(f"{ID_HEADER}: use 1 to 255 visible ASCII characters")
    _check_clock(timestamp, now)
    expected = [_signature(secret, message_id, timestamp, body).encode() for secret in secrets]
    # In bytes, because compare_digest refuses text that is not ASCII.
    given = [signature.encode() for signature in signatures.split(" ")]
    if not any(hmac.compare_digest(mine, theirs) for mine in expected for theirs in given):
        raise SignatureError(
            f"{SIGNATURE_HEADER}: no signature matches: sign '{ID_HEADER}.{TIMESTAMP_HEADER}.body' with the "
            "bytes behind whsec_ as key, and send the body byte for byte as it was signed"
        )
    return message_id


def reading_token(secret: str, source: str) -> str:
    """Return the token to read the pages of ``source``: HMAC-SHA256 of ``pages:SOURCE``, hexadecimal."""
    return hmac.digest(key_of(secret), f"pages:{source}".encode(), "sha256").hex()


def check_reading_token(secrets: Sequence[str], source: str, authorization: str) -> None:
    """Check the header ``Authorization: Bearer TOKEN``. Raises ``SignatureError``."""
    scheme, _, token = authorization.partition(" ")
    expected = [reading_token(secret, source).encode() for secret in secrets]
    given = token.strip().encode()
    if scheme.lower() != "bearer" or not any(hmac.compare_digest(mine, given) for mine in expected):
        raise SignatureError(
            "send 'Authorization: Bearer TOKEN'; TOKEN is the HMAC-SHA256 of "
            f"'pages:{source}' with the source's secret, in hexadecimal"
        )


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "").strip()
    if not value:
        raise SignatureError(f"the header {name} is missing: sign as Standard Webhooks says (docs/cms.md)")
    return value


def _check_clock(timestamp: str, now: datetime) -> None:
    if not _TIMESTAMP.fullmatch(timestamp):
        example = f"{now.timestamp():.0f}"
        raise SignatureError(f"{TIMESTAMP_HEADER}: use whole seconds since 1970, such as {example}")
    sent = int(timestamp)
    if abs(now.timestamp() - sent) > TOLERANCE_SECONDS:
        raise SignatureError(
            f"{TIMESTAMP_HEADER} {sent} is {_shown(sent)}, but here it is {now:%Y-%m-%d %H:%M:%S} UTC: "
            f"set the clock, and sign again when repeating (at most {TOLERANCE_SECONDS} s are allowed)"
        )


def _shown(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _signature(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(key_of(secret), signed, "sha256")
    return f"{_VERSION},{b64encode(digest).decode('ascii')}"
