"""Law as a field of knowledge: search in the texts in force, with the units that the hits refer to.

A question that only names a text ("Article 6 AI Act") is looked up instead of searched for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final

from app.law.absent import absent_acts, is_all_absent
from app.law.collapse import collapsed
from app.law.linked_units import (
    LinkCandidates,
    ReadPages,
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
from app.presets import LinksPreset
from app.search.answer_kinds import asked_kinds
from app.search.fusion import Scored
from app.search.languages import question_language
from app.search.recorder import LookedUp, record
from app.search.retrieval import Hit, Retrieval, TimeFilter
from app.search.scope import Results
from app.search.types import Candidate, IndexedPage
from ingest.law.names import spoken_language
from ingest.law.parts import parts_named

RECITALS: Final = 20
"""The number of nearest recitals from which those that explain the hits are chosen."""

RECITAL_CHARACTERS: Final = 2_000
"""The beginning of a recital that is compared with the provisions it may explain."""

MOST_ACTS: Final = 6
"""The most acts offered, the latest ones, if a question names a unit without its act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawSearchScope:
    """The hooks of one search (:class:`app.search.scope.FieldScope`). ``links``: the linked units to add, if
    any. ``time``: of the law that is searched. ``pages``: loads the pages that may be shown."""

    scope: Scope
    links: LinksPreset | None
    time: TimeFilter
    pages: ReadPages

    @property
    def hidden(self) -> frozenset[str]:
        """The collections of the texts that are not in force."""
        return self.scope.hidden

    def distinct(self, scored: Sequence[Scored], language: str | None) -> Sequence[Scored]:
        """Return one candidate for each unit."""
        return collapsed(scored, language)

    def ended(self, page: IndexedPage) -> date | None:
        """Return the day from which the page's text no longer applies; ``None`` if it still does."""
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
        """Return the two provisions nearest to a recital, in its language; empty if the nearest one changes
        law, or if it defines terms although the question asks for something else, such as an amount."""
        collections = self.scope.provisions(celex_of(recital), recital.ref.language)
        text = recital.fields.get("content", "")[:RECITAL_CHARACTERS]
        found = results.hits(results.like(text, collections, 2))
        nearest = next((hit.page for hit in found), None)
        if nearest is None or changes_law(nearest):
            return ()
        return () if self.scope.is_glossary(nearest) and asked_kinds(results.question) else found

    def _recitals(self, articles: Sequence[IndexedPage], results: Results) -> list[Candidate]:
        """Return the best recitals of the articles' acts for the question, each in one language."""
        collections = self.scope.recitals({celex_of(page) for page in articles})
        near = results.near(collections, RECITALS)
        return [candidate for _, candidate in collapsed(near, results.language)]

    def look_up(self, question: str, language: str | None, cited: Sequence[str] = ()) -> Retrieval | None:
        """Return the text of law that the question only names; ``None`` if there is none.

        A unit without an act is looked up in the acts of ``cited`` (ids of the pages cited before), otherwise
        in every act that has it. ``other_readings`` then contains the question about each of them.
        """
        scope, targets = self.scope, self.scope.requested_targets(question)
        if not targets:
            return None
        asked_in = question_language(question) or scope.naming_language(question)
        text_language = language or spoken_language(targets[0].celex, question) or asked_in
        choices = scope.choices(targets, (text_language,) if text_language else ())
        named, read = first_available(choices, self.pages), {name.partition("@")[0] for name in cited}
        named = [page for page in named if celex_of(page) in read] or named
        hits = whole_page_hits(named[:MOST_ACTS], scope, parts_named(question))
        if len(hits) == 1 and self.links:
            hits = with_links(hits, LinkCandidates(candidates=(), recitals=()), scope, self.pages, self.links)
        if not hits:
            return None
        is_clear = len(hits) == 1
        found = Retrieval(
            question=question,
            mode="lookup",
            degraded=(),
            hits=hits,
            time=self.time,
            certainty="answered" if is_clear else "near",
            language=asked_in or "",
            as_of=_day(hits, scope),
            other_readings=() if is_clear else scope.readings(question, map(celex_of, named[:MOST_ACTS])),
        )
        record(LookedUp, retrieval=found)
        return found

    def has(self, page: IndexedPage) -> bool:
        """Return True for an act and its units."""
        return bool(celex_of(page))

    def completed(self, found: Retrieval, question: str, language: str | None) -> Retrieval:
        """Return the result with the absent acts that the question is about, and the day whose law was
        searched."""
        return replace(
            _with_absent_acts(found, question, self.scope, language), as_of=_day(found.hits, self.scope)
        )


class LawField:
    """Law as a field of knowledge (:class:`app.search.scope.KnowledgeField`)."""

    def __init__(self, scopes: LawScopes, links: LinksPreset | None, pages: ReadPages) -> None:
        self._scopes = scopes
        self._links = links
        self._pages = pages

    def now(self) -> "LawField":
        """Return the field for one question; its state is read when it is first needed, and does not change
        after that."""
        return LawField(self._scopes.now(), self._links, self._pages)

    def scope(self, sources: frozenset[str], time: TimeFilter) -> LawSearchScope | None:
        """Return the scope of the texts in force at ``time``, today by default; ``None`` if the sources have
        no act. Raises ``PageStoreUnavailableError``."""
        scope = self._scopes.scope(sources, time)
        if not scope.versions:
            return None
        return LawSearchScope(scope=scope, links=self._links, time=time, pages=self._pages)


def _with_absent_acts(found: Retrieval, question: str, scope: Scope, language: str | None) -> Retrieval:
    """Add the absent acts that the question is about, unless the best page is one of a website."""
    if any(not celex_of(hit.page) for hit in found.hits[:1]):
        return found
    absent = absent_acts(question, scope, language, is_answered=bool(found.hits))
    certainty = "near" if is_all_absent(question, scope, absent) else found.certainty
    return replace(found, absent=absent, certainty=certainty) if absent else found


def _day(hits: Sequence[Hit], scope: Scope) -> date | None:
    """Return the day whose law was searched; ``None`` if no law was found."""
    return (scope.at or scope.today) if any(celex_of(hit.page) for hit in hits) else None
