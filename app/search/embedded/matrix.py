"""The vectors of one field in memory, and the exact nearest pages among them.

Rows are stored in blocks of ``BLOCK_ROWS``, which are allocated but not touched until they are filled:
growing copies nothing, and the operating system backs only what is used. Rows of replaced pages are used
again.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.search.index import HITS_PER_PAGE
from app.search.types import ChunkHit
from ingest.types import Vectors

BLOCK_ROWS: Final = 65_536
"""Few large products: each waits for all cores, which costs most when the machine is busy."""

_FREE: Final = 0
"""The source number of an unused row; real ones start at 1."""

_ROW: Final = np.dtype(
    [
        ("document", np.int64),
        ("source", np.int32),
        ("collection", np.int32),
        ("position", np.int32),
        ("start", np.int32),
        ("end", np.int32),
    ]
)

Rows = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The scope of a ``QuerySpec``, by the numbers of sources and collections."""

    sources: Collection[int]
    without: Collection[int] = ()
    within: Collection[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRows:
    """The chunks of one page's field: arrays of shape ``(n,)``, vectors ``(n, dims)`` of length 1."""

    positions: Numbers
    starts: Numbers
    ends: Numbers
    vectors: Vectors


class FieldMatrix:
    """Chunks of many pages by document number. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._blocks: list[Vectors] = []
        self._rows = np.empty(0, _ROW)
        self._used = 0
        self._free: list[int] = []

    def add(self, document: int, source: int, collection: int, chunks: ChunkRows) -> None:
        """Add a page's chunks; ``source`` and ``collection`` are numbers from 1."""
        rows = self._allocate(len(chunks.vectors))
        for block in np.unique(rows // BLOCK_ROWS):
            here = rows // BLOCK_ROWS == block
            self._blocks[block][rows[here] % BLOCK_ROWS] = chunks.vectors[here]
        self._rows["document"][rows] = document
        self._rows["source"][rows] = source
        self._rows["collection"][rows] = collection
        self._rows["position"][rows] = chunks.positions
        self._rows["start"][rows] = chunks.starts
        self._rows["end"][rows] = chunks.ends

    def remove(self, documents: Collection[int]) -> None:
        """Free the rows of these pages; those without rows are ignored."""
        numbers = self._rows["document"][: self._used]
        occupied = self._rows["source"][: self._used] != _FREE
        rows = np.flatnonzero(occupied & np.isin(numbers, list(documents)))
        self._rows["source"][rows] = _FREE
        self._free.extend(rows.tolist())

    def detach(self) -> None:
        """Copy the rows' columns, so that later changes leave the scores returned so far as they are."""
        self._rows = self._rows.copy()

    def scores(self, query: Vectors, scope: Scope) -> "FieldScores":
        """The cosine of every chunk in scope with ``query`` (shape ``(dims,)``, length 1)."""
        rows = self._rows[: self._used]
        scores = self._scores(query)
        scores[~_in_scope(rows, scope)] = -np.inf
        return FieldScores(scores, rows)

    def _scores(self, query: Vectors) -> Vectors:
        scores = np.empty(self._used, np.float32)
        for first, block in zip(range(0, self._used, BLOCK_ROWS), self._blocks, strict=False):
            last = min(first + BLOCK_ROWS, self._used)
            np.matmul(block[: last - first], query, out=scores[first:last])
        return scores

    def _allocate(self, count: int) -> Rows:
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))]
        first = self._used
        self._used += count - len(reused)
        while self._used > len(self._rows):
            self._blocks.append(np.empty((BLOCK_ROWS, self._dims), np.float32))
            self._rows = np.concatenate((self._rows, np.empty(BLOCK_ROWS, _ROW)))
        return np.concatenate((np.array(reused, np.intp), np.arange(first, self._used, dtype=np.intp)))


class FieldScores:
    """A question's cosines with one field's chunks, of one state of the field."""

    def __init__(self, scores: Vectors, rows: npt.NDArray[np.void]) -> None:
        """``scores``: shape ``(n,)``, minus infinity for ``rows`` out of scope."""
        self._values = scores
        self._rows = rows

    def best_pages(self, k: int) -> list[int]:
        """The ``k`` pages with the best chunks, by falling cosine, equal ones by document number.

        Reads the best few rows, and more while they belong to fewer than ``k`` pages.
        """
        available = int(np.isfinite(self._values).sum())
        width = min(4 * k, available)
        while width > 0:
            cut = np.partition(self._values, -width)[-width]
            rows = self._ranked(np.flatnonzero(self._values >= cut))
            pages = list(dict.fromkeys(self._rows["document"][rows].tolist()))
            if len(pages) >= k or width == available:
                return pages[:k]
            width = min(8 * width, available)
        return []

    def hits(self, documents: Collection[int]) -> dict[int, tuple[ChunkHit, ...]]:
        """The best chunks, best first, of each of these pages that has chunks in scope."""
        wanted = np.isin(self._rows["document"], list(documents))
        ranked = self._ranked(np.flatnonzero(wanted & np.isfinite(self._values)))
        hits: dict[int, list[ChunkHit]] = defaultdict(list)
        for row, document in zip(ranked, self._rows["document"][ranked].tolist(), strict=True):
            if len(hits[document]) < HITS_PER_PAGE:
                hits[document].append(self._hit(row))
        return {document: tuple(found) for document, found in hits.items()}

    def _ranked(self, rows: Rows) -> Rows:
        """By falling score, then by document and position."""
        found = self._rows[rows]
        ranked: Rows = rows[np.lexsort((found["position"], found["document"], -self._values[rows]))]
        return ranked

    def _hit(self, row: int) -> ChunkHit:
        _document, _source, _collection, position, start, end = self._rows[row].item()
        cosine = min(1.0, max(-1.0, float(self._values[row])))  # rounding may lead just outside
        return ChunkHit(position=position, start=start, end=end, cosine=cosine)


def _in_scope(rows: npt.NDArray[np.void], scope: Scope) -> npt.NDArray[np.bool_]:
    inside = np.isin(rows["source"], list(scope.sources))
    if scope.without:
        inside &= np.isin(rows["collection"], list(scope.without), invert=True)
    if scope.within is not None:
        inside &= np.isin(rows["collection"], list(scope.within))
    return inside
