"""Outcomes of visiting an address of a website."""

from dataclasses import dataclass

from ingest.errors import PageError, SourceUnavailableError
from ingest.fetching.validators import Validators
from ingest.types import RawPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """There is a page."""

    address: str
    page: RawPage
    validators: Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """There is the page that was there before."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """There is no page. ``moved_to``: the address of the site where it is said to be now; not ``certain``:
    it may come back, so that nothing follows from it. ``is_gone``: its server says so (HTTP 404 or 410)."""

    address: str
    why: str
    moved_to: str = ""
    certain: bool = True
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """There is something that cannot be read."""

    address: str
    error: PageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable:
    """The server does not answer now."""

    address: str
    error: SourceUnavailableError


Visit = Found | Same | Absent | Broken | Unreachable
