"""The vector cache in the page store's database."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

import numpy as np
from sqlalchemy import LargeBinary, bindparam, cast, delete, select, update

from app.pages.bulk import chunks, insert_new
from app.pages.database import Store, reading, writing
from app.pages.tables import vectors as table
from app.pages.versions import execute_many
from ingest.types import Vectors

TOUCH_AFTER: Final = timedelta(days=1)
KEPT: Final = timedelta(days=30)
PRUNED_AT_ONCE: Final = 1_000

_STORED: Final = np.dtype("<f4")


class SqlVectorCache(Store):
    """Vectors by recipe and text hash (up to 64 characters each): an ``ingest.protocols.VectorCache``.

    ``last_used`` is updated at most once a day, so that reading seldom writes. Changes of many vectors skip
    those that another transaction has locked, so that no two wait for each other.
    """

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return the known vectors of ``hashes``, each of shape ``(dims,)`` and float32."""
        found: dict[str, Vectors] = {}
        stale: list[str] = []
        cutoff = self._clock() - TOUCH_AFTER
        stored_bytes = cast(table.c.vector, LargeBinary)  # because in SQLite a damaged one may be text
        query = select(table.c.hash, stored_bytes, table.c.last_used).where(table.c.recipe == recipe)
        with reading(self._engine) as connection:
            for chunk in chunks(hashes):
                for text_hash, stored, last_used in connection.execute(query.where(table.c.hash.in_(chunk))):
                    whole = len(stored) - len(stored) % _STORED.itemsize
                    found[text_hash] = np.frombuffer(stored[:whole], dtype=_STORED).astype(np.float32)
                    if last_used < cutoff:
                        stale.append(text_hash)
        if stale:
            self._touch(recipe, stale)
        return found

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors durably; existing entries stay as they are."""
        if not vectors:
            return
        shared = {"recipe": recipe, "last_used": self._clock()}
        rows = [
            {"hash": text_hash, "vector": vector.astype(_STORED).tobytes()}
            for text_hash, vector in sorted(vectors.items())  # so that concurrent calls lock in one order
        ]
        with writing(self._engine) as connection:
            insert_new(connection, table, rows, shared)

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """Delete vectors that are damaged."""
        same = table.c.recipe == recipe, table.c.hash == bindparam("of_hash")
        rows = [{"of_hash": text_hash} for text_hash in sorted(hashes)]
        with writing(self._engine) as connection:
            execute_many(connection, delete(table).where(*same), rows)

    def prune(self, older_than: timedelta = KEPT) -> int:
        """Delete vectors not used for that long, some at a time; return their number."""
        old = table.c.last_used < self._clock() - older_than
        same = table.c.recipe == bindparam("of_recipe"), table.c.hash == bindparam("of_hash")
        free = select(table.c.recipe.label("of_recipe"), table.c.hash.label("of_hash")).where(old)
        some = free.limit(PRUNED_AT_ONCE).with_for_update(skip_locked=True)
        pruned = 0
        while True:
            with writing(self._engine) as connection:
                found = connection.execute(some).mappings().all()
                execute_many(connection, delete(table).where(*same), [dict(row) for row in found])
            pruned += len(found)
            if len(found) < PRUNED_AT_ONCE:
                return pruned

    def _touch(self, recipe: str, hashes: Sequence[str]) -> None:
        with writing(self._engine) as connection:
            for chunk in chunks(hashes):
                free = select(table.c.hash).where(table.c.recipe == recipe, table.c.hash.in_(chunk))
                found = connection.scalars(free.with_for_update(skip_locked=True)).all()
                used = update(table).where(table.c.recipe == recipe, table.c.hash.in_(found))
                connection.execute(used.values(last_used=self._clock()))
