"""Damaged vectors, as an administrator meets them."""

import sqlite3
from contextlib import closing

from tests.fakes.command import Command


def test_they_end_nothing_are_counted_and_mended(town: Command) -> None:
    with closing(sqlite3.connect(town.data / "pages.sqlite")) as connection, connection:
        connection.execute("UPDATE vectors SET vector = substr(vector, 1, 100)")
    assert town.run("reindex").code == 0
    with closing(sqlite3.connect(town.data / "index" / "generation-000002.sqlite")) as connection, connection:
        connection.execute("UPDATE chunks SET vectors = substr(vectors, 1, 100)")
    assert "Membership of the library is free" in town.run("ask", "Membership of the library").out
    [line] = [shown for shown in town.run("status").out.splitlines() if shown.startswith("BAD")]
    assert line.startswith("BAD vectors: 3 pages have damaged vectors")
    assert "run `auskunft reconcile`" in line
    assert town.run("reconcile").code == 0
    assert not [shown for shown in town.run("status").out.splitlines() if shown.startswith("BAD")]
