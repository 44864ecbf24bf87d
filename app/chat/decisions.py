"""Decisions of people about a site's answers: texts in their place, pages first, words that mean the same.

A feature makes them (:attr:`app.feature.Feature.decisions`). Without one the search and the settings decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from app.law.retriever import LawRetriever
    from app.presets import Preset
    from app.search.types import Retrieval, TimeFilter
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


class SiteDecisions(Protocol):
    """The decisions about one site, which is searched by one preset. Every method raises
    ``PageStoreUnavailableError``, those that search ``IndexUnavailableError``, too."""

    def decide(self, question: str, language: str | None) -> Decision:
        """Return what is decided about a question."""
        ...

    def explained(self, question: str, language: str | None) -> str:
        """Return the question for the language model, with other words for its own in brackets."""
        ...

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ...,
    ) -> Retrieval:
        """Search as :meth:`app.law.retriever.LawRetriever.retrieve` does, also for the other words."""
        ...

    def look_up(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None,
        time: TimeFilter,
        cited: Sequence[str] = (),
    ) -> Retrieval | None:
        """Look a text of law up as :meth:`app.law.retriever.LawRetriever.look_up` does, also by the other
        words."""
        ...

    def with_pins(
        self,
        retrieval: Retrieval,
        pins: Sequence[Pin],
        *,
        sources: frozenset[str],
        language: str | None,
    ) -> tuple[Retrieval, tuple[int, ...]]:
        """Put the pages of ``pins`` first; the result, and the numbers of the pins that there are pages
        for."""
        ...


class Decisions(Protocol):
    """The decisions about all sites."""

    def of(self, site: str, preset: Preset, retriever: LawRetriever) -> SiteDecisions | None:
        """Those about the site with this key, searched by a preset; ``None`` where nobody decides."""
        ...

    def examples(self, site: SiteSettings) -> Sequence[tuple[str, str]]:
        """The example questions of a site's chat with their languages (empty: not said), also while the page
        store is away."""
        ...


class NoDecisions:
    """Leaves everything to the search and the settings."""

    def of(self, _site: str, _preset: Preset, _retriever: LawRetriever) -> None:
        """Nobody decides."""

    def examples(self, site: SiteSettings) -> Sequence[tuple[str, str]]:
        """Those of the settings."""
        return [(text, "") for text in site.examples]
