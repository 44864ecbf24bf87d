"""The blocks of a text that a question names: from its beginning, or from the part that is named.

Pure functions. No block of such a text answers better than another.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.search.blocks import FoundBlock
from app.search.passages import slice_of
from app.search.retrieval import Hit


def asked_blocks(blocks: Sequence[FoundBlock], hits: Sequence[Hit]) -> list[FoundBlock]:
    """Return the blocks in the order of the texts. If a paragraph or point was asked for
    (``Hit.near_chunks``), its blocks come first, cut to it. The blocks asked for score 1, all others, and all
    footnotes, 0."""
    places = {hit.page.ref: (place, hit.near_chunks) for place, hit in enumerate(hits)}

    def scored(block: FoundBlock) -> FoundBlock:
        near, passage = places[block.page.ref][1], block.passage
        spans = ((max(passage.start, part.start), min(passage.end, part.end)) for part in near)
        span = next((span for span in spans if span[0] < span[1]), None)
        is_asked = (span is not None or not near) and block.kind != "note"
        if span is not None and is_asked:
            passage = slice_of(block.page, passage.field, span)
        return replace(block, passage=passage, score=float(is_asked))

    found = map(scored, blocks)
    return sorted(found, key=lambda block: (-block.score, places[block.page.ref][0], block.passage.start))
