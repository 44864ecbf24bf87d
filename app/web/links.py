"""Addresses that pages may link to."""

from typing import Final
from urllib.parse import urlsplit

WEB_SCHEMES: Final = frozenset({"http", "https"})


def web_link(url: str) -> str:
    """The address if a browser should follow it, else nothing."""
    try:
        return url if urlsplit(url).scheme in WEB_SCHEMES else ""
    except ValueError:
        return ""
