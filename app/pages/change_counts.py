"""Counts of changes in the table ``meta``, by which all processes notice that something was changed."""

from typing import Any, Final

from sqlalchemy import Connection, select

from app.pages.bulk_insert import INSERTS
from app.pages.tables import meta


def _adding(insert: Any) -> Any:
    new = insert(meta).values(value=1)
    return new.on_conflict_do_update(index_elements=[meta.c.name], set_={"value": meta.c.value + 1})


_ADD: Final = {dialect: _adding(insert) for dialect, insert in INSERTS.items()}


class ChangeCount:
    """How often what ``name`` stands for was changed. Raising it locks it until the transaction ends."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._read = select(meta.c.value).where(meta.c.name == name)

    def read(self, connection: Connection) -> int:
        """The count so far."""
        return connection.execute(self._read).scalar() or 0

    def add(self, connection: Connection) -> None:
        """Count one more; the first step of a transaction."""
        connection.execute(_ADD[connection.dialect.name], {"name": self._name})
