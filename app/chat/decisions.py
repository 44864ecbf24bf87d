"""Decisions of editors about a site's answers: fixed replies, pinned pages, synonyms.

A feature provides them (:attr:`app.feature.Feature.decisions`); without it, search and settings decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from app.chat.site_search import PagesSearch
    from app.presets import Preset
    from app.search.site_retriever import SiteRetriever
    from app.settings.sites import SiteSettings

FixedKind = Literal["answer", "blocked"]
CuratedKind = Literal[FixedKind, "pin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """The editors' part in an answer: they wrote it, declined its subject, or pinned pages. ``entries``: the
    numbers of their entries."""

    kind: CuratedKind
    entries: tuple[int, ...]

    @property
    def is_text(self) -> bool:
        """True if editors wrote the answer's text."""
        return self.kind != "pin"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedReply:
    """A text by editors, in Markdown: an answer, or why a subject is declined. ``number``: their entry's;
    ``contact``: for questions on a declined subject."""

    number: int
    kind: FixedKind
    text: str
    contact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A page that editors put first. ``number``: their entry's; ``language``: the version to use, empty for
    that in the question's language."""

    number: int
    source: str
    id: str
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision about a question: a ``reply``, or otherwise ``pins``, the nearest first."""

    reply: FixedReply | None = None
    pins: tuple[Pin, ...] = ()


NO_DECISION: Final = Decision()


class Decisions(Protocol):
    """The decisions about all sites."""

    def site_search(self, site: str, preset: Preset, retriever: SiteRetriever) -> PagesSearch:
        """Return the search of the site with this key by a preset, with the editors' decisions."""

    def examples(self, site: SiteSettings) -> Sequence[tuple[str, str]]:
        """Return the example questions of a site's chat with their languages (empty: not given), even while
        the page store is down."""
