"""Secrets of people: passwords, keys of links, tokens of sessions.

Passwords are stored as Argon2id hashes with the parameters of RFC 9106's second recommendation. Keys and
tokens are 256 random bits, so a plain hash of them reveals nothing.
"""

import hashlib
import secrets
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import InputError

PASSWORD_CHARACTERS: Final = (12, 200)
"""Minimum and maximum (NIST SP 800-63B requires length and nothing else)."""

_hasher: Final = PasswordHasher()


def new_token() -> str:
    """Return 256 random bits for URLs and cookies."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return the hash of a token for storage: SHA-256, 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def password_hash(password: str, name: str) -> str:
    """Return the hash of a password for storage. Raises ``InputError`` if it is easily guessed."""
    least, most = PASSWORD_CHARACTERS
    if not least <= len(password) <= most:
        raise InputError(
            "the password has {count} characters: choose {least} to {most}",
            count=len(password),
            least=least,
            most=most,
        )
    if len(set(password)) < 5 or (len(name) > 2 and password.lower().strip("0123456789") == name.lower()):
        raise InputError(
            "the password is easy to guess: choose a combination of words that only you would think of"
        )
    return _hasher.hash(password)


def fits(password: str, stored: str | None) -> bool:
    """Return True if the ``stored`` hash is that of this password. It takes as long if there is none, so that
    nobody learns which names exist."""
    try:
        return _hasher.verify(stored or _nobodys(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    """Return the hash of a password that nobody has."""
    return _hasher.hash(secrets.token_urlsafe())
