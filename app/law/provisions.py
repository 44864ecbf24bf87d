"""Finds the provisions that recitals explain, to show binding text before its reasons.

A recital says in plainer words why an article or annex is as it is, mostly without naming it. Its text is
compared with the provisions of its act, of which at most one clearly corresponds to it. The points of that
provision are then compared with the question, by meaning and by words. Pure functions.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.law.points import Point
from app.search.retrieval import Hit, NearChunk
from app.search.types import IndexedPage
from ingest.types import PageRef

MOST_RECITALS: Final = 3
"""The most recitals compared, the best ones, because each is embedded."""

CLEAR: Final = 0.05
"""The provision that a recital explains must be nearer to it than all others by this relevance."""

Nearest = Callable[[IndexedPage], Sequence[Hit]]
"""Returns the provisions of a recital's act that are nearest to its text, best first, each with its near
chunks; empty if the nearest one cannot answer the question."""

BestPoints = Callable[[IndexedPage, Sequence[NearChunk]], Sequence[Point]]
"""Returns the points of a provision to compare with the question, chosen by its chunks and their words."""

Relevance = Callable[[Sequence[str]], Sequence[float]]
"""Returns the relevance of texts to the question; only of the first ones if time runs out."""


def with_provisions(
    hits: tuple[Hit, ...], nearest: Nearest, points: BestPoints, relevance: Relevance, most: int
) -> tuple[Hit, ...]:
    """Return the hits, at most ``most``. If a recital is the best one, the provisions that the first recitals
    explain are put after these unless they come earlier. The points of the first such provision are compared
    with the question, and the best point gets the relevance of its recital."""
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
            compared = points(own.page, (*own.near_chunks, *found.near_chunks))
            own = replace(own, near_chunks=_compared(recital, own, compared, relevance))
        known[recital.page.ref] = replace(recital, explains=own.page.ref)
        provisions[recital.page.ref] = known[own.page.ref] = own
    ordered: dict[PageRef, Hit] = {}
    for hit in hits:
        ordered.setdefault(hit.page.ref, known[hit.page.ref])
        if provision := provisions.get(hit.page.ref):
            ordered.setdefault(provision.page.ref, known[provision.page.ref])
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate([*ordered.values()][:most], start=1))


def _clear(found: Sequence[Hit]) -> Hit | None:
    """Return the nearest provision if it is clearly nearer than the second, otherwise ``None``."""
    relevance = [hit.near_chunks[0].relevance for hit in found if hit.near_chunks]
    is_clear = relevance and (len(relevance) == 1 or relevance[0] - relevance[1] >= CLEAR)
    return found[0] if is_clear else None


def _compared(recital: Hit, own: Hit, points: Sequence[Point], relevance: Relevance) -> tuple[NearChunk, ...]:
    """Return the points of a provision, the best for the question first, scaled so that the best is as
    relevant as the recital."""
    meant = relevance([point.text for point in points])
    scores = [each + point.by_words for point, each in zip(points, meant, strict=False)]
    if not scores or not recital.near_chunks:
        return own.near_chunks
    more = recital.near_chunks[0].relevance - max(scores)
    near = (
        NearChunk(start=point.start, end=point.end, relevance=score + more)
        for point, score in zip(points, scores, strict=False)
    )
    return tuple(sorted(near, key=lambda chunk: -chunk.relevance))
