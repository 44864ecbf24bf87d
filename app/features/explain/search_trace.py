"""Traces of the searches for a question, assembled from what the steps recorded. Pure functions.

Nothing is computed again: scores, cosines and ranks are those by which pages were chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Final, TypeVar

from app.presets import Preset, Thresholds
from app.search import analysis
from app.search.chunk_ranking import ScoredChunk
from app.search.fusion import PARTS, Parts
from app.search.query import Query
from app.search.recorder import (
    CandidatesFound,
    CertaintyJudged,
    ChunksRanked,
    Correction,
    LookedUp,
    PagesMatched,
    PagesRanked,
    QuestionEmbedded,
    Recorded,
    Reranked,
    SearchBegun,
    SearchEnded,
    TranslatedWords,
    WordsTranslated,
)
from app.search.retrieval import Retrieval
from app.search.types import Candidate, Generation, IndexedPage, QuerySpec
from ingest.types import PageRef

Kind = TypeVar("Kind")

SEARCH_PARTS: Final = (
    Correction,
    SearchBegun,
    QuestionEmbedded,
    WordsTranslated,
    CandidatesFound,
    ChunksRanked,
    PagesRanked,
    Reranked,
    PagesMatched,
    CertaintyJudged,
    SearchEnded,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPage:
    """A page that the index returned.

    ``is_qualified``: True if it reached a threshold or has enough of the words. ``ranks``: its place, from 1,
    among what each arm returned: fields by cosine, ``words`` by coverage. ``place``: by its score, ``None``
    if it was not ranked; ``parts``: the parts of that score. ``rank``: in the result, if it is in it.
    """

    candidate: Candidate
    is_qualified: bool
    ranks: Mapping[str, int]
    place: int | None
    score: float | None
    parts: Parts
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTrace:
    """One search.

    ``query`` and ``preset``: what was searched for, and how. ``translations``: the query's words in other
    languages of the pages. A search by meaning has ``generation``, ``thresholds``, ``spec``, and ``pages``
    (best first) or, if chunks are ranked instead, ``chunks``. ``matched``: the searches by words.
    ``distinct``: the pages that do not repeat a better one. ``reranked``: the reranker's scores."""

    asked: str
    query: Query
    preset: Preset
    corrections: tuple[Correction, ...] = ()
    translations: Mapping[str, TranslatedWords] = dataclass_field(default_factory=dict)
    generation: Generation | None = None
    thresholds: Thresholds | None = None
    spec: QuerySpec | None = None
    pages: tuple[RankedPage, ...] = ()
    chunks: tuple[ScoredChunk, ...] = ()
    matched: tuple[PagesMatched, ...] = ()
    distinct: frozenset[PageRef] = frozenset()
    reranked: tuple[float, ...] = ()
    judged: CertaintyJudged | None = None
    retrieval: Retrieval | None = None

    @property
    def returned(self) -> Mapping[PageRef, Candidate]:
        """The candidates that the index returned last: by meaning, or else by words."""
        if self.spec is not None:
            return {page.candidate.page.ref: page.candidate for page in self.pages}
        return {each.page.ref: each for each in self.matched[-1].candidates} if self.matched else {}

    @property
    def qualified(self) -> list[Candidate]:
        """The candidates that were ranked by their scores."""
        return [page.candidate for page in self.pages if page.is_qualified]


def search_traces(parts: Sequence[Recorded]) -> tuple[SearchTrace, ...]:
    """Return the searches among the parts of an answer, in order. A search that was repeated, because the
    index changed meanwhile, counts as it ended."""
    return tuple(_trace(each) for each in _searches(parts))


def looked_up(parts: Sequence[Recorded]) -> Retrieval | None:
    """Return the text that the question merely names, if it was looked up."""
    found = [each.part.retrieval for each in parts if isinstance(each.part, LookedUp)]
    return found[-1] if found else None


def words_missing(page: IndexedPage, words: Sequence[str], search: "SearchTrace") -> tuple[str, ...]:
    """Return the ``words`` of a search that the page has in no form and no translation."""
    return _missing(analysis.page_stems(page.fields, page.ref.language), page, words, search)


def words_not_in_headings(page: IndexedPage, words: Sequence[str], search: "SearchTrace") -> tuple[str, ...]:
    """Return the ``words`` that neither the page's title nor its headings have in any form or translation."""
    content = page.fields.get("content", "").splitlines()
    lines = [page.title, *(line for line in content if line.startswith("#"))]
    return _missing(analysis.tokens("\n".join(lines), page.ref.language), page, words, search)


def _missing(
    stems: Sequence[str], page: IndexedPage, words: Sequence[str], search: "SearchTrace"
) -> tuple[str, ...]:
    own = page.ref.language
    known, languages = frozenset(stems), (search.query.language or own, own)
    translations = search.translations.get(own, {})

    def is_there(word: str) -> bool:
        meant = (word, *translations.get(word, ()))
        return any(not known.isdisjoint(analysis.forms(each, languages)) for each in meant)

    return tuple(word for word in words if not is_there(word))


