"""News for people who look after pages: the sections of their letter, which features provide."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from app.accounts.types import User
from app.settings.sites import SiteSettings


class Span(NamedTuple):
    """A period; both times in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader of news. ``language``: of the texts. ``sources``: the sources that they see; ``sites``: the
    keys of sites whose questions they see; ``None`` for all."""

    language: str
    sources: frozenset[str] | None
    sites: tuple[str, ...] | None

    @classmethod
    def of(cls, user: User, sites: Iterable[SiteSettings], language: str) -> "Reader":
        """Make a reader from a user, who sees the sites that search only the user's sources."""
        visible = tuple(site.key for site in sites if user.may_see_all(frozenset(site.sources)))
        sources = user.visible_sources
        return cls(language=language, sources=sources, sites=None if sources is None else visible)


class Line(NamedTuple):
    """One thing to do, or done. ``detail``: more about it; ``link``: a path of this service."""

    text: str
    detail: str
    link: str


class Section(NamedTuple):
    """News of one kind. ``order``: sections are sorted by it, lowest first; ``link``: the path of the page
    with all of them, empty if there is none. ``lines``: most important first; if empty, the section is left
    out."""

    order: int
    heading: str
    link: str
    lines: tuple[Line, ...]
