"""Deletes in all languages in the database: they hold for languages of which nothing is known yet.

Every function works inside the caller's transaction.
"""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from app.pages.acceptance import Key
from app.pages.refs import chunks, named
from app.pages.tables import deletions
from app.pages.versions import execute_many


def load(connection: Connection, keys: Iterable[Key]) -> dict[Key, int]:
    """The highest revision of a delete, for those of the pages that have one."""
    found: dict[Key, int] = {}
    for chunk in chunks(sorted(set(keys))):
        query = select(deletions).where(named(chunk, deletions))
        found.update(((row.source, row.id), row.revision) for row in connection.execute(query))
    return found


def store(connection: Connection, stored: Mapping[Key, int], planned: Mapping[Key, int]) -> None:
    """Write a plan's deletions that are not the ``stored`` ones."""
    is_page = and_(deletions.c.source == bindparam("of_source"), deletions.c.id == bindparam("of_id"))
    rows = [
        {"source": source, "id": page_id, "revision": revision}
        for (source, page_id), revision in planned.items()
        if stored.get((source, page_id)) != revision
    ]
    replaced = [{"of_source": row["source"], "of_id": row["id"]} for row in rows]
    execute_many(connection, delete(deletions).where(is_page), replaced)
    execute_many(connection, insert(deletions), rows)
