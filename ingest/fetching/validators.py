"""Validators (ETag, Last-Modified), by which a server recognises that a page is unchanged."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """The values by which a server recognises that a page is unchanged since it was fetched.

    ``url``: where the page was fetched; at other addresses the values mean nothing. Empty: any address.
    """

    etag: str = ""
    last_modified: str = ""
    url: str = ""
