"""The JSON documents of search results, for API and command line."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Self

from app.chat.found_pages import FoundPage, found_pages
from app.document import Document, Rounded, Sometimes
from app.search.types import Degradation, Highlight, Retrieval, RetrievalMode, TimeFilter
from ingest.types import PageRef


class TimeDocument(Document):
    """The days that were asked about."""

    in_force_on: Sometimes[date] = None
    published_from: Sometimes[date] = None
    published_before: Sometimes[date] = None

    @classmethod
    def of(cls, time: TimeFilter) -> Self | None:
        """Describe the days; ``None`` without any."""
        if not time:
            return None
        return cls(
            in_force_on=time.at, published_from=time.published_from, published_before=time.published_before
        )


class HighlightDocument(Document):
    """A text. ``marks``: the positions of the question's words, in characters."""

    text: str
    marks: list[list[int]]


class LineDocument(HighlightDocument):
    """A line of a block as plain text."""

    listed: bool


class PassageDocument(Document):
    """A passage with its byte offsets in the field's UTF-8."""

    field: str
    start: int
    end: int
    text: str


class HitDocument(Document):
    """A page that was found. ``lines``: those of its block that matches. ``ended``: only of texts that no
    longer apply. ``highlights``: only where they were asked for."""

    rank: int
    id: str
    source: str
    language: str
    url: str
    href: str
    title: str
    heading: str
    lines: list[LineDocument]
    score: Rounded
    coverage: Rounded
    similarity: dict[str, Rounded]
    passages: list[PassageDocument]
    ended: Sometimes[date] = None
    highlights: Sometimes[list[HighlightDocument]] = None

    @classmethod
    def of(cls, found: FoundPage, highlights: Mapping[PageRef, Sequence[Highlight]] | None) -> Self:
        """Describe a page that was found, with its pieces among ``highlights``."""
        hit, ref = found.hit, found.hit.page.ref
        return cls(
            rank=hit.rank,
            id=ref.id,
            source=ref.source,
            language=ref.language,
            url=hit.page.url,
            href=found.href,
            title=hit.page.title,
            heading=found.heading,
            lines=found.lines,
            score=hit.score,
            coverage=hit.coverage,
            similarity=hit.similarity,
            passages=hit.passages,
            ended=hit.ended,
            highlights=None if highlights is None else highlights.get(ref, ()),
        )


class SearchDocument(Document):
    """The pages found for a question, in rank order. ``time``: only if the search was for one."""

    time: Sometimes[TimeDocument] = None
    question: str
    mode: RetrievalMode | None
    degraded: list[Degradation]
    hits: list[HitDocument]

    @classmethod
    def of(
        cls, retrieval: Retrieval, highlights: Mapping[PageRef, Sequence[Highlight]] | None = None
    ) -> Self:
        """Describe what a search returned, with ``highlights`` if they are given."""
        return cls(
            time=TimeDocument.of(retrieval.time),
            question=retrieval.question,
            mode=retrieval.mode,
            degraded=retrieval.degraded,
            hits=[HitDocument.of(found, highlights) for found in found_pages(retrieval, retrieval.hits)],
        )
