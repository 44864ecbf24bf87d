"""From hits to the pages that they refer to, the recitals that explain them, and the definitions of the
question's terms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.law.links import Target
from app.law.scope import Scope
from app.search.passages import opening, slices
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


def named_page(
    page: IndexedPage,
    scope: Scope,
    rank: int,
    candidate: Candidate | None = None,
    passages: tuple[Passage, ...] = (),
) -> Hit:
    """A page that was not searched for, with these passages or its text from the beginning."""
    return Hit(
        rank=rank,
        page=page,
        score=0.0,
        coverage=candidate.coverage if candidate else 0.0,
        similarity=candidate.similarity if candidate else {},
        passages=passages or opening(page, MOST_BYTES),
        ended=scope.ended(page),
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
        if celex := hit.page.metadata.get("celex"):
            first.setdefault((celex, hit.page.ref.language), number)
    extended = list(hits)
    for (celex, language), number in first.items():
        units = scope.defined(question, celex, language)
        targets = [Target(celex=celex, unit=unit) for unit in units]
        found = first_served(scope.choices(targets, (language,)), read)
        rank = hits[number].rank
        linked = [named_page(page, scope, rank, passages=_definitions(page, units)) for page in found]
        extended[number] = replace(hits[number], linked=(*linked, *hits[number].linked))
    return tuple(extended)


def _definitions(page: IndexedPage, units: Mapping[str, Sequence[str]]) -> tuple[Passage, ...]:
    """The page's definitions of the terms that ``units`` has for it."""
    terms = units.get(page.ref.id.rpartition("/")[2], ())
    return slices(page, "content", definitions(page.fields["content"], page.ref.language, terms))


def with_links(
    hits: Sequence[Hit], recitals: Sequence[Candidate], scope: Scope, read: Read, limit: int
) -> tuple[Hit, ...]:
    """The hits with what each refers to, at most ``limit`` pages a hit, and the first article of each act
    with the best of ``recitals`` (candidates, best first)."""
    planned = [scope.linked(hit.page, (hit.page.ref.language,))[:limit] for hit in hits]
    served = _served([refs for plan in planned for refs in plan], read)
    explained: set[str] = set()
    extended = []
    for hit, plan in zip(hits, planned, strict=True):
        celex = hit.page.metadata.get("celex", "")
        own = [] if celex in explained or hit.page.kind != "article" else _of_act(recitals, celex)
        explained |= {celex} if own else set()
        linked = [
            named_page(page, scope, hit.rank) for page in _chosen(plan, served) if page.ref != hit.page.ref
        ]
        extended.append(
            replace(hit, linked=(*(named_page(c.page, scope, hit.rank, c) for c in own), *linked))
        )
    return tuple(extended)


def _served(choices: Iterable[Sequence[PageRef]], read: Read) -> dict[PageRef, IndexedPage]:
    return {page.ref: page for page in read([ref for refs in choices for ref in refs])}


def _chosen(choices: Iterable[Sequence[PageRef]], served: Mapping[PageRef, IndexedPage]) -> list[IndexedPage]:
    first = (next((served[ref] for ref in refs if ref in served), None) for refs in choices)
    return list({page.ref: page for page in first if page}.values())


def _of_act(recitals: Iterable[Candidate], celex: str) -> list[Candidate]:
    return [item for item in recitals if item.page.metadata.get("celex") == celex][:RECITALS_PER_ACT]
