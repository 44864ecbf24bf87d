"""A generation's vectors in memory, kept up with its file by loading only the pages that changed."""

import sqlite3
from collections.abc import Collection, Mapping

import numpy as np

from app.search.admission import question_vector
from app.search.embedded.matrix import ChunkRows, FieldMatrix
from app.search.types import ChunkHit
from ingest.types import FIELDS, FieldName, Vectors

Nearest = dict[FieldName, dict[int, tuple[ChunkHit, ...]]]
"""Per field the pages that a kNN clause brought, by document number, with their best chunks."""

_CHANGES = "SELECT number, document FROM changes WHERE number > ? ORDER BY number"
_CHUNKS = """
    SELECT chunks.document, source, field, positions, starts, ends, vectors
    FROM changes JOIN documents ON documents.number = changes.document JOIN chunks USING (document)
    WHERE changes.number > ? ORDER BY changes.number"""


class VectorMemory:
    """One matrix per field, as of the last :meth:`refresh`. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self._fields = {name: FieldMatrix(dims) for name in FIELDS}
        self._sources: dict[str, int] = {}
        self._known = 0

    def refresh(self, connection: sqlite3.Connection) -> int:
        """Bring the matrices to the state that ``connection``'s transaction sees; how many pages changed.

        That state must not be older than the last one. After an error the next call does the work again.
        """
        changes = connection.execute(_CHANGES, (self._known,)).fetchall()
        if not changes:
            return 0
        documents = [document for _, document in changes]
        for matrix in self._fields.values():
            matrix.remove(documents)
        for document, source, field, *blobs in connection.execute(_CHUNKS, (self._known,)):
            number = self._sources.setdefault(source, len(self._sources) + 1)
            self._fields[field].add(document, number, self._rows(*blobs))
        self._known = changes[-1][0]
        return len(changes)

    def nearest(self, query: Vectors, sources: Collection[str], k: Mapping[FieldName, int]) -> Nearest:
        """The ``k[field]`` nearest pages per field. ``query``: shape ``(dims,)``. Raises ``InputError``."""
        unit = question_vector(query, self._dims)
        numbers = [self._sources[source] for source in sources if source in self._sources]
        return {name: self._fields[name].nearest(unit, numbers, limit) for name, limit in k.items()}

    def _rows(self, positions: bytes, starts: bytes, ends: bytes, vectors: bytes) -> ChunkRows:
        return ChunkRows(
            positions=np.frombuffer(positions, "<i4"),
            starts=np.frombuffer(starts, "<i4"),
            ends=np.frombuffer(ends, "<i4"),
            vectors=np.frombuffer(vectors, "<f4").reshape(-1, self._dims),
        )
