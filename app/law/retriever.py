"""Retrieval in law: search within the texts in force, extended by the units that the hits refer to.

A question that only names a text ("Article 6 AI Act") is looked up instead of searched.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final

from app.law.absent import absent_acts, is_all_absent
from app.law.annotations import UnitAnnotations, none_now
from app.law.catalogue import Catalogue
from app.law.collapse import collapsed
from app.law.linked_units import (
    LinkCandidates,
    first_available,
    whole_page_hits,
    with_definitions,
    with_links,
    with_named_pages,
    with_own_passages,
)
from app.law.points import best_points
from app.law.provisions import with_provisions
from app.law.scope import LawScopes, Scope
from app.law.units import celex_of, changes_law
from app.pages.acts import ActPages
from app.pages.store import PageStore
from app.presets import LinksPreset, Preset
from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.block_comparison import BlockComparison
from app.search.fusion import Scored
from app.search.index import SearchIndex
from app.search.intent_finder import IntentFinder
from app.search.intents import Intents, Wish
from app.search.off_topic import OffTopic
from app.search.recorder import record
from app.search.records import LookedUp
from app.search.retriever import Retriever
from app.search.scope import Results
from app.search.shown_words import ShownWords
from app.search.translations import NO_TERMS, TermTable
from app.search.types import (
    ANY_TIME,
    Candidate,
    Generation,
    Highlight,
    Hit,
    IndexedPage,
    PageMatch,
    Retrieval,
    TimeFilter,
    collection_of,
)
from app.search.word_search import WordSearch
from ingest.law.names import spoken_language
from ingest.law.parts import parts_named
from ingest.protocols import Embedder, Reranker
from ingest.types import PageRef

RECITALS: Final = 20
"""How many recitals are searched for those that explain the hits."""

RECITAL_CHARACTERS: Final = 2_000
"""How much of a recital is compared with the provisions that it may explain."""

MOST_ACTS: Final = 6
"""Of how many acts a unit is offered where the question does not say of which it is, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawSearchScope:
    """The hooks of one search (:class:`app.search.scope.SearchScope`). ``links``: which linked units to add,
    if any."""

    scope: Scope
    links: LinksPreset | None

    @property
    def hidden(self) -> frozenset[str]:
        """The collections of the texts that are not in force."""
        return self.scope.hidden

    def distinct(self, scored: Sequence[Scored], language: str | None) -> Sequence[Scored]:
        """One candidate for each unit."""
        return collapsed(scored, language)

    def ended(self, page: IndexedPage) -> date | None:
        """The day from which the page's text no longer applies; ``None`` where it still does."""
        return self.scope.ended(page)

    def extend(self, hits: tuple[Hit, ...], results: Results) -> tuple[Hit, ...]:
        """Put the units that the question names first, and link the hits to referenced units, recitals and
        definitions."""
        named = self._named(results, with_sole_act=any(celex_of(hit.page) for hit in hits[:1]))
        hits = with_named_pages(hits, named, self.scope)[: results.limit]
        if not self.links:
            return hits
        nearest = partial(self._provisions, results)
        points = partial(best_points, question=results.question, language=results.language or "")
        hits = with_provisions(hits, nearest, points, results.relevance, results.limit)
        articles = [hit.page for hit in hits[: self.links.hits] if hit.page.kind == "article"]
        found = LinkCandidates(candidates=results.candidates, recitals=self._recitals(articles, results))
        hits = with_links(hits, found, self.scope, results.pages, self.links)
        return with_own_passages(with_definitions(results.question, hits, self.scope, results.pages))

    def _named(self, results: Results, *, with_sole_act: bool) -> list[IndexedPage]:
        languages = (results.language,) if results.language else ()
        targets = self.scope.mentioned_targets(results.question, with_sole_act=with_sole_act)
        return first_available(self.scope.choices(targets, languages), results.pages)

    def _provisions(self, results: Results, recital: IndexedPage) -> tuple[Hit, ...]:
        """The two provisions nearest to a recital, in its language; none if the nearest one changes law, or
        defines words where something else is asked for, such as an amount."""
        collections = self.scope.provisions(celex_of(recital), recital.ref.language)
        text = recital.fields.get("content", "")[:RECITAL_CHARACTERS]
        found = results.hits(results.like(text, collections, 2))
        nearest = next((hit.page for hit in found), None)
        if nearest is None or changes_law(nearest):
            return ()
        return () if self.scope.is_glossary(nearest) and asked_kinds(results.question) else found

    def _recitals(self, articles: Sequence[IndexedPage], results: Results) -> list[Candidate]:
        """The best recitals of the articles' acts for the question, each in one language."""
        collections = self.scope.recitals({celex_of(page) for page in articles})
        near = results.near(collections, RECITALS)
        return [candidate for _, candidate in collapsed(near, results.language)]


