"""``auskunft curation``."""

import json
from pathlib import Path

import pytest

from tests.fakes.command import Command

ENTRY = ("--ask", "Is the pool free?", "--text", "Yes.")


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_an_entry_is_added_listed_and_removed(command: Command) -> None:
    added = command.run("curation", "add", "answer", *ENTRY, "--until", "2099-12-31", "--owner", "kim")
    assert (added.code, added.err) == (0, "")
    assert added.out.startswith("entry 1 counts now: Is the pool free? Yes.")
    [entry] = json.loads(command.run("curation", "list", "--json").out)
    assert (entry["number"], entry["state"], entry["content"]["until"]) == (1, "active", "2099-12-31")
    assert "Is the pool free?" in command.run("curation", "list", "--kind", "answer").out
    assert command.run("curation", "remove", "1").code == 0
    assert command.run("curation", "list").out == "no entries\n"


def test_a_preview_stores_nothing(command: Command) -> None:
    assert command.run("curation", "preview", "answer", *ENTRY).out == "0 of 0 questions (0%)\n"
    assert json.loads(command.run("curation", "list", "--json").out) == []


def test_what_cannot_be_stored_is_one_line(command: Command) -> None:
    for arguments, message in (
        (("add", "answer", "--ask", "Is it?"), "needs 'text'"),
        (("add", "pin", "--ask", "Is it?", "--page", "pool"), "is not a page: use SOURCE:ID"),
        (("add", "pin", "--ask", "Is it?", "--page", "town:pool"), "has no page 'pool' in source 'town'"),
        (("add", "answer", *ENTRY, "--site", "nowhere"), "unknown site 'nowhere'"),
        (("remove", "7"), "there is no entry 7"),
    ):
        result = command.run("curation", *arguments)
        assert result.code == 2
        assert message in result.err
        assert result.err.count("\n") == 1


def test_a_number_that_no_database_holds_is_too_large(command: Command) -> None:
    said = command.run("curation", "remove", "9" * 21).complaint(2)
    assert f"{'9' * 21} is too large" in said


def test_a_misspelt_part_of_it_is_told_the_likely_one(command: Command) -> None:
    said = command.run("curation", "lst").complaint(2)
    assert "No such command 'lst'. Did you mean 'list'? Try 'auskunft curation --help'." in said
