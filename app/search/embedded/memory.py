"""A generation's vectors in memory; a refresh loads only the pages that changed in its file."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np

from app.search.embedded.matrix import ChunkRows, FieldMatrix, FieldScores
from app.search.embedded.scope import Scope
from app.search.validation import question_vector
from ingest.types import FIELDS, FieldName, Vectors
from ingest.vectors import valid_rows

LOADED_AT_ONCE: Final = 2_048
"""Rows of the file that are turned into arrays together: array calls cost more than copying."""

_CHANGES = "SELECT number, document FROM changes WHERE number > ? ORDER BY number"
_ALL_CHUNKS = "SELECT field, document, positions, starts, ends, vectors FROM chunks"
_CHUNKS = f"{_ALL_CHUNKS} WHERE document IN (SELECT document FROM changes WHERE number > ?)"

StoredChunks = tuple[FieldName, int, bytes, bytes, bytes, bytes]
"""A page's chunks in one field: field, document, positions, starts, ends, vectors."""


class VectorMemory:
    """One matrix per field, as of the last :meth:`refresh`. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._fields = {name: FieldMatrix(dims) for name in FIELDS}
        self._last_change = 0
        self.damaged: set[int] = set()
        """The document numbers of pages with a damaged field, which is left out."""

    def refresh(self, connection: sqlite3.Connection) -> int:
        """Update the matrices to the state of ``connection``'s transaction. Returns how many pages changed.

        That state must not be older than the last one. After an error the next call repeats the work.
        """
        changes = connection.execute(_CHANGES, (self._last_change,)).fetchall()
        if not changes:
            return 0
        documents = [document for _, document in changes]
        self.damaged.difference_update(documents)
        for matrix in self._fields.values():
            matrix.detach()
            matrix.remove(documents)
        # From the first to the last, a file is read twice as fast as by its index.
        rows = connection.execute(*((_CHUNKS, (self._last_change,)) if self._last_change else (_ALL_CHUNKS,)))
        while some := rows.fetchmany(LOADED_AT_ONCE):
            by_field: dict[FieldName, list[StoredChunks]] = {}
            for row in some:
                by_field.setdefault(row[0], []).append(row)
            for name, stored in by_field.items():
                self._add(self._fields[name], stored)
        self._last_change = changes[-1][0]
        return len(changes)

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

    def _add(self, matrix: FieldMatrix, stored: Sequence[StoredChunks]) -> None:
        whole = [row for row in stored if _is_whole(self._dims, *row[2:])]
        if len(whole) < len(stored):
            self.damaged |= {row[1] for row in stored} - {row[1] for row in whole}
        if not whole:
            return
        chunks = _joined(self._dims, whole)
        damaged = np.unique(chunks.documents[~valid_rows(chunks.vectors)])
        self.damaged.update(damaged.tolist())
        matrix.add(chunks.without(damaged) if len(damaged) else chunks)


def is_sound(dims: int, positions: bytes, starts: bytes, ends: bytes, vectors: bytes) -> bool:
    """True if a row of ``chunks`` is not damaged."""
    if not _is_whole(dims, positions, starts, ends, vectors):
        return False
    return bool(valid_rows(np.frombuffer(vectors, "<f4").reshape(-1, dims)).all())


def _is_whole(dims: int, positions: bytes, starts: bytes, ends: bytes, vectors: bytes) -> bool:
    """True if the columns have the same length."""
    size = len(starts)
    return size == len(positions) == len(ends) and not size % 4 and len(vectors) == dims * size


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
