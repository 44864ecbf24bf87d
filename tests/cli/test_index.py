"""``auskunft index``: what goes in, what stays, what leaves."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from ingest import documents
from ingest.sources import textfiles
from tests.cli.conftest import PAGES
from tests.fakes.command import Command
from tests.fakes.installation import find, rows


def found(command: Command, word: str) -> list[str]:
    [ids] = find(command.data, [word])
    return ids


def failed(command: Command) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = command.run("pages", "--failed", "--json").json()
    return listed


def summary(command: Command, *arguments: str | Path) -> str:
    """The first line of a run that succeeded, without the time."""
    result = command.run("index", *arguments)
    assert result.code == 0, result
    return result.out.splitlines()[0].partition(" in ")[0]


def test_a_second_run_changes_nothing_and_an_edited_page_alone_is_indexed(town: Command) -> None:
    assert summary(town, "site", "--source", "town") == "0 indexed, 3 unchanged, 0 failed"
    (town.folder / "site" / "library.md").write_text("The library lends gramophones and books to all.\n")
    assert summary(town, "site", "--source", "town") == "1 indexed, 2 unchanged, 0 failed"
    assert found(town, "gramophones") == ["library.md"]


def test_a_vanished_page_stays_until_it_is_pruned_and_returns_with_its_file(town: Command) -> None:
    page = town.folder / "site" / "library.md"
    page.unlink()
    assert summary(town, "site", "--source", "town") == "0 indexed, 2 unchanged, 0 failed"
    assert found(town, "library") == ["library.md"]
    assert (
        summary(town, "site", "--source", "town", "--prune") == "0 indexed, 2 unchanged, 1 deleted, 0 failed"
    )
    assert found(town, "library") == []
    page.write_text(PAGES["library.md"], "utf-8")
    assert summary(town, "site", "--source", "town") == "1 indexed, 2 unchanged, 0 failed"
    assert found(town, "library") == ["library.md"]


def test_nothing_is_pruned_while_a_document_cannot_be_read(town: Command) -> None:
    (town.folder / "site" / "library.md").unlink()
    (town.folder / "site" / "broken.md").write_bytes("cut off".encode("utf-16")[:-1])
    result = town.run("index", "site", "--source", "town", "--prune")
    assert result.code == 1
    assert "nothing pruned, because documents could not be read: 1" in result.out
    assert found(town, "library") == ["library.md"]


def test_pruning_leaves_other_sources_alone(town: Command) -> None:
    (town.folder / "one.md").write_text("# Quarry\n\nThe quarry is closed to visitors all year round.\n")
    assert summary(town, "one.md", "--source", "other", "--prune") == "1 indexed, 0 unchanged, 0 failed"
    assert [row.ref.source for row in rows(town.data)] == ["other", "town", "town", "town"]


@pytest.fixture
def forty(tmp_path: Path) -> Command:
    """An installation with forty pages of the folder ``site``, ten of them in each of four folders."""
    command = Command(tmp_path)
    write_pages(tmp_path / "site", 40)
    assert summary(command, "site", "--source", "town") == "40 indexed, 0 unchanged, 0 failed"
    return command


def write_pages(folder: Path, count: int, word: str = "quarry") -> None:
    for number in range(count):
        path = folder / str(number % 4) / f"{word}{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Page {number}\n\nPage {number} is about the {word}.\n")


def live(command: Command) -> int:
    """How many pages there are."""
    return sum(row.state != "deleted" for row in rows(command.data))


def test_another_folder_deletes_nothing_and_brings_nothing_in_until_that_is_confirmed(forty: Command) -> None:
    write_pages(forty.folder / "other site", 200, "marina")
    index = ("index", "other site", "--source", "town", "--language", "en", "--prune")
    for _ in range(2):
        complaint = forty.run(*index).complaint(1)
        assert "40 of 40 pages of source 'town' are missing: nothing was deleted" in complaint
        assert f"run `{shlex.join(('auskunft', *index))} --confirm-deletions`" in complaint
        assert live(forty) == 40
    result = forty.run(*index, "--confirm-deletions")
    assert (result.code, result.out.partition(" in ")[0]) == (
        0,
        "200 indexed, 0 unchanged, 40 deleted, 0 failed",
    )
    assert live(forty) == 200


@pytest.mark.parametrize(("vanished", "are_refused"), [(8, False), (9, True)])
def test_more_than_a_fifth_goes_only_once_that_is_confirmed(
    forty: Command, vanished: int, are_refused: bool
) -> None:
    for path in sorted((forty.folder / "site").rglob("*.md"))[:vanished]:
        path.unlink()
    (forty.folder / "site" / "new.md").write_text("# Marina\n\nThe marina has forty berths for boats.\n")
    index = ["site", "--source", "town", "--prune"]
    if are_refused:
        assert f"{vanished} of 40 pages" in forty.run("index", *index).complaint(1)
        assert (live(forty), found(forty, "marina")) == (40, [])
        index.append("--confirm-deletions")
    assert summary(forty, *index) == f"1 indexed, {40 - vanished} unchanged, {vanished} deleted, 0 failed"


def test_fewer_than_five_pages_go_unasked_however_large_their_share_is(tmp_path: Path) -> None:
    command = Command(tmp_path)
    write_pages(tmp_path / "site", 5)
    summary(command, "site")
    for path in sorted((tmp_path / "site").rglob("*.md"))[1:]:
        path.unlink()
    assert summary(command, "site", "--prune") == "0 indexed, 1 unchanged, 4 deleted, 0 failed"


@pytest.mark.parametrize("confirmed", [(), ("--confirm-deletions",)])
def test_a_folder_that_became_a_link_leading_outside_deletes_nothing_even_if_that_is_confirmed(
    forty: Command, confirmed: tuple[str, ...]
) -> None:
    (forty.folder / "site" / "0").rename(forty.folder / "moved")
    (forty.folder / "site" / "0").symlink_to(forty.folder / "moved")
    (forty.folder / "site" / "1" / "quarry1.md").write_text("# Page\n\nThis page is about the marina.\n")
    result = forty.run("index", "site", "--source", "town", "--prune", *confirmed)
    assert (result.code, live(forty)) == (1, 40)
    assert "0: failed(invalid): links to folders are not followed" in result.out
    assert "nothing pruned, because documents could not be read: 1" in result.out
    assert found(forty, "marina") == ["1/quarry1.md"]


def test_pages_have_the_language_that_is_given_unless_they_state_one(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.md").write_text("# Xyz\n\nAbc.\n")
    (tmp_path / "site" / "b.html").write_text("<html lang='fr'><body><p>Bonjour.</p></body></html>")
    summary(command, "site", "--language", "de")
    assert {row.ref.id: row.ref.language for row in rows(command.data)} == {"a.md": "de", "b.html": "fr"}


def test_broken_lines_are_named_and_the_others_go_in(tmp_path: Path) -> None:
    command = Command(tmp_path)
    good = {"id": "good", "url": "https://town.example/good", "title": "Quarry", "html": "<p>The quarry.</p>"}
    pages = tmp_path / "pages.jsonl"
    lines = [
        json.dumps(good),
        "not JSON",
        '{"title": "no id"}',
        json.dumps(good | {"title": "Twice"}),
        "",
        json.dumps({"id": "other", "text": "The marina has forty berths for boats."}),
        '["a list"]',
        "\ufeff{}",
    ]
    pages.write_text("\n".join(lines))
    result = command.run("index", "pages.jsonl", "--source", "cms")
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("2 indexed, 0 unchanged, 5 failed in ")
    reasons = {row["id"]: row["reason"] for row in failed(command)}
    assert list(reasons) == [f"pages.jsonl:{number}" for number in (2, 3, 4, 7, 8)]
    for name, reason in reasons.items():
        assert f"line {name.rpartition(':')[2]}" in reason
        assert f"{name}: failed(invalid): " in result.out
    assert found(command, "marina") == ["other"]
    assert found(command, "quarry") == ["good"]

    pages.write_text("\n".join((lines[0], lines[5])))
    assert summary(command, "pages.jsonl", "--source", "cms") == "0 indexed, 2 unchanged, 0 failed"
    assert failed(command) == []


def test_a_failed_page_is_listed_with_its_reason_until_it_is_mended(town: Command) -> None:
    pdf = town.folder / "site" / "manual.pdf"
    pdf.write_bytes(b"%PDF-1.7\n")
    empty = town.folder / "site" / "empty.html"
    empty.write_text("<html><head><style>p {}</style></head><body> <!-- nothing --> </body></html>")
    result = town.run("index", "site", "--source", "town")
    assert result.code == 1
    assert "manual.pdf: failed(invalid): " in result.out
    nothing, row = failed(town)
    assert (nothing["id"], nothing["state"]) == ("empty.html", "failed")
    assert nothing["reason"].startswith("empty: ")
    assert row == {
        "id": "manual.pdf",
        "language": "",
        "source": "town",
        "url": "",
        "title": "",
        "state": "failed",
        "reason": "invalid: the PDF is damaged: open it and save or print it as PDF again",
    }
    pdf.unlink()
    empty.write_text("<p>The quarry.</p>")
    assert summary(town, "site", "--source", "town") == "1 indexed, 3 unchanged, 0 failed"
    assert failed(town) == []


def test_a_page_whose_language_changes_leaves_nothing_of_its_old_version(town: Command) -> None:
    page = town.folder / "site" / "library.md"
    page.write_text("Die Bücherei verleiht Bücher und Schallplatten für vier Wochen, auch an Kinder.\n")
    assert summary(town, "site", "--source", "town") == "1 indexed, 2 unchanged, 0 failed"
    assert found(town, "membership") == []
    assert found(town, "Schallplatten") == ["library.md"]
    languages = {row.ref.language: row.state for row in rows(town.data) if row.ref.id == "library.md"}
    assert languages == {"de": "indexed", "en": "deleted"}


def test_a_removed_page_is_gone_at_once_and_stays_out_until_it_is_included(town: Command) -> None:
    assert found(town, "library") == ["library.md"]
    removed = town.run("remove", "library.md")
    assert (removed.code, removed.out, removed.err) == (0, "removed: library.md (en)\n", "")
    assert found(town, "library") == []
    answer = town.run("ask", "Which library lends books for four weeks?", "--json").json()
    assert "library.md" not in [source["id"] for source in answer["sources"]]
    assert [row.state for row in rows(town.data) if row.ref.id == "library.md"] == ["excluded"]

    (town.folder / "site" / "library.md").write_text("The library lends gramophones and books to all.\n")
    town.run("index", "site", "--source", "town")
    assert found(town, "library") == []

    assert town.run("include", "library.md", "--source", "town").out.startswith("included: library.md (")
    assert found(town, "gramophones") == ["library.md"]


@pytest.mark.parametrize(("command", "name"), [("remove", "nope"), ("include", ""), ("remove", b"\xff")])
def test_an_unknown_id_is_refused(indexed: Command, command: str, name: str | bytes) -> None:
    assert "`auskunft pages` lists them" in indexed.run(command, name).complaint(2)


def test_other_settings_than_the_indexs_are_noted_until_a_rebuild_uses_them(town: Command) -> None:
    said = town.run("index", "site", "--source", "town", preset="egocms").err
    assert "built with other settings" in said
    assert "run `auskunft reindex`" in said
    assert town.run("reindex", preset="egocms").code == 0
    again = town.run("index", "site", "--source", "town", preset="egocms")
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith("0 indexed, 3 unchanged, 0 failed")


def test_help_names_every_kind_of_file_that_is_read(tmp_path: Path) -> None:
    said = Command(tmp_path).run("index", "--help").out
    suffixes = {*textfiles.CONTENT_KEYS, *documents.MEDIA_TYPES, ".jsonl"}
    assert [suffix for suffix in sorted(suffixes) if suffix not in said] == []


def test_with_the_folders_address_sources_are_links(tmp_path: Path) -> None:
    command = Command(tmp_path)
    site = tmp_path / "site" / "a"
    site.mkdir(parents=True)
    (site / "b.html").write_text("<h1>Swimming pool</h1><p>The swimming pool opens on Saturday.</p>", "utf-8")
    assert command.run("index", "site", "--source", "town").out.startswith("1 indexed")
    address = ("--base-url", "https://www.town.example/")
    assert command.run("index", "site", "--source", "town", *address).out.startswith("1 indexed, 0 unchanged")
    hits = command.run("search", "When does the pool open?", "--json").json()["hits"]
    assert [hit["url"] for hit in hits] == ["https://www.town.example/a/b.html"]
    again = command.run("index", "site", "--source", "town", *address)
    assert again.out.startswith("0 indexed, 1 unchanged")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["https://www.town.example"], "--base-url is for files: a website has addresses of its own"),
        (["eurlex:32024R1689"], "--base-url is for files: acts of EU law have addresses of their own"),
    ],
)
def test_what_has_addresses_of_its_own_takes_none(tmp_path: Path, call: list[str], said: str) -> None:
    assert said in Command(tmp_path).run("index", *call, "--base-url", "https://x.example").complaint(2)


def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A", "utf-8")
    said = Command(tmp_path).run("index", "a.md", "--base-url", "www.town.example").complaint(2)
    assert "give the address of the folder, such as https://www.town.example" in said
