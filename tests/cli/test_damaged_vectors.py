"""Damaged vectors, as an administrator meets them."""

import sqlite3
from contextlib import closing

import pytest

from tests.fakes.command import Command


@pytest.mark.parametrize("damaged", ["substr(vector, 1, 100)", "'text, not a vector'"])
def test_they_end_nothing_are_counted_and_mended(town: Command, damaged: str) -> None:
    with closing(sqlite3.connect(town.data / "pages.sqlite")) as connection, connection:
        connection.execute(f"UPDATE vectors SET vector = {damaged}")
    assert town.run("reindex").code == 0
    with closing(sqlite3.connect(town.data / "index" / "generation-000002.sqlite")) as connection, connection:
        connection.execute("UPDATE chunks SET vectors = substr(vectors, 1, 100)")
    assert "Membership of the library is free" in town.run("ask", "Membership of the library").out
    status = town.run("status")
    [line] = [shown for shown in status.out.splitlines() if shown.startswith("BAD")]
    assert (status.code, town.run("status", "--json").code) == (1, 1)  # though questions are answered
    assert line.startswith("BAD vectors: 3 pages have damaged vectors")
    assert "run `auskunft reconcile`" in line
    assert town.run("reconcile").code == 0
    status = town.run("status")
    assert (status.code, [shown for shown in status.out.splitlines() if shown.startswith("BAD")]) == (0, [])
