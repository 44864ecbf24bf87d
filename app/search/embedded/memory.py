"""A generation's vectors in memory; a refresh loads only the pages that changed in its file."""

import sqlite3
from collections.abc import Iterable
from typing import Any

import numpy as np

from app.search.embedded.matrix import ChunkRows, FieldMatrix, FieldScores, Scope
from app.search.embedded.schema import COLLECTION
from app.search.types import QuerySpec
from app.search.validation import question_vector
from ingest.types import FIELDS, FieldName, Vectors
from ingest.vectors import valid_rows

_CHANGES = "SELECT number, document FROM changes WHERE number > ? ORDER BY number"
_CHUNKS = f"""
    SELECT chunks.document, source, {COLLECTION}, field, positions, starts, ends, vectors
    FROM changes JOIN documents ON documents.number = changes.document JOIN chunks USING (document)
    WHERE changes.number > ? ORDER BY changes.number"""


class VectorMemory:
    """One matrix per field, as of the last :meth:`refresh`. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._fields = {name: FieldMatrix(dims) for name in FIELDS}
        self._sources: dict[str, int] = {}
        self._collections: dict[str, int] = {}
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
        for document, source, collection, field, *blobs in connection.execute(_CHUNKS, (self._last_change,)):
            rows = chunk_rows(self._dims, *blobs)
            if rows is None:
                self.damaged.add(document)
                continue
            numbers = _number(self._sources, source), _number(self._collections, collection)
            self._fields[field].add(document, *numbers, rows)
        self._last_change = changes[-1][0]
        return len(changes)

    def scores(self, query: Vectors, spec: QuerySpec) -> dict[FieldName, FieldScores]:
        """The cosines of every field in ``spec.k``, in its scope, as of the last :meth:`refresh`.

        ``query``: shape ``(dims,)``. Raises ``InputError``.
        """
        unit = question_vector(query, self._dims)
        scope = Scope(
            sources=_known(self._sources, spec.sources),
            without=_known(self._collections, spec.without),
            within=None if spec.within is None else _known(self._collections, spec.within),
        )
        return {name: self._fields[name].scores(unit, scope) for name in spec.k}


def chunk_rows(dims: int, positions: bytes, starts: bytes, ends: bytes, vectors: bytes) -> ChunkRows | None:
    """One row of ``chunks``; ``None`` if it is damaged."""
    count = len(vectors) // (4 * dims)
    if {len(positions), len(starts), len(ends)} != {4 * count} or len(vectors) != 4 * dims * count:
        return None
    found = np.frombuffer(vectors, "<f4").reshape(count, dims)
    if not valid_rows(found).all():
        return None
    return ChunkRows(
        positions=np.frombuffer(positions, "<i4"),
        starts=np.frombuffer(starts, "<i4"),
        ends=np.frombuffer(ends, "<i4"),
        vectors=found,
    )


def array_of(blob: bytes, kind: str) -> Any:
    """The array in ``blob``, without an incomplete last item."""
    size = np.dtype(kind).itemsize
    return np.frombuffer(blob[: len(blob) // size * size], kind)


def _number(numbers: dict[str, int], name: str) -> int:
    """The number of a name, the next one for a new name."""
    return numbers.setdefault(name, len(numbers) + 1)


def _known(numbers: dict[str, int], names: Iterable[str]) -> list[int]:
    return [numbers[name] for name in names if name in numbers]
