"""``auskunft reindex``, ``generations``, ``rollback``."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.command import Command
from tests.fakes.installation import find, rows

NO_LIVE = "no index generation is live: run `auskunft reindex`"


def generations(command: Command) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = command.run("generations", "--json").json()
    return listed


def states(command: Command) -> dict[int, str]:
    return {row["number"]: row["state"] for row in generations(command)}


def test_a_rebuild_and_the_way_back(town: Command) -> None:
    result = town.run("reindex")
    assert (result.code, result.err) == (0, "")
    said = r"3 pages, 0 failed in [\d.]+ s: generation 2 is live; 1 is kept for `auskunft rollback`\n"
    assert re.fullmatch(said, result.out)
    assert states(town) == {1: "retired", 2: "live"}
    (town.folder / "site" / "library.md").write_text("The library lends gramophones and books to all.\n")
    town.run("index", "site", "--source", "town")

    back = town.run("rollback")
    assert (back.code, back.err) == (0, "")
    assert "generation 1 is live; 2 is kept" in back.out
    assert find(town.data, ["gramophones", "pool"]) == [["library.md"], ["pool.html"]]
    assert "generation 2 is live" in town.run("rollback", "2").out


def test_an_embedder_with_other_options_is_used_from_the_rebuild_on_and_the_old_one_until_then(
    town: Command,
) -> None:
    smaller: dict[str, Any] = {"embedders__hashing__dims": 64}
    question = "When does the swimming pool open?"
    before = town.run("search", question, "--json", **smaller).json()
    rebuilt = town.run("reindex", **smaller)
    assert rebuilt.code == 0
    assert "restart `auskunft serve`" in rebuilt.out
    assert [row["embedder"]["dims"] for row in generations(town)] == [512, 64]
    after = town.run("search", question, "--json", **smaller).json()
    for found in (before, after):
        assert (found["degraded"], found["hits"][0]["id"]) == ([], "pool.html")


def test_the_list_tells_what_each_generation_was_made_with(town: Command) -> None:
    town.run("reindex")
    first, second = generations(town)
    assert (first["number"], first["state"], first["pages"]) == (1, "retired", 3)
    assert second["embedder"] == {"name": "hashing", "version": 1, "dims": 512}
    lines = town.run("generations").out.splitlines()
    assert re.search(r"2 +live +\d{4}-\d\d-\d\dT[\d:]{8} +hashing \(512\) +3", lines[2])


def test_a_retired_generation_can_be_dropped_and_the_live_one_not(town: Command) -> None:
    town.run("reindex")
    assert "generation 2 is live" in town.run("generations", "--drop", "2").complaint(2)
    assert "there is no generation 7" in town.run("generations", "--drop", "7").complaint(2)
    assert town.run("generations", "--drop", "1").code == 0
    assert states(town) == {2: "live"}
    assert "no earlier generation is kept" in town.run("rollback").complaint(2)


@pytest.mark.parametrize(("number", "complaint"), [("1", "generation 1 is live"), ("9", "known: 1")])
def test_only_a_retired_generation_comes_back(indexed: Command, number: str, complaint: str) -> None:
    assert complaint in indexed.run("rollback", number).complaint(2)


def test_failures_are_counted_and_listed_and_the_exit_code_tells(town: Command) -> None:
    (town.folder / "site" / "empty.html").write_text("<p> </p>")
    assert town.run("index", "site", "--source", "town").code == 1
    result = town.run("reindex")
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("3 pages, 1 failed (1 empty) in ")
    assert "  empty.html: failed(empty): the page has no visible text" in result.out
    assert states(town) == {1: "retired", 2: "live"}


def test_a_source_is_written_again_in_place(town: Command) -> None:
    result = town.run("reindex", "--source", "town")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("3 indexed, 0 unchanged, 0 failed in ")
    assert states(town) == {1: "live"}
    assert "known: town" in town.run("reindex", "--source", "nope").complaint(2)
    said = town.run("reindex", "--source", "town", embedder="e5").complaint(2)
    assert "run `auskunft reindex` without --source" in said


def test_an_index_of_another_installation_is_told_and_taken_over_on_purpose(town: Command) -> None:
    with closing(sqlite3.connect(town.data / "index" / "catalog.sqlite")) as connection, connection:
        connection.execute("UPDATE generations SET owner = 'another'")
    for call in (["search", "pool"], ["index", "site"], ["remove", "library.md"], ["reindex"], ["rollback"]):
        assert "generation 1 belongs to another installation" in town.run(*call).complaint(1)
    assert "BAD index: generation 1 belongs to another installation" in town.run("status").out
    assert "live, foreign" in town.run("generations").out
    assert "generation 2 is live" in town.run("reindex", "--take-over").out
    assert find(town.data, ["pool"]) == [["pool.html"]]


def test_a_page_store_that_is_gone_is_to_be_restored_and_empties_no_index(town: Command) -> None:
    saved = {path: path.read_bytes() for path in town.data.glob("pages.sqlite*")}
    for path in saved:
        path.unlink()
    for call in (["search", "pool"], ["index", "site"], ["reindex"], ["rollback"]):
        said = town.run(*call).complaint(1)
        assert "page store is empty" in said
        assert "restore the page store" in said
    assert "BAD index: the page store is empty" in town.run("status").out
    assert "--confirm-deletions" in town.run("reindex", "--take-over").complaint(2)
    assert "needs --take-over" in town.run("reindex", "--confirm-deletions").complaint(2)
    for path in town.data.glob("pages.sqlite*"):
        path.unlink()
    for path, content in saved.items():
        path.write_bytes(content)
    assert find(town.data, ["pool"]) == [["pool.html"]]


def test_a_change_of_index_asks_for_a_rebuild(town: Command) -> None:
    with closing(sqlite3.connect(town.data / "pages.sqlite")) as connection, connection:
        connection.execute("UPDATE installation SET indexed_in = 'elasticsearch town'")
    complaint = "pages were last indexed into elasticsearch town, but the settings say embedded"
    for call in (["search", "pool"], ["index", "site"], ["reindex", "--source", "town"]):
        assert complaint in town.run(*call).complaint(1)
    assert f"BAD index: {complaint}" in town.run("status").out
    assert town.run("reindex").code == 0
    assert find(town.data, ["pool"]) == [["pool.html"]]


def test_a_missing_index_is_told_everywhere_until_it_is_built(town: Command) -> None:
    shutil.rmtree(town.data / "index")
    for call in (["search", "pool"], ["ask", "When does the pool open?"], ["index", "site"]):
        assert NO_LIVE in town.run(*call).complaint(1)
    assert NO_LIVE in town.run("remove", "library.md").complaint(1)
    status = town.run("status")
    assert (status.code, status.err) == (1, "")
    assert f"BAD index: {NO_LIVE} to build one" in status.out.splitlines()
    assert "no generations" in town.run("generations").out

    assert town.run("reindex").out.startswith("2 pages, 0 failed in ")
    assert find(town.data, ["pool", "library"]) == [["pool.html"], []]
    assert [row.state for row in rows(town.data)] == ["excluded", "indexed", "indexed"]


def damage(file: Path) -> None:
    file.write_bytes(b"no database at all" * 300)


@pytest.mark.parametrize("fault", [damage, Path.unlink])
def test_a_live_generation_that_cannot_be_read_is_replaced_by_a_rebuild(town: Command, fault: Any) -> None:
    for companion in ("-wal", "-shm"):
        (town.data / "index" / f"generation-000001.sqlite{companion}").unlink(missing_ok=True)
    fault(town.data / "index" / "generation-000001.sqlite")
    assert "run `auskunft reindex`" in town.run("search", "pool").complaint(1)
    assert [row["pages"] for row in generations(town)] == [None]
    result = town.run("reindex")
    assert (result.code, result.err) == (0, "")
    assert re.fullmatch(r"3 pages, 0 failed in [\d.]+ s: generation 2 is live\n", result.out)
    assert states(town) == {2: "live"}
    assert find(town.data, ["pool"]) == [["pool.html"]]


def test_a_damaged_catalog_says_what_to_do(town: Command) -> None:
    damage(town.data / "index" / "catalog.sqlite")
    said = town.run("search", "pool").complaint(1)
    assert f"delete {town.data / 'index'} and run `auskunft reindex`" in said
    shutil.rmtree(town.data / "index")
    assert town.run("reindex").code == 0
    assert find(town.data, ["pool"]) == [["pool.html"]]


def test_without_a_live_generation_a_retired_one_can_come_back(town: Command) -> None:
    with closing(sqlite3.connect(town.data / "index" / "catalog.sqlite")) as connection, connection:
        connection.execute("UPDATE generations SET state = 'retired'")
    assert NO_LIVE in town.run("search", "pool").complaint(1)
    result = town.run("rollback")
    assert (result.code, result.err) == (0, "")
    assert "generation 1 is live\n" in result.out
    assert find(town.data, ["pool"]) == [["pool.html"]]


def test_status_tells_that_a_generation_is_in_the_making(town: Command) -> None:
    with closing(sqlite3.connect(town.data / "pages.sqlite")) as connection, connection:
        connection.execute(
            "REPLACE INTO builds VALUES (1, 'elsewhere', '2026-11-21 12:00:00', '2999-01-01 00:00:00', 7)"
        )
    shown = town.run("status").out
    assert "ok  index: generation 1; generation 7 being built since 2026-11-21 12:00 UTC" in shown
    assert "generation 7 has been under construction since" in town.run("reindex").complaint(2)
