"""Articles and annexes bind; recitals say why. Where both answer about as well, what binds comes first.

Pure functions.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.law.units import law_unit
from app.search.blocks import FoundBlock

MARGIN: Final = 0.05
"""How much lower than a recital's the score of a binding block may be to come before it. Larger ones put
articles before recitals that alone hold the answer (docs/quality.md)."""


def binding_first(ranked: Sequence[FoundBlock]) -> list[FoundBlock]:
    """Return the blocks, best first; where a recital's is the best, the best binding one comes before it, if
    it is nearly as good."""
    if not ranked or not _is_of(ranked[0], recital=True):
        return list(ranked)
    best = ranked[0].score
    near = (block for block in ranked if block.score >= best - MARGIN)
    first = next((block for block in near if _is_of(block, recital=False)), None)
    if first is None:
        return list(ranked)
    return [replace(first, score=best), *(block for block in ranked if block is not first)]


def _is_of(block: FoundBlock, *, recital: bool) -> bool:
    """True for a block of a unit of law that is a recital, or binds."""
    return law_unit(block.page) is not None and (block.page.kind == "recital") == recital