def arm_ranks(candidates: Sequence[Candidate]) -> dict[PageRef, dict[str, int]]:
    """Return each page's place in each arm that returned it: by cosine in a field, by coverage in words."""
    ranks: dict[PageRef, dict[str, int]] = {candidate.page.ref: {} for candidate in candidates}
    fields = dict.fromkeys(field for candidate in candidates for field in sorted(candidate.near_fields))
    for field in fields:
        near = [candidate for candidate in candidates if field in candidate.near_fields]
        near.sort(key=lambda candidate: (-candidate.similarity.get(field, -1.0), candidate.page.ref))
        for rank, candidate in enumerate(near, start=1):
            ranks[candidate.page.ref][field] = rank
    having = [candidate for candidate in candidates if candidate.keyword]
    having.sort(key=lambda candidate: (-candidate.coverage, candidate.page.ref))
    for rank, candidate in enumerate(having, start=1):
        ranks[candidate.page.ref]["words"] = rank
    return ranks


def _searches(parts: Sequence[Recorded]) -> Iterator[list[object]]:
    """Yield the parts of each search, corrections first."""
    current: list[object] = []
    for each in parts:
        if isinstance(each.part, SEARCH_PARTS):
            current.append(each.part)
        if isinstance(each.part, SearchEnded):
            yield current
            current = []


def _trace(parts: Sequence[object]) -> SearchTrace:
    [begun] = _last(parts, SearchBegun)
    trace = SearchTrace(
        asked=begun.asked,
        query=begun.query,
        preset=begun.preset,
        corrections=tuple(reversed(_all(parts, Correction))),
        translations={each.language: each.words for each in _all(parts, WordsTranslated)},
        matched=tuple(_all(parts, PagesMatched)),
        retrieval=_all(parts, SearchEnded)[-1].retrieval,
    )
    for embedded in _last(parts, QuestionEmbedded):
        trace = replace(trace, generation=embedded.generation, thresholds=embedded.thresholds)
    for scored in _last(parts, Reranked):
        trace = replace(trace, reranked=tuple(scored.scores))
    for judged in _last(parts, CertaintyJudged):
        trace = replace(trace, judged=judged)
    for found in _last(parts, ChunksRanked):
        trace = replace(trace, spec=found.spec, chunks=tuple(found.chunks))
    candidates = next(iter(_last(parts, CandidatesFound)), None)
    if candidates:
        trace = replace(trace, spec=candidates.spec)
    for ranked in _last(parts, PagesRanked):
        distinct = frozenset(candidate.page.ref for _, candidate in ranked.distinct)
        trace = replace(trace, distinct=distinct, pages=_pages(trace, candidates, ranked))
    return trace


def _all(parts: Sequence[object], kind: type[Kind]) -> list[Kind]:
    return [part for part in parts if isinstance(part, kind)]


def _last(parts: Sequence[object], kind: type[Kind]) -> list[Kind]:
    """Return a list of the last part of this kind; empty if there is none."""
    return _all(parts, kind)[-1:]


def _pages(trace: SearchTrace, found: CandidatesFound | None, ranked: PagesRanked) -> tuple[RankedPage, ...]:
    """Return the pages by score, then those that did not qualify, by the scores that they would have."""
    places = {
        candidate.page.ref: (place, score) for place, (score, candidate) in enumerate(ranked.best, start=1)
    }
    candidates = found.candidates if found else [candidate for _, candidate in ranked.best]
    qualified = {each.page.ref for each in found.qualified} if found else places.keys()
    hits = trace.retrieval.hits if trace.retrieval else ()
    ranks = {hit.page.ref: hit.rank for hit in hits}
    in_arms, parts = arm_ranks(candidates), score_parts(trace, candidates)
    pages = [
        RankedPage(
            candidate=candidate,
            is_qualified=(ref := candidate.page.ref) in qualified,
            ranks=in_arms[ref],
            place=places[ref][0] if ref in places else None,
            score=places[ref][1] if ref in places else None,
            parts=parts[ref],
            rank=ranks.get(ref),
        )
        for candidate in candidates
    ]
    last = len(candidates) + 1
    return tuple(sorted(pages, key=lambda page: (page.place or last, -sum(page.parts.values()))))


def score_parts(trace: SearchTrace, candidates: Sequence[Candidate]) -> dict[PageRef, Parts]:
    """Return the parts that add up to the score of each candidate; none if chunks were ranked, because there
    only places count."""
    if trace.thresholds is None or trace.preset.question.chunks:
        return {candidate.page.ref: {} for candidate in candidates}
    parts = PARTS[trace.preset.question.ranking](candidates, trace.thresholds)
    return {candidate.page.ref: each for candidate, each in zip(candidates, parts, strict=True)}
