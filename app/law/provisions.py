"""Finds the provisions that recitals explain, so that what binds is read with its reasons, and before them.

A recital says in plainer words why an article or annex is as it is, mostly without naming it. Its text is
compared with those of its act: one of them says the same, or none clearly does. The points of that provision
are then compared with the question, in meaning and by their words. Pure functions.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.law.points import Point
from app.search.types import Hit, IndexedPage, NearChunk
from ingest.types import PageRef

MOST_RECITALS: Final = 3
"""How many recitals are compared, those of the best pages: each is embedded."""

CLEAR: Final = 0.05
"""How much nearer to a recital the provision is that it explains than all others (relevance)."""

Nearest = Callable[[IndexedPage], Sequence[Hit]]
"""The provisions of a recital's act that are nearest to its text, best first, each with its chunks near to
it; none that cannot answer the question."""

BestPoints = Callable[[IndexedPage, Sequence[NearChunk]], Sequence[Point]]
"""The points of a provision that are compared with the question, chosen by its chunks and their words."""

Relevance = Callable[[Sequence[str]], Sequence[float]]
"""How relevant texts are to the question; of fewer where the time is up."""


def with_provisions(
    hits: tuple[Hit, ...], nearest: Nearest, points: BestPoints, relevance: Relevance, most: int
) -> tuple[Hit, ...]:
    """Return the hits, ``most`` at most. Where a recital is the best, the provisions that the first recitals
    explain follow them, if they do not come before. The best one's points are compared with the question, and
    are as relevant as the recital."""
    if not any(hit.page.kind == "recital" for hit in hits[:1]):
        return hits
    known = {hit.page.ref: hit for hit in hits}
    provisions: dict[PageRef, Hit] = {}
    for recital in [hit for hit in hits if hit.page.kind == "recital"][:MOST_RECITALS]:
        found = _clear(nearest(recital.page))
        if found is None:
            continue
        own = known.get(found.page.ref) or replace(found, similarity={}, score=0.0)
        if not provisions:
            compared = points(own.page, (*own.near, *found.near))
            own = replace(own, near=_compared(recital, own, compared, relevance))
        known[recital.page.ref] = replace(recital, explains=own.page.ref)
        provisions[recital.page.ref] = known[own.page.ref] = own
    ordered: dict[PageRef, Hit] = {}
    for hit in hits:
        ordered.setdefault(hit.page.ref, known[hit.page.ref])
        if provision := provisions.get(hit.page.ref):
            ordered.setdefault(provision.page.ref, known[provision.page.ref])
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate([*ordered.values()][:most], start=1))


def _clear(found: Sequence[Hit]) -> Hit | None:
    """The nearest provision, if it is clearly nearer than the second."""
    relevance = [hit.near[0].relevance for hit in found if hit.near]
    is_clear = relevance and (len(relevance) == 1 or relevance[0] - relevance[1] >= CLEAR)
    return found[0] if is_clear else None


def _compared(recital: Hit, own: Hit, points: Sequence[Point], relevance: Relevance) -> tuple[NearChunk, ...]:
    """The points of a provision, the best for the question first, which is as relevant as the recital."""
    meant = relevance([point.text for point in points])
    scores = [each + point.by_words for point, each in zip(points, meant, strict=False)]
    if not scores or not recital.near:
        return own.near
    more = recital.near[0].relevance - max(scores)
    near = (
        NearChunk(start=point.start, end=point.end, relevance=score + more)
        for point, score in zip(points, scores, strict=False)
    )
    return tuple(sorted(near, key=lambda chunk: -chunk.relevance))
