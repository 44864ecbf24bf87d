"""A page that the page store cannot read any more, as its administrator meets it."""

import sqlite3
from contextlib import closing

import pytest

from tests.fakes.command import Command

DAMAGES = {
    "body": "UPDATE bodies SET body = substr(body, 1, 20) WHERE id = 'waste.md'",
    "url": "UPDATE pages SET url = CAST(x'ff41' AS TEXT) WHERE id = 'waste.md'",
    "updated": "UPDATE pages SET updated = 'garbage' WHERE id = 'waste.md'",
}


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES)
def test_it_is_listed_all_others_are_written_and_the_next_import_heals_it(
    town: Command, statement: str
) -> None:
    with closing(sqlite3.connect(town.data / "pages.sqlite")) as connection, connection:
        connection.execute(statement)
    assert "2 indexed, 0 unchanged, 1 failed" in town.run("reindex", "--source", "town").out
    (row,) = town.run("pages", "--failed", "--json").json()
    assert row["id"] == "waste.md"
    assert row["reason"].startswith("damaged: ")
    assert town.run("index", "site", "--source", "town").out.startswith("1 indexed, 2 unchanged, 0 failed")
    assert town.run("pages", "--failed", "--json").json() == []
