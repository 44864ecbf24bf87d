"""``auskunft reconcile``: what it says, and that what it mends is found again."""

from contextlib import closing

from app.search.embedded import EmbeddedIndex
from app.search.types import Remove
from tests.fakes.command import Command


def lose(town: Command, page_id: str) -> None:
    """The index loses a page behind the page store's back."""
    with closing(EmbeddedIndex(town.data / "index")) as index:
        [(lost, sequence)] = [item for item in index.refs(1) if item[0].id == page_id]
        index.write(1, [Remove(ref=lost, sequence=sequence)])


def test_where_nothing_differs_it_says_so(town: Command) -> None:
    result = town.run("reconcile")
    assert (result.code, result.err) == (0, "")
    assert result.out == "3 pages compared with generation 1: no difference\n"


def test_what_differs_is_listed_and_only_mended_when_that_is_asked_for(town: Command) -> None:
    lose(town, "pool.html")
    dry = town.run("reconcile", "--dry-run")
    assert "1 missing; nothing was changed\n  missing (not in the index): town/pool.html (en)\n" in dry.out
    refusal = town.run("reconcile").complaint(1)
    assert "1 of 3 pages differ between page store and index (1 missing), so nothing was changed" in refusal
    assert town.run("search", "swimming pool", "--json").json()["hits"] == []
    assert "BAD reconciliation: " in town.run("status").out
    mended = town.run("reconcile", "--confirm")
    assert (mended.code, mended.err) == (0, "")
    assert "1 missing; mended" in mended.out
    [hit] = town.run("search", "swimming pool", "--json").json()["hits"]
    assert hit["id"] == "pool.html"
    assert "reconciliation" not in town.run("status").out


def test_it_speaks_json(town: Command) -> None:
    lose(town, "pool.html")
    document = town.run("reconcile", "--confirm", "--source", "town", "--json").json()
    assert document["counts"] == {"missing": 1}
    assert (document["pages"], document["repaired"], document["problem"]) == (3, True, "")


def test_an_unknown_source_is_named_with_the_known_ones(town: Command) -> None:
    assert "unknown source 'city'; known: town" in town.run("reconcile", "--source", "city").complaint(2)
