"""News for those who look after pages: sections of their letter, as features bring them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from app.accounts.types import User
from app.settings.sites import SiteSettings


class Span(NamedTuple):
    """From when until when, both in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Whom news are for. ``language``: of their texts. ``sources``: those they see; ``sites``: the keys of
    those whose questions they see; ``None`` for all."""

    language: str
    sources: frozenset[str] | None
    sites: tuple[str, ...] | None

    @classmethod
    def of(cls, user: User, sites: Iterable[SiteSettings], language: str) -> "Reader":
        """Return a user as a reader, who sees the sites that search their sources alone."""
        visible = tuple(site.key for site in sites if user.may_see_all(frozenset(site.sources)))
        sources = user.visible_sources
        return cls(language=language, sources=sources, sites=None if sources is None else visible)


class Line(NamedTuple):
    """One thing to do, or done. ``detail``: more of it; ``link``: a path of this service."""

    text: str
    detail: str
    link: str


class Section(NamedTuple):
    """News of one kind. ``order``: the lowest stands first; ``link``: the path of the page with all of them,
    empty if there is none. ``lines``: the most important first; without any the section is left out."""

    order: int
    heading: str
    link: str
    lines: tuple[Line, ...]
