"""A site that finds the same pages for every question."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.chat.site_search import SiteSearch
from app.search.filters import Filters
from app.search.types import ANY_TIME, IndexedPage, Retrieval, TimeFilter
from tests.app.chat.pages import hit, retrieval


@dataclass
class FoundPages(SiteSearch):
    """Finds these pages, always in the same order."""

    pages: Sequence[IndexedPage]

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
        return retrieval(question, *(hit(each, rank=rank) for rank, each in enumerate(self.pages, start=1)))
