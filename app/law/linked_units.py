"""Extends hits by the units that they refer to, by recitals that explain them, and by definitions of the
question's terms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.law.links import Target
from app.law.scope import Scope
from app.law.units import celex_of
from app.presets import LinksPreset
from app.search.passages import first_chunks, merged_passages, page_hit, slices, whole_content
from app.search.retrieval import Hit, LinkKind, NearChunk, Passage
from app.search.types import Candidate, IndexedPage
from ingest.law.definitions import definitions
from ingest.law.parts import part_span
from ingest.types import PageRef

RECITALS_PER_ACT: Final = 2
"""The most recitals of an act that are added to its first article."""

MAX_BYTES: Final = 8_000
"""The most bytes of a page that is added to the hits, because a long annex must leave room for them."""

ReadPages = Callable[[Sequence[PageRef]], Sequence[IndexedPage]]
"""Loads pages, without those that must not be shown."""


def first_available(choices: Sequence[Sequence[PageRef]], read: ReadPages) -> list[IndexedPage]:
    """Return the first available page of each list of choices, without duplicates. All are loaded at once."""
    return _first_of(choices, _available(choices, read))


def added_hit(page: IndexedPage, scope: Scope, rank: int, passages: tuple[Passage, ...] = ()) -> Hit:
    """Return a hit for a page that the search did not return, with these passages or the beginning of its
    text."""
    return page_hit(page, rank, passages or first_chunks(page, MAX_BYTES), scope.ended(page))


def _linked_hit(
    page: IndexedPage, candidate: Candidate | None, scope: Scope, rank: int, most_bytes: int
) -> Hit:
    """Return a hit for a page that accompanies another hit, with its scores if the search returned it."""
    hit = added_hit(page, scope, rank, first_chunks(page, most_bytes))
    return replace(hit, coverage=candidate.coverage, similarity=candidate.similarity) if candidate else hit


def with_own_passages(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits. A linked page that is also a hit gets the hit's scores and passages, because the
    prompt contains a page only once."""
    own = {hit.page.ref: hit for hit in hits}
    return tuple(
        replace(hit, linked=tuple(_merged(linked, own.get(linked.page.ref)) for linked in hit.linked))
        for hit in hits
    )


def _merged(linked: Hit, own: Hit | None) -> Hit:
    if own is None:
        return linked
    passages = merged_passages(own.page, (*linked.passages, *own.passages))
    return replace(own, passages=passages, linked=(), link=linked.link)


def whole_page_hits(
    pages: Sequence[IndexedPage], scope: Scope, parts: tuple[str, ...] = ()
) -> tuple[Hit, ...]:
    """Return hits for pages that the question names, each with its whole text. The paragraph or point that is
    named (``parts``, see :mod:`ingest.law.parts`) is its near chunk."""
    hits = (added_hit(page, scope, rank, whole_content(page)) for rank, page in enumerate(pages, start=1))
    return tuple(replace(hit, near_chunks=_near_part(hit.page, parts)) for hit in hits)


def _near_part(page: IndexedPage, parts: tuple[str, ...]) -> tuple[NearChunk, ...]:
    span = part_span(page.fields.get("content", ""), parts)
    found = slices(page, "content", [span] if span else ())
    return tuple(NearChunk(start=each.start, end=each.end, relevance=1.0) for each in found)


def with_named_pages(hits: Sequence[Hit], pages: Sequence[IndexedPage], scope: Scope) -> tuple[Hit, ...]:
    """Return the hits, with the pages that the question names first."""
    known = {hit.page.ref: hit for hit in hits}
    named = {page.ref: known.get(page.ref) or added_hit(page, scope, 0) for page in pages}
    ordered = (named | {ref: hit for ref, hit in known.items() if ref not in named}).values()
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))


