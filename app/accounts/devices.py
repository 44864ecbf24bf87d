"""Browsers that somebody has logged in with before, recognised by a cookie (OWASP, "Slow Down Online Guessing
Attacks with Device Cookies").

Log-in attempts are counted for each name, so that nobody guesses a password from many machines. But then
anybody who knows a name could lock its owner out by guessing continually, so a browser that the owner has
used is counted separately. The cookie logs nobody in. It becomes invalid with the password, because its key
is the password's hash.
"""

import hmac
import secrets
from typing import Final

MOST_CHARACTERS: Final = 200
_DIGEST: Final = "sha256"


def device_token(name: str, stored: str) -> str:
    """Return a token for a new browser of a user. ``stored``: the hash of their password."""
    number = secrets.token_urlsafe(16)
    return f"{number}.{_signature(number, name, stored)}"


def device_number(token: str, name: str, stored: str | None) -> str:
    """Return the number of the user's browser with this token; empty if the token is not theirs."""
    number, _, signature = token[:MOST_CHARACTERS].partition(".")
    expected = _signature(number, name, stored or secrets.token_urlsafe())
    is_theirs = hmac.compare_digest(signature.encode(), expected.encode())
    return number if is_theirs else ""


def _signature(number: str, name: str, stored: str) -> str:
    return hmac.new(stored.encode(), f"{number} {name}".encode("utf-8", "replace"), _DIGEST).hexdigest()
