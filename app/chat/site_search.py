"""The search of one site that answers use: its pages, its law, and the editors' decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from copy import copy
from typing import TYPE_CHECKING, Self, Unpack

from app.chat.decisions import NO_DECISION, Decision, Pin
from app.search.retrieval import Hit, Retrieval, TimeFilter
from app.search.types import IndexedPage

if TYPE_CHECKING:
    from app.presets import Preset
    from app.search.examples import Texts
    from app.search.filters import Filters
    from app.search.intents import Wish
    from app.search.site_retriever import Narrowing, SiteRetriever
    from app.settings.sites import SiteSettings


class SiteSearch(ABC):
    """A site's search. By default there are no decisions, no law and no comparison by meaning.

    Thread-safe. Methods that read pages raise ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
    """

    def now(self) -> Self:
        """Return the search for one question. Data that may change meanwhile, such as acts of law and
        editors' decisions, are read once, when first needed."""
        return self

    @abstractmethod
    def retrieve(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        """Find pages for a question that is complete without its conversation."""

    def look_up(
        self, question: str, cited: Sequence[str], **narrowing: Unpack[Narrowing]
    ) -> Retrieval | None:
        """Find the text if the question does nothing but name it, such as "Article 6 AI Act"; otherwise
        return None. ``cited``: the ids of the pages that the last answer cites."""
        return None

    def has_law(self, sources: frozenset[str]) -> bool:
        """Return True if there are acts of law among the pages of the sources."""
        return False

    def all_pages(self, sources: frozenset[str], most: int) -> Sequence[IndexedPage]:
        """Return every page of some sources; none if there are more than ``most``."""
        return ()

    def named_pages(
        self, sources: frozenset[str], ids: Collection[str], time: TimeFilter
    ) -> Sequence[IndexedPage]:
        """Return the pages of some sources with these ids that may be shown now; of law, the texts in force
        at ``time``."""
        return ()

    def near_pages(
        self, question: str, *, sources: frozenset[str], time: TimeFilter, filters: Filters
    ) -> Sequence[Hit]:
        """Return the pages that are near a question by meaning only, the nearest first."""
        return ()

    def languages(self) -> Sequence[str]:
        """Return the languages of all pages, that of most pages first."""
        return ()

    def similarity(self, question: str, texts: Texts) -> list[float] | None:
        """Return how near a question is in meaning to each of some texts: 1 the same, 0 unrelated. None if
        meaning cannot be compared."""
        return None

    def wish(
        self, question: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool
    ) -> Wish | None:
        """Return the wish that a question expresses and that no page answers, or None. ``is_follow_up``: it
        was asked in a conversation."""
        return None

    def decide(self, question: str, language: str | None) -> Decision:
        """Return what editors decided about a question."""
        return NO_DECISION

    def explained(self, question: str, language: str | None) -> str:
        """Return the question for the language model, with synonyms of its words in brackets."""
        return question

    def with_pins(
        self, retrieval: Retrieval, pins: Sequence[Pin], *, sources: frozenset[str], language: str | None
    ) -> tuple[Retrieval, tuple[int, ...]]:
        """Return the result with the pages of ``pins`` first, and the numbers of the pins whose pages
        exist."""
        return retrieval, ()


class PagesSearch(SiteSearch):
    """The search of a site with a preset's ``retriever``."""

    def __init__(self, retriever: SiteRetriever) -> None:
        self.retriever = retriever

    def now(self) -> Self:
        made = copy(self)
        made.retriever = self.retriever.now()
        return made

    def retrieve(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        return self.retriever.retrieve(question, **narrowing)

    def look_up(
        self, question: str, cited: Sequence[str], **narrowing: Unpack[Narrowing]
    ) -> Retrieval | None:
        return self.retriever.look_up(question, cited, **narrowing)

    def has_law(self, sources: frozenset[str]) -> bool:
        return self.retriever.has_field(sources)

    def all_pages(self, sources: frozenset[str], most: int) -> Sequence[IndexedPage]:
        return self.retriever.all_pages(sources, most)

    def named_pages(
        self, sources: frozenset[str], ids: Collection[str], time: TimeFilter
    ) -> Sequence[IndexedPage]:
        return self.retriever.named_pages(sources, ids, time)

    def near_pages(
        self, question: str, *, sources: frozenset[str], time: TimeFilter, filters: Filters
    ) -> Sequence[Hit]:
        return self.retriever.near_pages(question, sources=sources, time=time, filters=filters)

    def languages(self) -> Sequence[str]:
        return self.retriever.languages()

    def similarity(self, question: str, texts: Texts) -> list[float] | None:
        return self.retriever.similarity(question, texts)

    def wish(
        self, question: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool
    ) -> Wish | None:
        return self.retriever.wish(question, language, sources, is_follow_up=is_follow_up)


class NoDecisions:
    """Leaves everything to the search and the settings (:class:`app.chat.decisions.Decisions`)."""

    def site_search(self, _site: str, _preset: Preset, retriever: SiteRetriever) -> PagesSearch:
        """Return the search of the retriever."""
        return PagesSearch(retriever)

    def examples(self, site: SiteSettings) -> Sequence[tuple[str, str]]:
        """Return the examples of the settings."""
        return [(text, "") for text in site.examples]
