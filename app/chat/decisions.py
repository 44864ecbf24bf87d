"""Decisions of people about a site's answers: texts in their place, pages first, words that mean the same.

A feature makes them (:attr:`app.feature.Feature.decisions`). Without one the search and the settings decide.
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
    """How editors took part in an answer: they wrote it, declined its subject, or put pages first.
    ``entries``: the numbers of theirs."""

    kind: CuratedKind
    entries: tuple[int, ...]

    @property
    def is_text(self) -> bool:
        """True if the answer is a text of the editors'."""
        return self.kind != "pin"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedReply:
    """What editors wrote, in Markdown: an answer, or why a subject is declined. ``number``: of their entry;
    ``contact``: whom a declined question is sent to."""

    number: int
    kind: FixedKind
    text: str
    contact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A page that editors put first. ``number``: of their entry; ``language``: of several versions this one;
    empty: the question's."""

    number: int
    source: str
    id: str
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is decided about a question: its ``reply``, if there is one; else ``pins``, the nearest first."""

    reply: FixedReply | None = None
    pins: tuple[Pin, ...] = ()


NO_DECISION: Final = Decision()


class Decisions(Protocol):
    """The decisions about all sites."""

    def site_search(self, site: str, preset: Preset, retriever: SiteRetriever) -> PagesSearch:
        """The search of the site with this key by a preset, as editors decided."""
        ...

    def examples(self, site: SiteSettings) -> Sequence[tuple[str, str]]:
        """The example questions of a site's chat with their languages (empty: not said), also while the page
        store is away."""
        ...
