"""Puts the pages first that editors pinned for a question."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, Protocol

import structlog

from app.chat.decisions import Pin
from app.errors import EmbedderUnavailableError
from app.features.curation.meaning import QuestionSpace
from app.law.linked_units import MAX_BYTES
from app.search.index import SearchIndex
from app.search.passages import around_hits, first_chunks
from app.search.query import beside_content, near_chunks
from app.search.retrieval import Hit, Retrieval, TimeFilter
from app.search.types import Candidate, IndexedPage, QuerySpec, collection_of

PAGES_OF_COLLECTION: Final = 50
"""Pages among which the chunks of a pinned page are searched for. Except in law, this covers its whole
collection."""

log = structlog.get_logger(__name__)


class NamedPages(Protocol):
    """Returns pages by id (``SiteRetriever.named_pages``)."""

    def __call__(
        self, sources: frozenset[str], ids: Collection[str], time: TimeFilter
    ) -> Sequence[IndexedPage]:
        """Return those that may be shown now. Raises ``IndexUnavailableError``."""
        ...


def pinned_pages(
    pins: Sequence[Pin],
    named_pages: NamedPages,
    *,
    site: str,
    sources: frozenset[str],
    language: str | None,
    time: TimeFilter,
) -> list[IndexedPage]:
    """Return the pages of a site's pins, without duplicates. Deleted and hidden pages are left out and
    logged."""
    available = named_pages(sources, {pin.id for pin in pins}, time) if pins else ()
    pages: dict[object, IndexedPage] = {}
    for pin in pins:
        page = _chosen(pin, available, language)
        if page is None:
            log.warning("pinned_page_missing", entry=pin.number, site=site)
        else:
            pages.setdefault(page.ref, page)
    return list(pages.values())


def _chosen(pin: Pin, available: Sequence[IndexedPage], language: str | None) -> IndexedPage | None:
    """The pinned page in the pin's language, otherwise in the question's, otherwise in any."""
    same = [
        page
        for page in available
        if (page.ref.source, page.ref.id) == (pin.source, pin.id) and pin.language in ("", page.ref.language)
    ]
    return next((page for page in same if page.ref.language == language), same[0] if same else None)


def with_pinned(
    retrieval: Retrieval,
    pages: Sequence[IndexedPage],
    index: SearchIndex,
    space: QuestionSpace | None,
    neighbours: int,
) -> Retrieval:
    """Return the result with these pages first, so that they are answered from.

    It has no more hits than before, unless there are more pinned pages. ``neighbours``: chunks on either side
    of those near the question. Raises ``IndexUnavailableError``.
    """
    known = {hit.page.ref: hit for hit in retrieval.hits}
    candidates = {} if space is None else _candidates(retrieval.question, pages, index, space)
    first = [known.get(page.ref) or _hit(page, candidates.get(page.ref), space, neighbours) for page in pages]
    refs = frozenset(page.ref for page in pages)
    others = [hit for hit in retrieval.hits if hit.page.ref not in refs]
    hits = [*first, *others][: max(len(retrieval.hits), len(first))]
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
    return replace(retrieval, hits=ranked, keyword_hits=(), certainty="answered", about=refs)


def _candidates(
    question: str, pages: Sequence[IndexedPage], index: SearchIndex, space: QuestionSpace
) -> dict[object, Candidate]:
    """The pages with their chunks near the question."""
    try:
        vector = space.passage_vector(question)
    except EmbedderUnavailableError as error:
        log.warning("pins_not_compared", message=str(error))
        return {}
    spec = QuerySpec(
        words=(),
        sources=frozenset(page.ref.source for page in pages),
        vector=vector,
        k={"content": PAGES_OF_COLLECTION},
        keyword="none",
        within=frozenset(collection_of(page) for page in pages),
    )
    return {candidate.page.ref: candidate for candidate in index.search(spec)}


def _hit(page: IndexedPage, candidate: Candidate | None, space: QuestionSpace | None, neighbours: int) -> Hit:
    """A hit for a page that the search did not return. ``candidate``: its chunks near the question."""
    found = Hit(rank=1, page=page, score=0.0, coverage=0.0, similarity={}, passages=())
    if candidate is None or space is None:
        return replace(found, passages=first_chunks(page, MAX_BYTES))
    return replace(
        found,
        coverage=candidate.coverage,
        similarity=candidate.similarity,
        passages=around_hits(candidate, space.thresholds, neighbours, searched={"content"}),
        near_chunks=near_chunks(candidate, space.thresholds),
        field_relevances=beside_content(candidate, space.thresholds),
    )
