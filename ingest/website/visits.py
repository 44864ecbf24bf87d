"""Outcomes of visiting an address of a website, and the state that a later crawl needs to continue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.errors import PageError, SourceUnavailableError
from ingest.fetching.validators import Validators
from ingest.types import RawPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The address has a page."""

    address: str
    page: RawPage
    validators: Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """The page is unchanged since an earlier crawl."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """The address has no page. ``moved_to``: the page's new address on the site, if stated. ``certain``: if
    False, the page may come back, so it is not deleted. ``is_gone``: HTTP 404 or 410."""

    address: str
    why: str
    moved_to: str = ""
    certain: bool = True
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The address has something that cannot be read."""

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
    """A visit that begins now. Its outcome follows, unless the visit ends the process."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A finished visit. ``clicks``: the distance from the start; ``links``: linked addresses that still wait;
    ``words``, ``digest``, ``sketch``: as in :class:`ingest.website.pages.Text`, empty for a page that was not
    read; ``absent``: the outcome if there was no page."""

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
    """The state of an interrupted crawl. ``listed``: the addresses in its sitemaps, ``None`` if these were
    not read completely; ``reasons``: why some could not be read, with counts. ``fatal``: addresses that are
    not visited again, because reading them ended the process."""

    listed: tuple[str, ...] | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)
    steps: Sequence[Step] = ()
    fatal: frozenset[str] = frozenset()
