"""A generation's vectors in memory, a matrix for each field, and exact nearest-neighbour search in them.

A refresh loads only the pages that changed in the file. Rows are stored in blocks of ``BLOCK_ROWS``, which
are allocated but not touched until they are filled: growing copies no vectors, and the operating system
provides memory only for what is used. Rows of replaced pages are reused.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, groupby, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from app.search.embedded.pages import StoredChunks, changes_after, whole_rows
from app.search.embedded.scope import Documents, Numbers, Scope
from app.search.index import HITS_PER_PAGE, cosine, question_vector
from app.search.types import ChunkHit
from ingest.types import FIELDS, FieldName, Vectors
from ingest.vectors import valid_rows

BLOCK_ROWS: Final = 65_536
"""Large blocks, for few matrix products: each waits for all cores, which is slow on a busy machine."""

LOADED_AT_ONCE: Final = 512
"""Rows of the file that are turned into arrays together, because array calls cost more than copying. Fewer
than 700, at which number of new objects Python starts to collect garbage, in the end in the whole process."""

_ALL_CHUNKS = "SELECT field, document, positions, starts, ends, vectors FROM chunks"
_CHUNKS = f"{_ALL_CHUNKS} WHERE document IN (SELECT document FROM changes WHERE number > ?)"

_FIELD = itemgetter(0)

_FREE: Final = 0
"""The document number of an unused row, which is in no scope."""

_KINDS: Final = {
    "documents": np.int64,
    "positions": np.int32,
    "starts": np.int32,
    "ends": np.int32,
}
"""The columns kept for every row in addition to its vector, an array each, because most are read alone."""

Columns = dict[str, npt.NDArray[Any]]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRows:
    """Chunks of pages, as arrays of shape ``(n,)``; ``vectors``: ``(n, dims)``, of length 1."""

    documents: Documents
    positions: Numbers
    starts: Numbers
    ends: Numbers
    vectors: Vectors

    def without(self, documents: Documents) -> "ChunkRows":
        """Return the chunks of all other pages."""
        kept = np.isin(self.documents, documents, invert=True)
        columns = {name: getattr(self, name)[kept] for name in _KINDS}
        return ChunkRows(**columns, vectors=self.vectors[kept])


class FieldMatrix:
    """The chunks of many pages in one field, by document number. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._blocks: list[Vectors] = []
        self._columns: Columns = {name: np.empty(0, kind) for name, kind in _KINDS.items()}
        self._used = 0
        self._free: list[int] = []

    def add(self, chunks: ChunkRows) -> None:
        """Add the chunks of pages."""
        rows = self._allocate(len(chunks.vectors))
        for start, stop in _runs(rows):
            block, row = divmod(rows[start], BLOCK_ROWS)
            self._blocks[block][row : row + stop - start] = chunks.vectors[start:stop]
        for name, column in self._columns.items():
            column[rows] = getattr(chunks, name)

    def remove(self, documents: Collection[int]) -> None:
        """Free the rows of these pages; those without rows are ignored."""
        numbers = self._columns["documents"][: self._used]
        rows = np.flatnonzero(np.isin(numbers, list(documents)))
        numbers[rows] = _FREE
        self._free.extend(rows.tolist())

    def detach(self) -> None:
        """Copy the columns, so that later changes do not affect scores already returned."""
        self._columns = {name: column.copy() for name, column in self._columns.items()}

    def scores(self, query: Vectors, scope: Scope) -> "FieldScores":
        """Return the cosine of every chunk in scope with ``query`` (shape ``(dims,)``, length 1)."""
        columns = {name: column[: self._used] for name, column in self._columns.items()}
        scores = self._scores(query)
        scores[~scope[columns["documents"]]] = -np.inf
        return FieldScores(scores, columns)

    def best_cosines(self, query: Vectors, documents: Collection[int]) -> dict[int, float]:
        """Return the best cosine with ``query`` (shape ``(dims,)``, length 1) of each of these pages that has
        rows. Only their rows are multiplied."""
        numbers = self._columns["documents"][: self._used]
        rows = np.flatnonzero(np.isin(numbers, list(documents)))
        best: dict[int, float] = {}
        for document, row in zip(numbers[rows].tolist(), rows.tolist(), strict=True):
            found = cosine(self._blocks[row // BLOCK_ROWS][row % BLOCK_ROWS] @ query)
            best[document] = max(found, best.get(document, -1.0))
        return best

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
        while self._used > BLOCK_ROWS * len(self._blocks):
            self._blocks.append(np.empty((BLOCK_ROWS, self._dims), np.float32))
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate((column, np.zeros(BLOCK_ROWS, _KINDS[name])))
        return np.concatenate((np.array(reused, np.intp), np.arange(first, self._used, dtype=np.intp)))


class FieldScores:
    """A question's cosines with the chunks of one field in one state."""

    def __init__(self, scores: Vectors, columns: Columns) -> None:
        """``scores``: shape ``(n,)``, minus infinity for rows out of scope."""
        self._values = scores
        self._columns = columns
        self._best: dict[int, list[int]] = {}
        self._hits: dict[int, tuple[ChunkHit, ...]] = {}

    def best_pages(self, k: int) -> list[int]:
        """Return the ``k`` pages with the best chunks, by descending cosine, ties by document number."""
        if k not in self._best:
            self._best[k] = self._best_pages(k)
        return self._best[k]

    def _best_pages(self, k: int) -> list[int]:
        """Rank the best few rows, and more of them while they belong to fewer than ``k`` pages."""
        available = int(np.isfinite(self._values).sum())
        width = min(4 * k, available)
        while width > 0:
            cut = np.partition(self._values, -width)[-width]
            rows = self._ranked(np.flatnonzero(self._values >= cut))
            pages = list(dict.fromkeys(self._columns["documents"][rows].tolist()))
            if len(pages) >= k or width == available:
                return pages[:k]
            width = min(8 * width, available)
        return []

    def best_chunks(self, k: int) -> list[tuple[int, ChunkHit]]:
        """Return the ``k`` best chunks with their document numbers, by descending cosine, ties by document
        number and position."""
        width = min(k, int(np.isfinite(self._values).sum()))
        if not width:
            return []
        cut = np.partition(self._values, -width)[-width]
        rows = self._ranked(np.flatnonzero(self._values >= cut))[:width]
        documents = self._columns["documents"][rows].tolist()
        return [(document, self._hit(row)) for document, row in zip(documents, rows.tolist(), strict=True)]

    def hits(self, documents: Collection[int]) -> dict[int, tuple[ChunkHit, ...]]:
        """Return the best chunks, best first, of each of these pages that has chunks in scope."""
        if new := [document for document in documents if document not in self._hits]:
            self._hits |= self._hits_of(new)
        return {document: found for document in documents if (found := self._hits[document])}

    def _hits_of(self, documents: Sequence[int]) -> dict[int, tuple[ChunkHit, ...]]:
        """Return the best chunks of each of these pages; an empty tuple for those without chunks in scope."""
        wanted = np.isin(self._columns["documents"], documents)
        ranked = self._ranked(np.flatnonzero(wanted & np.isfinite(self._values)))
        rows: dict[int, list[int]] = {document: [] for document in documents}
        for row, document in zip(ranked.tolist(), self._columns["documents"][ranked].tolist(), strict=True):
            rows[document].append(row)
        return {document: tuple(map(self._hit, found[:HITS_PER_PAGE])) for document, found in rows.items()}

    def _ranked(self, rows: Rows) -> Rows:
        """Sort rows by descending score, then by document and position."""
        documents, positions = self._columns["documents"][rows], self._columns["positions"][rows]
        ranked: Rows = rows[np.lexsort((positions, documents, -self._values[rows]))]
        return ranked

    def _hit(self, row: int) -> ChunkHit:
        return ChunkHit(
            position=int(self._columns["positions"][row]),
            start=int(self._columns["starts"][row]),
            end=int(self._columns["ends"][row]),
            cosine=cosine(self._values[row]),
        )


class _Asked(NamedTuple):
    """The key of cached cosines. ``state``: the last change that they include."""

    query: Vectors
    fields: tuple[FieldName, ...]
    scope: Scope
    state: int

    def equals(self, other: "_Asked") -> bool:
        """Return True if the cosines are the same."""
        return (
            (self.state, self.fields) == (other.state, other.fields)
            and np.array_equal(self.query, other.query)
            and np.array_equal(self.scope, other.scope)
        )


_NOTHING_ASKED: Final = _Asked(np.empty(0, np.float32), (), np.empty(0, np.bool_), -1)


class VectorMemory:
    """One matrix per field, as of the last :meth:`refresh`. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._last_change = 0
        self.damaged: set[int] = set()
        """The document numbers of pages with a damaged field, which is left out of the matrices."""
        self._asked, self._scores = _NOTHING_ASKED, dict[FieldName, FieldScores]()
        self._start()

    def refresh(self, connection: sqlite3.Connection) -> int:
        """Update the matrices to the state of ``connection``'s transaction. Return the number of pages that
        changed.

        That state must not be older than the last one. After an error the next call repeats the work.
        """
        changes = changes_after(self._last_change, connection)
        if not changes.count:
            return 0
        if self._last_change:
            self._forget(changes.documents())
            rows = connection.execute(_CHUNKS, (self._last_change,))
        else:
            self._start()
            # A full scan reads the file twice as fast as its index does.
            rows = connection.execute(_ALL_CHUNKS)
        while some := rows.fetchmany(LOADED_AT_ONCE):
            some.sort(key=_FIELD)
            for name, stored in groupby(some, _FIELD):
                self._add(self._fields[name], tuple(stored))
        self._last_change = changes.last
        return changes.count

    def scores(
        self, query: Vectors, fields: Iterable[FieldName], scope: Scope
    ) -> dict[FieldName, FieldScores]:
        """Return the cosines of these fields, in ``scope``, as of the last :meth:`refresh`.

        ``query``: shape ``(dims,)``. The latest result is cached, because a question is searched for again
        with its words in another language. Raises ``InputError``.
        """
        asked = _Asked(query, tuple(fields), scope, self._last_change)
        if not self._asked.equals(asked):
            unit = question_vector(query, self._dims)
            self._scores = {name: self._fields[name].scores(unit, scope) for name in asked.fields}
            self._asked = asked
        return self._scores

    def best_cosines(self, query: Vectors, field: FieldName, documents: Collection[int]) -> dict[int, float]:
        """Return the best cosine in the field, for each of these pages that has vectors in it, as of the last
        :meth:`refresh`. Raises ``InputError``."""
        return self._fields[field].best_cosines(question_vector(query, self._dims), documents)

    def _start(self) -> None:
        """Start with empty matrices; an earlier load that failed may have left rows."""
        self._fields = {name: FieldMatrix(self._dims) for name in FIELDS}
        self.damaged.clear()

    def _forget(self, documents: Collection[int]) -> None:
        self.damaged.difference_update(documents)
        for matrix in self._fields.values():
            matrix.detach()
            matrix.remove(documents)

    def _add(self, matrix: FieldMatrix, stored: Sequence[StoredChunks]) -> None:
        whole = whole_rows(self._dims, stored)
        if not whole.all():
            self.damaged |= {row[1] for row, is_whole in zip(stored, whole, strict=True) if not is_whole}
            stored = tuple(compress(stored, whole))
        if not stored:
            return
        chunks = _joined(self._dims, stored)
        damaged = np.unique(chunks.documents[~valid_rows(chunks.vectors)])
        self.damaged.update(damaged.tolist())
        matrix.add(chunks.without(damaged) if len(damaged) else chunks)


def _runs(rows: Rows) -> Iterator[tuple[int, int]]:
    """Return the slices of ``rows`` that are consecutive within a block."""
    follows = (np.diff(rows) == 1) & (rows[1:] % BLOCK_ROWS != 0)
    bounds = [0, *(np.flatnonzero(~follows) + 1).tolist(), len(rows)]
    return pairwise(bounds) if len(rows) else iter(())


def _joined(dims: int, stored: Sequence[StoredChunks]) -> ChunkRows:
    """Join the chunks of several pages."""
    _, documents, *blobs = zip(*stored, strict=True)
    positions, starts, ends, vectors = map(b"".join, blobs)
    return ChunkRows(
        documents=np.repeat(np.array(documents, np.int64), [len(each) // 4 for each in blobs[1]]),
        positions=np.frombuffer(positions, "<i4"),
        starts=np.frombuffer(starts, "<i4"),
        ends=np.frombuffer(ends, "<i4"),
        vectors=np.frombuffer(vectors, "<f4").reshape(-1, dims),
    )
