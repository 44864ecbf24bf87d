"""Ranks binding provisions before recitals. Articles and annexes bind; recitals give the reasons.

If both answer about equally well, the provision comes first. Pure functions.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.law.units import law_unit
from app.search.blocks import FoundBlock
from app.search.passages import slice_of
from app.search.retrieval import Hit, NearChunk

MARGIN: Final = 0.05
"""A binding block comes before a recital if its score is lower by at most this. A larger margin would put
articles before recitals that alone contain the answer (docs/quality.md)."""

RECITAL_MARGIN: Final = 0.2
"""A recital leads to its provision if its score is lower than the best block's by at most this."""


def binding_first(ranked: Sequence[FoundBlock], hits: Sequence[Hit]) -> list[FoundBlock]:
    """Return the blocks of the hits, best first. If the best one is a recital's, the best block of a
    provision is put before it: of the provision that one of the best recitals explains
    (:mod:`app.law.provisions`), otherwise of one whose score is nearly as good."""
    if not ranked or not _is_of(ranked[0], recital=True):
        return list(ranked)
    best = ranked[0].score
    first = _explained(ranked, hits) or next(
        (block for block in ranked if block.score >= best - MARGIN and _is_of(block, recital=False)), None
    )
    if first is None:
        return list(ranked)
    others = (block for block in ranked if block.page != first.page or not _overlap(block, first))
    return [replace(first, score=best), *others]


def _explained(ranked: Sequence[FoundBlock], hits: Sequence[Hit]) -> FoundBlock | None:
    """Return the best block, or the best point of a list, of the provision explained by the first recital
    whose score is about as good as the best block's; ``None`` if there is none."""
    explained = {hit.page.ref: hit.explains for hit in hits if hit.explains}
    near = {hit.page.ref: hit.near_chunks for hit in hits}
    for block in ranked:
        if block.score < ranked[0].score - RECITAL_MARGIN:
            return None
        if (ref := explained.get(block.page.ref)) and near.get(ref):
            return _at(near[ref][0], [other for other in ranked if other.page.ref == ref])
    return None


def _at(chunk: NearChunk, blocks: Sequence[FoundBlock]) -> FoundBlock | None:
    """Return the block that the chunk begins in, cut to the chunk if it is a point of a list."""
    for block in blocks:
        passage = block.passage
        if passage.field == "content" and passage.start <= chunk.start < passage.end:
            is_part = block.kind == "list" and chunk.end <= passage.end
            span = (chunk.start, chunk.end)
            return replace(block, passage=slice_of(block.page, passage.field, span)) if is_part else block
    return None


def _overlap(one: FoundBlock, other: FoundBlock) -> bool:
    return one.passage.start < other.passage.end and other.passage.start < one.passage.end


def _is_of(block: FoundBlock, *, recital: bool) -> bool:
    """Return True for a block of a recital (``recital``), or of a unit of law that binds."""
    return law_unit(block.page) is not None and (block.page.kind == "recital") == recital
