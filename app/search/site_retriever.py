"""The retrieval of a preset: pages for a question, by their meaning and words, and texts that it only names.

Behaviour specific to a field of knowledge, such as law, lives in ``KnowledgeField`` and is skipped if no page
belongs to one.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Required, Self, TypedDict, Unpack

from app.search.examples import Texts
from app.search.facets import Facet, Facets
from app.search.filters import Filters, admits
from app.search.intents import IntentFinder, Wish
from app.search.near_pages import NearPages
from app.search.passages import page_hit, whole_content
from app.search.retrieval import ANY_TIME, Certainty, Hit, Retrieval, TimeFilter
from app.search.retriever import Retriever
from app.search.scope import ALL_PAGES, FieldScope, KnowledgeField
from app.search.types import Highlight, IndexedPage, PageMatch, collection_of
from app.search.visibility import ShownWords
from app.search.word_search import WordSearch
from ingest.types import PageRef


class Narrowing(TypedDict, total=False):
    """The optional arguments of :meth:`app.search.retriever.Retriever.retrieve`, and its ``sources``."""

    sources: Required[frozenset[str]]
    language: str | None
    limit: int | None
    keywords: Sequence[str]
    time: TimeFilter
    filters: Filters


class SiteRetriever:
    """Retrieves pages for a question. Keeps no state between questions. Every method that asks for pages
    raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""

    def __init__(
        self,
        retriever: Retriever,
        *,
        field: KnowledgeField | None = None,
        has_pages: Callable[[], bool] = lambda: True,
        words: WordSearch | None = None,
        wishes: IntentFinder | None = None,
        facets: Facets | None = None,
        near: NearPages | None = None,
    ) -> None:
        """``field``: the field of knowledge, used once it ``has_pages``. ``words``: lists pages by their
        words; without it, none are listed. ``wishes``: recognises input that needs no search. ``facets``: of
        declared fields, if there are any. ``near``: finds pages by meaning alone; without it, none are
        found."""
        self._retriever = retriever
        self._field: Callable[[], KnowledgeField | None] = lambda: field if has_pages() else None
        self._words = words
        self._wishes = wishes
        self._facets = facets
        self._near = near

    def now(self) -> Self:
        """Return a retriever for one question. The field of knowledge and the visibility of pages are read
        when they are first needed, and stay the same until the question ends."""
        made, field = copy(self), self._field
        made._retriever = self._retriever.now()

        def now() -> KnowledgeField | None:
            known = field()
            return known.now() if known else None

        made._field = cache(now)
        return made

    def retrieve(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        """Search as :meth:`app.search.retriever.Retriever.retrieve` does; in a field of knowledge, only the
        texts of ``time`` (today's by default). However a page was found, it must pass the filters."""
        language, filters = narrowing.get("language"), narrowing.get("filters", ())
        scope = self._scope(narrowing["sources"], narrowing.get("time", ANY_TIME))
        if scope and (named := scope.look_up(question, language)) and (passing := _named(named, filters)):
            return passing
        found = self._retriever.retrieve(question, **narrowing, scope=scope or ALL_PAGES)
        return _passing(scope.completed(found, question, language), filters) if scope else found

    def look_up(
        self, question: str, cited: Sequence[str], **narrowing: Unpack[Narrowing]
    ) -> Retrieval | None:
        """Return the text that the question only names; ``None`` if there is none. ``cited``: ids of the
        pages that were cited before."""
        scope = self._scope(narrowing["sources"], narrowing.get("time", ANY_TIME))
        named = scope.look_up(question, narrowing.get("language"), cited) if scope else None
        return _named(named, narrowing.get("filters", ())) if named else None

    def all_pages(self, sources: frozenset[str], most: int) -> list[IndexedPage]:
        """See :meth:`app.search.retriever.Retriever.all_pages`. Empty if some are pages of a field of
        knowledge, which has too many."""
        pages, scope = self._retriever.all_pages(sources, most), self._scope(sources, ANY_TIME)
        return [] if scope and any(map(scope.has, pages)) else pages

    def named_pages(
        self, sources: frozenset[str], ids: Collection[str], time: TimeFilter = ANY_TIME
    ) -> list[IndexedPage]:
        """See :meth:`app.search.retriever.Retriever.named_pages`. In a field only the texts of ``time``."""
        pages, hidden = self._retriever.named_pages(sources, ids), self._hidden(sources, time)
        return [page for page in pages if collection_of(page) not in hidden]

    def matches(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
        is_typing: bool = False,
    ) -> list[PageMatch]:
        """See :meth:`app.search.word_search.WordSearch.matches`. In a field only the texts of ``time``."""
        if self._words is None:
            return []
        return self._words.matches(
            question,
            language,
            sources=sources,
            without=self._hidden(sources, time),
            filters=filters,
            is_typing=is_typing,
        )

    def near_pages(
        self,
        question: str,
        *,
        sources: frozenset[str],
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
    ) -> tuple[Hit, ...]:
        """See :meth:`app.search.near_pages.NearPages.find`. In a field only the texts of ``time``."""
        if self._near is None:
            return ()
        without = self._hidden(sources, time)
        return self._near.find(question, sources=sources, without=without, filters=filters)

    def facets(self, pages: Iterable[IndexedPage], matches: Iterable[PageMatch] = ()) -> tuple[Facet, ...]:
        return self._facets.of(pages, matches) if self._facets else ()

    def known_words(self, sources: frozenset[str], time: TimeFilter = ANY_TIME) -> ShownWords | None:
        """Return the words of the pages that may be shown, for correcting questions; ``None`` if pages are
        not listed by their words."""
        return None if self._words is None else self._words.known(sources, self._hidden(sources, time))

    def whole_pages(
        self, refs: Sequence[PageRef], sources: frozenset[str], time: TimeFilter = ANY_TIME
    ) -> tuple[Hit, ...]:
        """Return the pages among ``refs`` that may be shown now, each with its whole content."""
        scope = self._scope(sources, time) or ALL_PAGES
        pages = enumerate(self._retriever.pages(refs), start=1)
        return tuple(page_hit(page, rank, whole_content(page), scope.ended(page)) for rank, page in pages)

    def has_field(self, sources: frozenset[str]) -> bool:
        """Return True if ``sources`` have pages of the field of knowledge."""
        return self._scope(sources, ANY_TIME) is not None

    def languages(self) -> list[str]:
        return self._retriever.languages()

    def wish(
        self, question: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool
    ) -> Wish | None:
        """See :meth:`app.search.intents.IntentFinder.find`. Without a finder, every question is searched
        for."""
        if self._wishes is None:
            return None
        return self._wishes.find(question, language, sources, is_follow_up=is_follow_up)

    def similarity(self, question: str, texts: Texts) -> list[float] | None:
        return self._retriever.similarity(question, texts)

    def highlights(self, retrieval: Retrieval, language: str | None = None) -> dict[PageRef, list[Highlight]]:
        return self._retriever.highlights(retrieval, language)

    def _scope(self, sources: frozenset[str], time: TimeFilter) -> FieldScope | None:
        field = self._field()
        return field.scope(sources, time) if field else None

    def _hidden(self, sources: frozenset[str], time: TimeFilter) -> frozenset[str]:
        scope = self._scope(sources, time)
        return scope.hidden if scope else frozenset()


def _named(named: Retrieval, filters: Filters) -> Retrieval | None:
    """Return the texts that a question names and that pass the filters; ``None`` if there are none. If some
    do not pass, the question's other readings are dropped, and a single text that passes counts as meant."""
    passing = _passing(named, filters)
    if not passing.hits or len(passing.hits) == len(named.hits):
        return passing if passing.hits else None
    certainty: Certainty = "answered" if len(passing.hits) == 1 else passing.certainty
    return replace(passing, other_readings=(), certainty=certainty)


def _passing(found: Retrieval, filters: Filters) -> Retrieval:
    """Return the result without pages that do not pass, linked ones included."""
    if not filters:
        return found

    def kept(hits: Sequence[Hit]) -> tuple[Hit, ...]:
        return tuple(
            replace(hit, linked=kept(hit.linked)) for hit in hits if admits(filters, hit.page.metadata)
        )

    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept(found.hits), start=1))
    return replace(found, hits=hits, filters=filters)
