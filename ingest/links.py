"""Makes addresses of links absolute."""

import re
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
"""Schemes of links that people can follow."""

_SPACE: Final = re.compile(r"\s+")


def absolute(href: str, url: str) -> str:
    """Return the address, made absolute against ``url``; empty if nobody could follow it."""
    href = _SPACE.sub("", href) if ":" in href.partition("/")[0] else href.strip()
    if not href or href.startswith("#"):
        return ""
    try:
        address = urljoin(url, href)
        scheme = urlsplit(address).scheme
    except ValueError:
        return ""
    return quote(address, safe="!#$%&'*+,/:;=?@[]~") if scheme in SCHEMES else ""
