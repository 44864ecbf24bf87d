"""From hits to the pages that they refer to, the recitals that explain them, and the definitions of the
question's terms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.law.links import Target
from app.law.scope import Scope
from app.law.units import celex_of
from app.presets import LinksPreset
from app.search.passages import first_chunks, merged_passages, slices, whole_content
from app.search.types import Candidate, Hit, IndexedPage, Passage
from ingest.law.definitions import definitions
from ingest.types import PageRef

RECITALS_PER_ACT: Final = 2
"""Of one act's recitals at most so many come with its first article."""

MOST_BYTES: Final = 8_000
"""Of a page that was not searched for: a long annex must leave room for what was found."""

Read = Callable[[Sequence[PageRef]], Sequence[IndexedPage]]
"""The pages among these that may be shown."""


def first_served(choices: Sequence[Sequence[PageRef]], read: Read) -> list[IndexedPage]:
    """For each target the first of its choices that is there; one read for all."""
    return _chosen(choices, _served(choices, read))


def named_page(page: IndexedPage, scope: Scope, rank: int, passages: tuple[Passage, ...] = ()) -> Hit:
    """A page that was not searched for, with these passages or its text from the beginning."""
    return Hit(
        rank=rank,
        page=page,
        score=0.0,
        coverage=0.0,
        similarity={},
        passages=passages or first_chunks(page, MOST_BYTES),
        ended=scope.ended(page),
    )


def _linked_page(
    page: IndexedPage, candidate: Candidate | None, scope: Scope, rank: int, most_bytes: int
) -> Hit:
    """A page that a hit leads to, with what the search knows of it."""
    hit = named_page(page, scope, rank, first_chunks(page, most_bytes))
    return replace(hit, coverage=candidate.coverage, similarity=candidate.similarity) if candidate else hit


def with_own_text(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, those that an earlier one leads to with their own passages there, too: they are read where
    they come first."""
    own = {hit.page.ref: hit for hit in hits}
    return tuple(
        replace(hit, linked=tuple(_with_own(linked, own.get(linked.page.ref)) for linked in hit.linked))
        for hit in hits
    )


def _with_own(linked: Hit, own: Hit | None) -> Hit:
    if own is None:
        return linked
    return replace(own, passages=merged_passages(own.page, (*linked.passages, *own.passages)), linked=())


def whole_units(pages: Sequence[IndexedPage], scope: Scope) -> tuple[Hit, ...]:
    """Pages that were asked for by name, each with its whole text."""
    return tuple(
        named_page(page, scope, rank, whole_content(page)) for rank, page in enumerate(pages, start=1)
    )


def with_named(hits: Sequence[Hit], pages: Sequence[IndexedPage], scope: Scope) -> tuple[Hit, ...]:
    """The hits with the pages that the question names in front."""
    known = {hit.page.ref: hit for hit in hits}
    named = {page.ref: known.get(page.ref) or named_page(page, scope, 0) for page in pages}
    ordered = (named | {ref: hit for ref, hit in known.items() if ref not in named}).values()
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))


def with_definitions(question: str, hits: Sequence[Hit], scope: Scope, read: Read) -> tuple[Hit, ...]:
    """The hits, the first of each act and language with the definitions of its terms in the question."""
    first: dict[tuple[str, str], int] = {}
    for number, hit in enumerate(hits):
        if celex := celex_of(hit.page):
            first.setdefault((celex, hit.page.ref.language), number)
    defined = {act: scope.defined(question, *act) for act in first}
    choices = {
        (celex, language): scope.choices([Target(celex=celex, unit=unit) for unit in units], (language,))
        for (celex, language), units in defined.items()
    }
    served = _served([refs for some in choices.values() for refs in some], read)
    extended = list(hits)
    for act, number in first.items():
        hit, units = hits[number], defined[act]
        found = _chosen(choices[act], served)
        linked = [named_page(page, scope, hit.rank, passages=_definitions(page, units)) for page in found]
        extended[number] = replace(hit, linked=(*linked, *hit.linked))
    return tuple(extended)


def _definitions(page: IndexedPage, units: Mapping[str, Sequence[str]]) -> tuple[Passage, ...]:
    """The page's definitions of the terms that ``units`` has for it."""
    terms = units.get(page.ref.id.rpartition("/")[2], ())
    return slices(page, "content", definitions(page.fields["content"], page.ref.language, terms))


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCandidates:
    """What the search returned, best first: all candidates, and recitals of the hits' acts."""

    candidates: Sequence[Candidate]
    recitals: Sequence[Candidate]


def with_links(
    hits: Sequence[Hit], found: LinkCandidates, scope: Scope, read: Read, links: LinksPreset
) -> tuple[Hit, ...]:
    """The first hits with what each refers to, what the search returned first, and the first article of each
    act with its best recitals."""
    followed = hits[: links.hits]
    known = {candidate.page.ref: candidate for candidate in (*found.recitals, *found.candidates)}
    places = {candidate.page.ref: place for place, candidate in enumerate(found.candidates)}
    planned = [
        _nearest_first(scope.linked(hit.page, (hit.page.ref.language,)), places)[: links.pages]
        for hit in followed
    ]
    served = _served([refs for plan in planned for refs in plan], read)
    explained: set[str] = set()
    extended = []
    for hit, plan in zip(followed, planned, strict=True):
        celex = celex_of(hit.page)
        own = [] if celex in explained or hit.page.kind != "article" else _of_act(found.recitals, celex)
        explained |= {celex} if own else set()
        pages = [*(page for page in _chosen(plan, served) if page.ref != hit.page.ref), *own]
        linked = (_linked_page(page, known.get(page.ref), scope, hit.rank, links.bytes) for page in pages)
        extended.append(replace(hit, linked=tuple(linked)))
    return (*extended, *hits[links.hits :])


def _nearest_first(
    plan: Iterable[Sequence[PageRef]], places: Mapping[PageRef, int]
) -> list[Sequence[PageRef]]:
    """The targets that the search returned, best first, then the others in the order of the text."""
    last = len(places)
    return sorted(plan, key=lambda refs: min((places[ref] for ref in refs if ref in places), default=last))


def _served(choices: Iterable[Sequence[PageRef]], read: Read) -> dict[PageRef, IndexedPage]:
    return {page.ref: page for page in read([ref for refs in choices for ref in refs])}


def _chosen(choices: Iterable[Sequence[PageRef]], served: Mapping[PageRef, IndexedPage]) -> list[IndexedPage]:
    first = (next((served[ref] for ref in refs if ref in served), None) for refs in choices)
    return list({page.ref: page for page in first if page}.values())


def _of_act(recitals: Iterable[Candidate], celex: str) -> list[IndexedPage]:
    pages = (candidate.page for candidate in recitals)
    return [page for page in pages if celex_of(page) == celex][:RECITALS_PER_ACT]
