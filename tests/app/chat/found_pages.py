"""A site that finds the same pages for every question."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from app.chat.site_search import SiteSearch
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Certainty, Hit, Retrieval, TimeFilter
from app.search.types import IndexedPage
from tests.app.chat.pages import hit, retrieval


class FoundPages(SiteSearch):
    """Finds these hits, and notes what it was asked."""

    def __init__(
        self, *hits: Hit, keyword_hits: tuple[Hit, ...] = (), certainty: Certainty = "answered"
    ) -> None:
        self.questions: list[str] = []
        self.asked_in: list[str | None] = []
        self.keywords: list[tuple[str, ...]] = []
        self.times: list[TimeFilter] = []
        self._hits = hits
        self._keyword_hits = keyword_hits
        self._certainty: Certainty = certainty

    @classmethod
    def ranked(cls, *pages: IndexedPage) -> Self:
        """One that finds these pages, the best first."""
        return cls(*(hit(each, rank=rank) for rank, each in enumerate(pages, start=1)))

    def has_law(self, sources: frozenset[str]) -> bool:
        return any(hit.page.is_law for hit in self._hits)

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
    ) -> Retrieval:
        self.questions.append(question)
        self.asked_in.append(language)
        self.keywords.append(tuple(keywords))
        self.times.append(time)
        found = retrieval(question, *self._hits, keyword_hits=self._keyword_hits)
        return replace(found, time=time, certainty=self._certainty)
