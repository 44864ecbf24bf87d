"""``auskunft pages`` and ``auskunft status``."""

from tests.fakes.command import Command

ROW = ["id", "language", "source", "url", "title", "state", "reason"]


def test_pages_prints_the_documented_rows(indexed: Command) -> None:
    rows = indexed.run("pages", "--json").json()
    assert [list(row) for row in rows] == [ROW] * 3
    assert rows[1] == {
        "id": "pool.html",
        "language": "en",
        "source": "town",
        "url": "https://town.example/pool",
        "title": "Swimming pool :smile: [/] [red]",
        "state": "indexed",
        "reason": "",
    }


def test_pages_for_people_are_one_line_each_whatever_their_titles_hold(indexed: Command) -> None:
    result = indexed.run("pages", extra={"COLUMNS": "30"})
    assert (result.code, result.err) == (0, "")
    header, _, pool, _ = result.out.splitlines()
    assert header.split() == ["state", "source", "language", "id", "title", "reason"]
    assert "Swimming pool :smile: [/] [red]" in pool


def test_no_failed_pages_are_an_empty_list(indexed: Command) -> None:
    assert indexed.run("pages", "--failed", "--json").json() == []
    assert indexed.run("pages", "--failed").out == "no pages\n"


def test_pages_of_an_unknown_source_are_refused(indexed: Command) -> None:
    result = indexed.run("pages", "--source", "nope")
    assert result.complaint(2) == "auskunft: unknown source 'nope'; known: town"


def test_a_source_with_failures_alone_is_known(town: Command) -> None:
    (town.folder / "manual.pdf").write_bytes(b"%PDF-1.7")
    assert town.run("index", "manual.pdf", "--source", "manuals").code == 1
    [row] = town.run("pages", "--source", "manuals", "--json").json()
    assert (row["id"], row["state"]) == ("manual.pdf", "failed")


def test_status_counts_pages_and_looks_at_every_part(indexed: Command) -> None:
    document = indexed.run("status", "--json").json()
    assert document["sources"] == {"town": {"indexed": 3}}
    parts = {part["name"]: part["ok"] for part in document["parts"]}
    working = ("page store", "disk", "sites", "workers", "backlog", "index", "embedder", "language model")
    assert parts == dict.fromkeys(working, True)
    shown = indexed.run("status").out.splitlines()
    assert any(line.startswith("ok  embedder: hashing (not semantic)") for line in shown)
    assert shown[-1] == "town: 3 indexed"


def test_status_fails_where_a_part_that_is_needed_does_not_work(town: Command) -> None:
    (town.data / "index" / "generation-000001.sqlite").write_bytes(b"no database at all" * 300)
    result = town.run("status")
    assert (result.code, result.err) == (1, "")
    assert any(line.startswith("BAD index: ") and "damaged" in line for line in result.out.splitlines())
