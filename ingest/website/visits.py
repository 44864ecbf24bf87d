"""Outcomes of visiting an address of a website, and what a later crawl needs of them to go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A visit that begins now; its outcome follows unless it ends the process."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A visit that is over. ``clicks``: how far from the start; ``links``: where it led that was not visited
    yet; ``words``, ``digest``, ``sketch``: of the text (:class:`ingest.website.pages.Text`), empty for a page
    that was not read; ``absent``: there was no page."""

    address: str
    clicks: int = 0
    links: tuple[str, ...] = ()
    words: int = 0
    digest: str = ""
    sketch: frozenset[int] = frozenset()
    absent: Absent | None = None
    is_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """The state of an earlier crawl that was stopped. ``listed``: the addresses of its sitemaps, ``None`` if
    they were not read to their end; ``reasons``: why some could not be read, counted. ``fatal``: addresses
    that are not visited, as reading them ended its process."""

    listed: tuple[str, ...] | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)
    steps: Sequence[Step] = ()
    fatal: frozenset[str] = frozenset()
