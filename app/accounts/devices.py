"""Browsers that somebody has logged in with before, told by a cookie (OWASP, "Slow Down Online Guessing
Attacks with Device Cookies").

Attempts to log in are counted for each name, so that nobody guesses a password from many machines. Whoever
knows a name could keep its owner out by guessing on and on: so a browser that its owner has used is
counted by itself. The cookie lets nobody in, and ends with the password: its key is the password's hash.
"""

import hmac
import secrets
from typing import Final

MOST_CHARACTERS: Final = 200
_DIGEST: Final = "sha256"


def device_token(name: str, stored: str) -> str:
    """Return a new browser's token for a user. ``stored``: the hash of their password."""
    number = secrets.token_urlsafe(16)
    return f"{number}.{_signature(number, name, stored)}"


def device_number(token: str, name: str, stored: str | None) -> str:
    """Return which browser of the user's this is; empty if it is none."""
    number, _, signature = token[:MOST_CHARACTERS].partition(".")
    expected = _signature(number, name, stored or secrets.token_urlsafe())
    is_theirs = hmac.compare_digest(signature.encode(), expected.encode())
    return number if is_theirs else ""


def _signature(number: str, name: str, stored: str) -> str:
    return hmac.new(stored.encode(), f"{number} {name}".encode("utf-8", "replace"), _DIGEST).hexdigest()
