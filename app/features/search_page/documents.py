"""The search page's list as JSON: requests and responses."""

from collections.abc import Mapping
from datetime import date
from typing import Self

from pydantic import Field

from app.api.schemas import Day, FilterQuery, Index, Language, Text
from app.chat.documents import TimeDocument
from app.chat.facet_documents import FacetDocument, facet_documents
from app.chat.found_pages import FoundPage, marked_title
from app.document import Document, Sometimes
from app.features.search_page.page_list import PageList
from app.search.retrieval import Degradation, RetrievalMode
from app.settings.fields import FieldSettings


class SearchPagesQuery(FilterQuery):
    """The query of ``GET /api/search/pages``."""

    q: Text = Field(min_length=1, description="what is looked for")
    index: Index | None = None
    source: Text | None = Field(default=None, max_length=64, description="pages of this source only")
    written_in: Language | None = Field(default=None, description="pages in this language only")
    kind: Text | None = Field(default=None, max_length=200, description="pages of this kind only")
    page: int = Field(default=1, ge=1, le=1_000, description="the part of the list")
    typing: bool = Field(default=False, description="by words alone, the last of which may go on")
    language: Language | None = None
    at: Day | None = None


class PiecesDocument(Document):
    """A line of a block in pieces of plain text; every second one is marked."""

    pieces: list[str]
    listed: bool


class FoundPageDocument(Document):
    """A page on a search page. Texts come in pieces, so that clients need not count characters."""

    id: str
    source: str
    language: str
    kind: str
    updated: date | None
    href: str
    path: str
    title: list[str]
    heading: str
    lines: list[PiecesDocument]
    ended: Sometimes[date] = None

    @classmethod
    def of(cls, found: FoundPage, question: str) -> Self:
        """Describe a page found for a question."""
        page = found.hit.page
        return cls.from_objects(
            page.ref,
            found,
            kind=page.kind,
            updated=page.updated.date() if page.updated else None,
            title=marked_title(found, question).strings,
            lines=[PiecesDocument(pieces=line.strings, listed=line.listed) for line in found.lines],
            ended=found.hit.ended,
        )


class FiltersDocument(Document):
    """The number of pages that each choice would leave."""

    source: dict[str, int]
    language: dict[str, int]
    kind: dict[str, int]


class SearchPageDocument(Document):
    """One page of a list of pages. ``time``: only if the search was for a time."""

    time: Sometimes[TimeDocument] = None
    asked: str
    question: str
    suggestion: str | None
    mode: RetrievalMode | None
    degraded: list[Degradation]
    count: int
    more: bool
    page: int
    pages: int
    filters: FiltersDocument
    facets: Sometimes[list[FacetDocument]] = None
    hits: list[FoundPageDocument]

    @classmethod
    def of(cls, found: PageList, fields: Mapping[str, FieldSettings]) -> Self:
        """Describe one page of the list, with the facets of the declared ``fields``."""
        return cls.from_objects(
            found,
            found.retrieval,
            time=TimeDocument.of(found.retrieval.time),
            more=found.is_more,
            page=found.number,
            pages=found.last,
            facets=facet_documents(found.facets, fields),
            hits=[FoundPageDocument.of(page, found.question) for page in found.pages],
        )
