"""A generation's vectors in memory; a refresh loads only the pages that changed in its file."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from itertools import compress, groupby
from operator import itemgetter
from typing import Final

import numpy as np

from app.search.embedded.changes import changes_after
from app.search.embedded.matrix import ChunkRows, FieldMatrix, FieldScores
from app.search.embedded.scope import Mask, Scope
from app.search.validation import question_vector
from ingest.types import FIELDS, FieldName, Vectors
from ingest.vectors import valid_rows

LOADED_AT_ONCE: Final = 512
"""Rows of the file that are turned into arrays together: array calls cost more than copying. At 700 new
objects Python starts to look for garbage, in the end through the whole process."""

_ALL_CHUNKS = "SELECT field, document, positions, starts, ends, vectors FROM chunks"
_CHUNKS = f"{_ALL_CHUNKS} WHERE document IN (SELECT document FROM changes WHERE number > ?)"

_FIELD = itemgetter(0)

StoredChunks = tuple[FieldName, int, bytes, bytes, bytes, bytes]
"""A page's chunks in one field: field, document, positions, starts, ends, vectors."""


class VectorMemory:
    """One matrix per field, as of the last :meth:`refresh`. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._last_change = 0
        self.damaged: set[int] = set()
        """The document numbers of pages with a damaged field, which is left out."""
        self._start()

    def refresh(self, connection: sqlite3.Connection) -> int:
        """Update the matrices to the state of ``connection``'s transaction. Returns how many pages changed.

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
            # From the first to the last, a file is read twice as fast as by its index.
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
        """The cosines of these fields, in ``scope``, as of the last :meth:`refresh`.

        ``query``: shape ``(dims,)``. Raises ``InputError``.
        """
        unit = question_vector(query, self._dims)
        return {name: self._fields[name].scores(unit, scope) for name in fields}

    def best_cosines(self, query: Vectors, field: FieldName, documents: Collection[int]) -> dict[int, float]:
        """The best cosine in the field of each of these pages that has vectors in it, as of the last
        :meth:`refresh`. Raises ``InputError``."""
        return self._fields[field].best_cosines(question_vector(query, self._dims), documents)

    def _start(self) -> None:
        """Forget what an earlier load that failed may have left."""
        self._fields = {name: FieldMatrix(self._dims) for name in FIELDS}
        self.damaged.clear()

    def _forget(self, documents: Collection[int]) -> None:
        self.damaged.difference_update(documents)
        for matrix in self._fields.values():
            matrix.detach()
            matrix.remove(documents)

    def _add(self, matrix: FieldMatrix, stored: Sequence[StoredChunks]) -> None:
        whole = _whole(self._dims, stored)
        if not whole.all():
            self.damaged |= {row[1] for row, is_whole in zip(stored, whole, strict=True) if not is_whole}
            stored = tuple(compress(stored, whole))
        if not stored:
            return
        chunks = _joined(self._dims, stored)
        damaged = np.unique(chunks.documents[~valid_rows(chunks.vectors)])
        self.damaged.update(damaged.tolist())
        matrix.add(chunks.without(damaged) if len(damaged) else chunks)


def is_sound(dims: int, positions: bytes, starts: bytes, ends: bytes, vectors: bytes) -> bool:
    """True if a row of ``chunks`` is not damaged."""
    if not _whole(dims, [("content", 0, positions, starts, ends, vectors)]).all():
        return False
    return bool(valid_rows(np.frombuffer(vectors, "<f4").reshape(-1, dims)).all())


def _whole(dims: int, stored: Sequence[StoredChunks]) -> Mask:
    """Which rows have columns of the same length: shape ``(n,)``."""
    columns = tuple(zip(*stored, strict=True))[2:]
    positions, starts, ends, vectors = (np.fromiter(map(len, each), np.int64) for each in columns)
    whole: Mask = (starts == positions) & (starts == ends) & (starts % 4 == 0) & (vectors == dims * starts)
    return whole


def _joined(dims: int, stored: Sequence[StoredChunks]) -> ChunkRows:
    """The chunks of several pages."""
    _, documents, *blobs = zip(*stored, strict=True)
    positions, starts, ends, vectors = map(b"".join, blobs)
    return ChunkRows(
        documents=np.repeat(np.array(documents, np.int64), [len(each) // 4 for each in blobs[1]]),
        positions=np.frombuffer(positions, "<i4"),
        starts=np.frombuffer(starts, "<i4"),
        ends=np.frombuffer(ends, "<i4"),
        vectors=np.frombuffer(vectors, "<f4").reshape(-1, dims),
    )
