"""The connection to Auskunft, as ``settings.AUSKUNFT`` has it."""

import base64
import binascii
from dataclasses import dataclass, fields
from typing import Final
from urllib.parse import quote, urlsplit

from django.conf import settings

MIN_SECRET_BYTES: Final = 24
PREFIX: Final = "whsec_"


class ConfigError(ValueError):
    """``settings.AUSKUNFT`` is wrong; says what to write instead."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Where pages are sent. Raises ``ConfigError``."""

    url: str
    source: str
    secret: str
    site: str = ""
    website: str = ""
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what an administrator can get wrong."""
        for name in ("url", "source", "secret", "site", "website"):
            if not isinstance(getattr(self, name), str):
                raise ConfigError(f"AUSKUNFT['{name}']: give a text")
        if not _is_address(self.url):
            raise ConfigError(
                f"AUSKUNFT['url']: {self.url!r} is no address such as https://chat.town.example"
            )
        if self.website and not _is_address(self.website):
            raise ConfigError(
                f"AUSKUNFT['website']: {self.website!r} is no address such as https://www.town.example"
            )
        if not self.source:
            raise ConfigError("AUSKUNFT['source']: give the name of the source in auskunft.toml")
        if len(_key(self.secret)) < MIN_SECRET_BYTES:
            raise ConfigError("AUSKUNFT['secret']: give the source's: whsec_ and Base64 of 24 bytes or more")

    @property
    def scheme(self) -> str:
        """How visitors reach the website."""
        return urlsplit(self.website).scheme or "https"

    def address(self, what: str) -> str:
        """Return where ``events`` are sent, or a ``draft``."""
        return f"{self.url.rstrip('/')}/api/sources/{quote(self.source, safe='')}/{what}"


def load() -> Config | None:
    """Return the connection, or ``None`` where none is configured. Raises ``ConfigError``."""
    given = getattr(settings, "AUSKUNFT", None)
    if not given:
        return None
    if not isinstance(given, dict):
        raise ConfigError("AUSKUNFT: give a dictionary with url, source and secret")
    known = {field.name for field in fields(Config)}
    if unknown := sorted(set(given) - known):
        raise ConfigError(f"AUSKUNFT: {', '.join(map(str, unknown))} is unknown")
    if missing := [name for name in ("url", "source", "secret") if not given.get(name)]:
        raise ConfigError(f"AUSKUNFT: {', '.join(missing)} is missing")
    exclude = given.get("exclude", ())
    if isinstance(exclude, str) or not all(isinstance(label, str) for label in exclude):
        raise ConfigError(
            "AUSKUNFT['exclude']: give a list of page types such as 'home.SearchPage', or of templates"
        )
    return Config(**{**given, "exclude": tuple(exclude)})


def _is_address(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX) + "==")
    except (binascii.Error, ValueError):
        return b""
