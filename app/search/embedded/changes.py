"""Finds the pages of a generation's file that changed since a state of it."""

import sqlite3
from dataclasses import dataclass
from typing import Final

_COUNT: Final = "SELECT coalesce(max(number), 0), count(*) FROM changes WHERE number > ?"
_DOCUMENTS: Final = "SELECT document FROM changes WHERE number > ? ORDER BY number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes ``after`` a number: the ``last`` one, and their ``count``."""

    connection: sqlite3.Connection
    after: int
    last: int
    count: int

    def documents(self) -> list[int]:
        """The document numbers of the pages, in the order of the changes."""
        return [document for (document,) in self.connection.execute(_DOCUMENTS, (self.after,))]


def changes_after(number: int, connection: sqlite3.Connection) -> Changes:
    """Return the changes after ``number`` in the state of ``connection``'s transaction."""
    last, count = connection.execute(_COUNT, (number,)).fetchone()
    return Changes(connection=connection, after=number, last=last, count=count)
