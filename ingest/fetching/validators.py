"""Validators (ETag, Last-Modified) by which a server tells that a page is still the same."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """By what a server tells whether a page is still the one that was fetched.

    ``url``: where it was fetched; at any other address they say nothing. Empty: at the one asked for.
    """

    etag: str = ""
    last_modified: str = ""
    url: str = ""
