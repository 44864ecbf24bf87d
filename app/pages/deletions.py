"""Deletes in all languages, which also apply to languages in which the page is not known yet.

Every function works inside the caller's transaction.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from app.pages.acceptance import Key
from app.pages.refs import by_source, has_id
from app.pages.tables import deletions
from app.pages.versions import execute_many

# Built once, because every acceptance needs them and building a statement takes longer than executing it.
_LOAD: Final = select(deletions).where(has_id(deletions))
_DELETE: Final = delete(deletions).where(
    deletions.c.source == bindparam("of_source"), deletions.c.id == bindparam("of_id")
)
_INSERT: Final = insert(deletions)


def load(connection: Connection, keys: Iterable[Key]) -> dict[Key, int]:
    """Return the highest revision of a delete in all languages, for each of the pages that has one."""
    found: dict[Key, int] = {}
    for some in by_source(keys):
        found.update(((row.source, row.id), row.revision) for row in connection.execute(_LOAD, some))
    return found


def store(connection: Connection, stored: Mapping[Key, int], planned: Mapping[Key, int]) -> None:
    """Write those of a plan's deletions that differ from the ``stored`` ones."""
    rows = [
        {"source": source, "id": page_id, "revision": revision}
        for (source, page_id), revision in planned.items()
        if stored.get((source, page_id)) != revision
    ]
    replaced = [{"of_source": row["source"], "of_id": row["id"]} for row in rows]
    execute_many(connection, _DELETE, replaced)
    execute_many(connection, _INSERT, rows)
