"""Weighs one page in a search as its candidates were weighed, even if the index did not return it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.features.explain.search_trace import SearchTrace, score_parts, words_missing, words_not_in_headings
from app.presets import Thresholds
from app.search.fusion import RANKINGS, Parts, Scored, is_foreign, levelled, ranked
from app.search.index import SearchIndex
from app.search.query import qualifies
from app.search.recorder import TranslatedWords
from app.search.translations import in_one, with_more_words
from app.search.types import Candidate, IndexedPage, QuerySpec
from ingest.types import EmbeddedPage, PageRef

RIVALS: Final = 5
"""The most pages that are listed as beating the weighed one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A page that was ranked before the weighed one. ``ahead``: its lead in each part of the score.
    ``newer``: True if it was changed later, ``None`` if unknown; the score does not count this."""

    page: IndexedPage
    place: int
    score: float
    ahead: Parts
    newer: bool | None

    @property
    def strongest(self) -> str:
        """The part in which it leads most; empty if in none."""
        best = max(self.ahead, key=lambda name: self.ahead[name], default="")
        return best if best and self.ahead[best] > 0 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedPage:
    """A page in a search.

    ``search``: the number of that search in the trace. ``was_candidate``: False if no arm returned the page,
    so that ``place``, ``score`` and ``parts`` are those that it would have had. ``thresholds``: ``None`` for
    a search by words. ``place``: ``None`` if it does not qualify, or if chunks are ranked instead.
    ``limit``: how many pages the result has.
    """

    search: int
    candidate: Candidate
    thresholds: Thresholds | None
    was_candidate: bool
    is_qualified: bool
    place: int | None
    score: float
    parts: Parts
    limit: int
    words_missing: tuple[str, ...]
    words_not_in_headings: tuple[str, ...]
    rivals: tuple[Rival, ...]


_Ranked = tuple[int, float, IndexedPage]
"""A page with its place and score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighing:
    """A candidate among all that were ranked, best first, and the parts of their scores."""

    candidate: Candidate
    was_candidate: bool
    is_qualified: bool
    place: int | None
    limit: int
    order: Sequence[Scored]
    parts: Mapping[PageRef, Parts]


def weighed_page(
    index: SearchIndex, search: SearchTrace, page: PageRef | EmbeddedPage, number: int
) -> WeighedPage | None:
    """Weigh a page, which may be a draft that is not in the index, in the search with this number.

    Returns ``None`` if the index does not serve the page, or nothing was searched. The index is asked only if
    no arm returned the page. Raises ``IndexUnavailableError``."""
    spec = search.spec or (search.matched[-1].spec if search.matched else None)
    if spec is None:
        return None
    candidate = search.returned.get(page) if isinstance(page, PageRef) else None
    candidate = candidate or _asked(index, page, spec, search.translations)
    if candidate is None:
        return None
    thresholds = search.thresholds if search.spec else None
    weighing = (
        _by_meaning(search, thresholds, candidate) if thresholds else _by_words(search, spec, candidate)
    )
    served, parts = candidate.page, weighing.parts[candidate.page.ref]
    return WeighedPage(
        search=number,
        candidate=weighing.candidate,
        thresholds=thresholds,
        was_candidate=weighing.was_candidate,
        is_qualified=weighing.is_qualified,
        place=weighing.place,
        score=sum(parts.values()),
        parts=parts,
        limit=search.query.limit,
        words_missing=words_missing(served, spec.words, search),
        words_not_in_headings=words_not_in_headings(served, spec.words, search),
        rivals=tuple(_rivals(weighing)),
    )


def _asked(
    index: SearchIndex,
    page: PageRef | EmbeddedPage,
    spec: QuerySpec,
    translations: Mapping[str, TranslatedWords],
) -> Candidate | None:
    """Return the page as the index weighs it, also by the words translated into its language."""
    candidate = index.candidate(page, spec)
    words = translations.get(candidate.page.ref.language) if candidate else None
    again = index.candidate(page, replace(spec, words=in_one(words))) if words else None
    return with_more_words(again, candidate) if again else candidate


def _by_meaning(search: SearchTrace, thresholds: Thresholds, candidate: Candidate) -> _Weighing:
    ref, preset = candidate.page.ref, search.preset.question
    known = next((page for page in search.pages if page.candidate.page.ref == ref), None)
    if known is not None:
        candidate, is_qualified = known.candidate, known.is_qualified
    else:
        others = [page.candidate for page in search.pages]
        every, language = [*others, candidate], search.query.language
        candidate, foreign = levelled(every, language)[-1], is_foreign(every, language)
        is_qualified = qualifies(candidate, preset, thresholds, is_foreign=foreign)
    compared = [*(each for each in search.qualified if each.page.ref != ref), candidate]
    order = RANKINGS[preset.ranking](compared, thresholds)
    if known is not None:
        place = known.place
    else:
        place = _place(order, ref) if is_qualified and not preset.chunks else None
    return _Weighing(
        candidate=candidate,
        was_candidate=known is not None,
        is_qualified=is_qualified,
        place=place,
        limit=search.query.limit,
        order=order,
        parts=score_parts(search, compared),
    )


def _by_words(search: SearchTrace, spec: QuerySpec, candidate: Candidate) -> _Weighing:
    ref, found = candidate.page.ref, search.matched[-1].candidates
    missing = words_missing(candidate.page, spec.words, search)
    is_qualified = not missing if spec.keyword == "all" else candidate.keyword
    others = [each for each in found if each.page.ref != ref]
    order = ranked([*others, candidate], lambda each: each.coverage)
    return _Weighing(
        candidate=candidate,
        was_candidate=len(others) < len(found),
        is_qualified=is_qualified,
        place=_place(order, ref) if is_qualified else None,
        limit=search.query.limit,
        order=order,
        parts={each.page.ref: {"words": each.coverage} for _, each in order},
    )


def _place(order: Sequence[Scored], ref: PageRef) -> int:
    return 1 + [candidate.page.ref for _, candidate in order].index(ref)


def _rivals(weighing: _Weighing) -> list[Rival]:
    """Return the best of the pages before it, and the last page of the result if it is not in the result; the
    best of all pages if it has no place."""
    own = weighing.candidate.page
    before = [
        (place, score, other.page)
        for place, (score, other) in enumerate(weighing.order, start=1)
        if other.page.ref != own.ref and (weighing.place is None or place < weighing.place)
    ]
    return [
        Rival(
            page=page,
            place=place,
            score=score,
            ahead=_ahead(weighing.parts[page.ref], weighing.parts[own.ref]),
            newer=page.updated > own.updated if page.updated and own.updated else None,
        )
        for place, score, page in _first_and_last(before, weighing)
    ]


def _first_and_last(before: Sequence[_Ranked], weighing: _Weighing) -> Sequence[_Ranked]:
    last = before[weighing.limit - 1 : weighing.limit] if weighing.place else []
    return [*before[: RIVALS - 1], *last] if last and weighing.limit >= RIVALS else before[:RIVALS]


def _ahead(theirs: Parts, own: Parts) -> Parts:
    return {name: theirs.get(name, 0.0) - own.get(name, 0.0) for name in dict.fromkeys((*theirs, *own))}
