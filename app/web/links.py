"""The URLs that our pages may link to."""

from typing import Final
from urllib.parse import urlsplit

WEB_SCHEMES: Final = frozenset({"http", "https"})


def web_link(url: str) -> str:
    """Return the URL if it is http or https, otherwise an empty text."""
    try:
        return url if urlsplit(url).scheme in WEB_SCHEMES else ""
    except ValueError:
        return ""