def with_definitions(question: str, hits: Sequence[Hit], scope: Scope, read: ReadPages) -> tuple[Hit, ...]:
    """Return the hits. The first one of each act and language is linked to the definitions of the question's
    terms."""
    first: dict[tuple[str, str], int] = {}
    for number, hit in enumerate(hits):
        if celex := celex_of(hit.page):
            first.setdefault((celex, hit.page.ref.language), number)
    terms_in = {act: scope.terms_in(question, *act) for act in first}
    choices = {
        (celex, language): scope.choices([Target(celex=celex, unit=unit) for unit in units], (language,))
        for (celex, language), units in terms_in.items()
    }
    available = _available([refs for some in choices.values() for refs in some], read)
    extended = list(hits)
    for act, number in first.items():
        hit, units = hits[number], terms_in[act]
        found = _first_of(choices[act], available)
        linked = (added_hit(page, scope, hit.rank, passages=_definitions(page, units)) for page in found)
        defining = (replace(each, link="definition") for each in linked)
        extended[number] = replace(hit, linked=(*defining, *hit.linked))
    return tuple(extended)


def _definitions(page: IndexedPage, units: Mapping[str, Sequence[str]]) -> tuple[Passage, ...]:
    """Return the page's definitions of its terms in ``units`` (terms by the id of the defining unit)."""
    terms = units.get(page.ref.id.rpartition("/")[2], ())
    return slices(page, "content", definitions(page.fields["content"], page.ref.language, terms))


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCandidates:
    """Results of the search, best first: all candidates, and recitals of the hits' acts."""

    candidates: Sequence[Candidate]
    recitals: Sequence[Candidate]


def with_links(
    hits: Sequence[Hit], found: LinkCandidates, scope: Scope, read: ReadPages, links: LinksPreset
) -> tuple[Hit, ...]:
    """Return the hits. The first ones are linked to the pages they refer to, and the first article of each
    act to its best recitals. Referenced pages that the search returned come first."""
    followed = hits[: links.hits]
    known = {candidate.page.ref: candidate for candidate in (*found.recitals, *found.candidates)}
    ranks = {candidate.page.ref: rank for rank, candidate in enumerate(found.candidates)}
    planned = [_planned(hit, scope, ranks, links.pages) for hit in followed]
    available = _available([refs for plan in planned for refs in plan], read)
    acts_with_recitals: set[str] = set()
    extended = []
    for hit, plan in zip(followed, planned, strict=True):
        celex = celex_of(hit.page)
        own = (
            []
            if celex in acts_with_recitals or hit.page.kind != "article"
            else _of_act(found.recitals, celex)
        )
        acts_with_recitals |= {celex} if own else set()
        referenced = (page for page in _first_of(plan, available) if page.ref != hit.page.ref)
        pages: list[tuple[IndexedPage, LinkKind]] = [(page, "reference") for page in referenced]
        pages += [(page, "recital") for page in own]
        linked = (
            replace(_linked_hit(page, known.get(page.ref), scope, hit.rank, links.bytes), link=link)
            for page, link in pages
        )
        extended.append(replace(hit, linked=tuple(linked)))
    return (*extended, *hits[links.hits :])


def _planned(hit: Hit, scope: Scope, ranks: Mapping[PageRef, int], most: int) -> list[Sequence[PageRef]]:
    """Return the choices for the units that the page refers to: all annotated ones in their order, otherwise
    at most ``most``, nearest first."""
    page, nearest = hit.page, [(chunk.start, chunk.end) for chunk in hit.near_chunks[:1]]
    choices = scope.linked(page, (page.ref.language,), nearest)
    return [*choices] if scope.is_annotated(page) else _nearest_first(choices, ranks)[:most]


def _nearest_first(
    plan: Iterable[Sequence[PageRef]], ranks: Mapping[PageRef, int]
) -> list[Sequence[PageRef]]:
    """Return the targets in the order of the search results, then the others in the order of the text."""
    last = len(ranks)
    return sorted(plan, key=lambda refs: min((ranks[ref] for ref in refs if ref in ranks), default=last))


def _available(choices: Iterable[Sequence[PageRef]], read: ReadPages) -> dict[PageRef, IndexedPage]:
    return {page.ref: page for page in read([ref for refs in choices for ref in refs])}


def _first_of(
    choices: Iterable[Sequence[PageRef]], available: Mapping[PageRef, IndexedPage]
) -> list[IndexedPage]:
    first = (next((available[ref] for ref in refs if ref in available), None) for refs in choices)
    return list({page.ref: page for page in first if page}.values())


def _of_act(recitals: Iterable[Candidate], celex: str) -> list[IndexedPage]:
    pages = (candidate.page for candidate in recitals)
    return [page for page in pages if celex_of(page) == celex][:RECITALS_PER_ACT]
