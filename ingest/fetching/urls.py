"""Checks addresses to fetch: ``http`` or ``https``, a host, nothing that parsers read in different ways."""

import re
from typing import Final

import httpx

from ingest.errors import BlockedAddressError

MAX_CHARACTERS: Final = 4_096
SHOWN_CHARACTERS: Final = 120
_AMBIGUOUS: Final = re.compile(r"[\\\s\x00-\x20\x7f-\x9f\ud800-\udfff]")

_USERINFO: Final = re.compile(r"//.*@", re.DOTALL)
"""Up to the last @, because a password may contain any character."""


def checked(url: str) -> httpx.URL:
    """Parse and check ``url``; drop its fragment. Raises ``BlockedAddressError``."""
    if len(url) > MAX_CHARACTERS:
        raise BlockedAddressError(
            "{where}…: the address is longer than {count:,} characters",
            where=shown(url),
            count=MAX_CHARACTERS,
        )
    if _AMBIGUOUS.search(url):
        raise BlockedAddressError(
            "{where}: the address contains a backslash, space or control character", where=shown(url)
        )
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:  # idna and the standard library raise ValueErrors
        raise BlockedAddressError("{where}: this address cannot be fetched", where=shown(url)) from error
    if parsed.scheme not in ("http", "https") or not parsed.raw_host:
        raise BlockedAddressError(
            "{where}: use an address that begins with http:// or https://", where=shown(url)
        )
    if parsed.userinfo:
        raise BlockedAddressError("{where}: the address contains a name or password", where=shown(url))
    return parsed.copy_with(fragment=None)


def redirected(url: httpx.URL, location: str) -> httpx.URL:
    """Return the checked target of a redirect from ``url``. Raises ``BlockedAddressError``."""
    if _AMBIGUOUS.search(location):
        raise BlockedAddressError(
            "{where} redirects to an address with a backslash or space", where=shown(str(url))
        )
    try:
        target = checked(str(url.join(location)))
    except (httpx.InvalidURL, ValueError) as error:
        raise BlockedAddressError(
            "{where} redirects to something that is not an address", where=shown(str(url))
        ) from error
    if url.scheme == "https" and target.scheme == "http":
        raise BlockedAddressError(
            "{where} redirects from https to http: use the final address", where=shown(str(url))
        )
    return target


def shown(url: str) -> str:
    """Return an address for messages: one short line, without name, password and query (may be secret)."""
    plain = _USERINFO.sub("//…@", url).partition("?")[0][:SHOWN_CHARACTERS]
    return "".join(c if c.isprintable() else "?" for c in plain)
