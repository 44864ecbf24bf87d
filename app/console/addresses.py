"""Addresses of the console and its pages."""

from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

PREFIX: Final = "/admin"


def own_page(wanted: str) -> str:
    """Return the path and query of the wanted address if it is a page of the console, otherwise an empty
    text."""
    parts = _parts(wanted)
    is_ours = not parts.scheme and not parts.netloc and parts.path.startswith(f"{PREFIX}/")
    leads_out = "\\" in wanted or ".." in map(unquote, parts.path.split("/"))
    return wanted if is_ours and not leads_out and wanted.isprintable() else ""


def page_of(address: str) -> str:
    """Return the path and query of an address on any host if they are those of a console page; else empty."""
    parts = _parts(address)
    return own_page(urlunsplit(("", "", parts.path, parts.query, "")))


def _parts(address: str) -> SplitResult:
    """The parts of an address; empty if it is invalid, such as ``//[``."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