class LawRetriever:
    """Retrieves pages for a question, of acts only the texts in force. Keeps no state between questions."""

    def __init__(
        self,
        retriever: Retriever,
        law: LawScopes,
        links: LinksPreset | None,
        words: WordSearch | None = None,
        wishes: IntentFinder | None = None,
    ) -> None:
        """``words``: lists pages by their words; without it none are. ``wishes``: tells what is no
        question."""
        self._retriever = retriever
        self._words = words
        self._scopes = law
        self._links = links
        self._wishes = wishes

    def now(self) -> "LawRetriever":
        """The retriever for one question: the law is as it is when it is first needed."""
        return LawRetriever(self._retriever, self._scopes.now(), self._links, self._words, self._wishes)

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ANY_TIME,
    ) -> Retrieval:
        """Search as :meth:`app.search.retriever.Retriever.retrieve` does, in the law of ``time``, by default
        of today. Raises as it does."""
        scope = self._scopes.scope(sources, time)
        retrieve = partial(
            self._retriever.retrieve,
            question,
            sources=sources,
            language=language,
            limit=limit,
            keywords=keywords,
            time=time,
        )
        if not scope.versions:
            return retrieve()
        if found := self._look_up(question, language, time, scope):
            return found
        found = retrieve(scope=LawSearchScope(scope=scope, links=self._links))
        return _with_day(_with_absent_acts(found, question, scope, language), scope)

    def look_up(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        time: TimeFilter = ANY_TIME,
        cited: Sequence[str] = (),
    ) -> Retrieval | None:
        """The text of law that the question names and asks nothing else about; ``None`` if there is none.

        A unit without an act is that of the acts among ``cited``, the ids of the pages that were read before,
        else that of every act that has it: ``other_readings`` are then the question about each of them.
        Raises as :meth:`retrieve` does.
        """
        scope = self._scopes.scope(sources, time)
        return self._look_up(question, language, time, scope, {name.partition("@")[0] for name in cited})

    def all_pages(self, sources: frozenset[str], most: int) -> list[IndexedPage]:
        """See :meth:`app.search.retriever.Retriever.all_pages`. With acts of law there are too many."""
        pages = self._retriever.all_pages(sources, most)
        return [] if any(celex_of(page) for page in pages) else pages

    def named_pages(
        self, sources: frozenset[str], ids: Collection[str], time: TimeFilter = ANY_TIME
    ) -> list[IndexedPage]:
        """See :meth:`app.search.retriever.Retriever.named_pages`. Of law only
        the texts of ``time``."""
        pages = self._retriever.named_pages(sources, ids)
        hidden = self._scopes.scope(sources, time).hidden
        return [page for page in pages if collection_of(page) not in hidden]

    def matches(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        time: TimeFilter = ANY_TIME,
        is_typing: bool = False,
    ) -> list[PageMatch]:
        """See :meth:`app.search.word_search.WordSearch.matches`. Of law only the texts of ``time``."""
        if self._words is None:
            return []
        hidden = self._scopes.scope(sources, time).hidden
        return self._words.matches(question, language, sources=sources, without=hidden, is_typing=is_typing)

    def known_words(self, sources: frozenset[str], time: TimeFilter = ANY_TIME) -> ShownWords | None:
        """The words of the pages that may be shown, by which questions are corrected; ``None`` where no pages
        are listed by their words."""
        if self._words is None:
            return None
        return self._words.known(sources, self._scopes.scope(sources, time).hidden)

    def whole_pages(
        self, refs: Sequence[PageRef], sources: frozenset[str], time: TimeFilter = ANY_TIME
    ) -> tuple[Hit, ...]:
        """The pages among ``refs`` that may be shown now, each whole."""
        return whole_page_hits(self._retriever.pages(refs), self._scopes.scope(sources, time))

    def has_law(self, sources: frozenset[str]) -> bool:
        """True if there are acts of law among the pages of ``sources``. Raises
        ``PageStoreUnavailableError``."""
        return bool(self._scopes.scope(sources).versions)

    def languages(self) -> list[str]:
        """See :meth:`app.search.retriever.Retriever.languages`."""
        return self._retriever.languages()

    def wish(
        self, question: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool
    ) -> Wish | None:
        """See :meth:`app.search.intent_finder.IntentFinder.find`. Without one every question is searched
        for."""
        if self._wishes is None:
            return None
        return self._wishes.find(question, language, sources, is_follow_up=is_follow_up)

    def similarity(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """See :meth:`app.search.retriever.Retriever.similarity`."""
        return self._retriever.similarity(question, texts)

    def highlights(self, retrieval: Retrieval, language: str | None = None) -> dict[PageRef, list[Highlight]]:
        """See :meth:`app.search.retriever.Retriever.highlights`."""
        return self._retriever.highlights(retrieval, language)

    def _look_up(
        self,
        question: str,
        language: str | None,
        time: TimeFilter,
        scope: Scope,
        read: Collection[str] = (),
    ) -> Retrieval | None:
        """``read``: the CELEX numbers of the acts that were read before."""
        targets = scope.requested_targets(question)
        if not targets:
            return None
        asked_in = analysis.question_language(question) or scope.naming_language(question)
        text_language = language or spoken_language(targets[0].celex, question) or asked_in
        choices = scope.choices(targets, (text_language,) if text_language else ())
        pages = self._retriever.pages
        named = first_available(choices, pages)
        named = [page for page in named if celex_of(page) in read] or named
        hits = whole_page_hits(named[:MOST_ACTS], scope, parts_named(question))
        if len(hits) == 1 and self._links:
            hits = with_links(hits, LinkCandidates(candidates=(), recitals=()), scope, pages, self._links)
        if not hits:
            return None
        is_clear = len(hits) == 1
        found = Retrieval(
            question=question,
            mode="lookup",
            degraded=(),
            hits=hits,
            time=time,
            certainty="answered" if is_clear else "near",
            language=asked_in or "",
            as_of=_day(hits, scope),
            other_readings=() if is_clear else scope.readings(question, map(celex_of, named[:MOST_ACTS])),
        )
        record(LookedUp, retrieval=found)
        return found


def _with_absent_acts(found: Retrieval, question: str, scope: Scope, language: str | None) -> Retrieval:
    """Name the acts that the question is about and that are not there, unless a page of a website answers."""
    if any(not celex_of(hit.page) for hit in found.hits[:1]):
        return found
    absent = absent_acts(question, scope, language, is_answered=bool(found.hits))
    certainty = "near" if is_all_absent(question, scope, absent) else found.certainty
    return replace(found, absent=absent, certainty=certainty) if absent else found


def _with_day(found: Retrieval, scope: Scope) -> Retrieval:
    return replace(found, as_of=_day(found.hits, scope))


def _day(hits: Sequence[Hit], scope: Scope) -> date | None:
    """The day whose law was searched; ``None`` where no law was found."""
    return (scope.at or scope.today) if any(celex_of(hit.page) for hit in hits) else None


def make_retriever(
    *,
    index: SearchIndex,
    store: PageStore,
    acts: ActPages,
    embedder_of: Callable[[Generation], Embedder],
    preset: Preset,
    off_topic: OffTopic,
    reranker: Reranker,
    blocks: BlockComparison | None = None,
    intents: Intents | None = None,
    terms: TermTable = NO_TERMS,
    annotations: Callable[[], UnitAnnotations] = none_now,
) -> LawRetriever:
    """Build the retriever of a preset for the pages of ``store`` in ``index``; ``acts``: those of acts of
    law; ``blocks``: compares blocks for all retrievers; ``intents``: wishes that no page answers; ``terms``:
    the translations of words; ``annotations``: what people say of units as of now."""
    search = Retriever(
        index=index,
        visibility=store,
        embedder_of=embedder_of,
        preset=preset,
        off_topic=off_topic,
        reranker=reranker,
        blocks=blocks,
        terms=terms,
        owner=store.id,
    )
    scopes = LawScopes(Catalogue(acts).versions, annotations=annotations)
    words = WordSearch(index, store.hidden)
    if intents is None:
        return LawRetriever(search, scopes, preset.question.links, words)
    wishes = IntentFinder(
        intents=intents,
        index=index,
        hidden=store.hidden,
        embedder_of=embedder_of,
        preset=preset,
        owner=store.id,
    )
    return LawRetriever(search, scopes, preset.question.links, words, wishes)
