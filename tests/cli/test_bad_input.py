"""Whatever is given: one line that says what is wrong, or ``failed(reason)``; everything else goes in."""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.command import PROGRAM, Command, Finished
from tests.fakes.installation import check_and_read, find
from tests.fakes.plugin import hanging_plugin

DEPTH: Final = 10_000
FAILED: Final = {
    "binary.html": "unsupported",
    "dangling.html": "invalid",
    "empty.html": "empty",
    "hanging.txt": "timeout",
    "huge.html": "too_large",
    "lines.jsonl:2": "invalid",
    "lines.jsonl:3": "invalid",
    "lines.jsonl:4": "invalid",
    "manual.pdf": "invalid",
    "nul.txt": "unsupported",
    "void.txt": "empty",
}
INDEXED: Final = {"no-utf8.md", "a.md", "folder.html/inside.md", "late-nul.txt", "line", "nested.html"}


def write_bad_site(site: Path) -> None:
    """A good page between everything that can be wrong with a file."""
    (site / "folder.html").mkdir(parents=True)
    (site / "folder.html" / "inside.md").write_text("# Inside\n\nA folder named like a page: wombat.\n")
    (site / "a.md").write_text("# Good\n\nThis page is good: platypus.\n")
    (site / "binary.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10)
    (site / "dangling.html").symlink_to(site / "nowhere.html")
    (site / "empty.html").write_text("<html><script>words()</script><p hidden>words</p></html>")
    (site / "hanging.txt").write_text("This page makes its parser hang forever.\n")
    (site / "huge.html").write_bytes(b"<p>" + b"huge " * 10_000_000)
    (site / "late-nul.txt").write_text("lemur " * 2_000 + "\0 and quokka.\n")
    (site / "manual.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    (site / "nested.html").write_text("<div>" * DEPTH + "axolotl" + "</div>" * DEPTH)
    (site / "no-utf8.md").write_bytes(b"# M\xfcll\n")
    (site / "nul.txt").write_bytes(b"one\0two\n")
    (site / "void.txt").write_bytes(b"")
    line = {"id": "line", "title": "Numbat", "text": "A line about the numbat."}
    lines = [json.dumps(line), "no JSON", '{"text": "no id"}', json.dumps(line | {"title": "again"})]
    (site / "lines.jsonl").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def run_on_bad_site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Command, Finished]:
    command = Command(tmp_path_factory.mktemp("bad"))
    write_bad_site(command.folder / "site")
    path = {"PYTHONPATH": str(hanging_plugin(command.folder / "plugins"))}
    return command, command.run("index", "site", extra=path, conversion_seconds=3)


def test_everything_else_is_indexed(run_on_bad_site: tuple[Command, Finished]) -> None:
    command, result = run_on_bad_site
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith(f"{len(INDEXED)} indexed, 0 unchanged, {len(FAILED)} failed in ")
    rows = command.run("pages", "--json").json()
    assert {row["id"] for row in rows if row["state"] == "indexed"} == INDEXED
    assert {row["id"] for row in rows if row["state"] != "indexed"} == set(FAILED)


def test_every_failure_is_listed_with_its_reason(run_on_bad_site: tuple[Command, Finished]) -> None:
    command, result = run_on_bad_site
    rows = command.run("pages", "--failed", "--json").json()
    assert {row["id"]: row["reason"].partition(": ")[0] for row in rows} == FAILED
    lines = [line for line in result.out.splitlines()[1:] if ": failed(" in line]
    assert sorted(line.strip().partition("): ")[0] for line in lines) == [
        f"{name}: failed({reason}" for name, reason in sorted(FAILED.items())
    ]


@pytest.mark.parametrize(
    ("word", "page"),
    [("axolotl", "nested.html"), ("quokka", "late-nul.txt"), ("wombat", "folder.html/inside.md")],
)
def test_text_in_odd_places_is_found(run_on_bad_site: tuple[Command, Finished], word: str, page: str) -> None:
    command, _ = run_on_bad_site
    assert find(command.data, [word]) == [[page]]


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["index", "missing"], 2, "missing: no such file or folder: check the path"),
        (["index", "void"], 2, "void: no pages in it: give .html"),
        (["index", "program.exe"], 2, "program.exe: not a kind of file that is read"),
        (["index", "one.md", "--source", "Ab C"], 2, "source 'Ab C': use 1 to 64 of a-z"),
        (["index", "one.md", "--language", "deutsch"], 2, "language 'deutsch': use an ISO 639-1 code"),
        (["index", "http://"], 2, "option 'address': use one such as https://www.town.example"),
        (["index", "http://[::1"], 2, "option 'address': use one such as https://www.town.example"),
        (["index", "eurlex:"], 2, "option 'acts': set CELEX numbers such as 32024R1689"),
        (["index", "eurlex:xyz"], 2, "option 'acts': 'xyz' is not a CELEX number: use one such as"),
        (["search", ""], 2, "the question is empty: ask something"),
        (["ask", " \n "], 2, "the question is empty: ask something"),
        (["ask", "why " * 2_500], 2, "the question has 9999 characters: use at most 2000"),
        (["search", "why " * 2_500], 2, "the question has 9999 characters: use at most 2000"),
        (
            ["search", "why", "--preset", "nope"],
            2,
            "unknown preset 'nope'; known: contextual, default",
        ),
        (["search", "why", "--source", "nope"], 2, "unknown source 'nope'; known: "),
    ],
)
def test_a_call_that_cannot_work_is_refused_in_one_line(
    indexed: Command, tmp_path: Path, arguments: list[str], code: int, complaint: str
) -> None:
    command = Command(tmp_path, indexed.data)
    (tmp_path / "void").mkdir()
    (tmp_path / "program.exe").write_bytes(b"MZ")
    (tmp_path / "one.md").write_text("# One\n")
    assert complaint in command.run(*arguments).complaint(code)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"embedder": "nope"}, "unknown embedder 'nope'; known: bge-m3, e5, endpoint, hashing"),
        ({"preset": "nope"}, "unknown preset 'nope'; known: contextual, default"),
    ],
)
def test_an_unknown_plugin_or_preset_names_the_known_ones(
    tmp_path: Path, settings: dict[str, Any], complaint: str
) -> None:
    command = Command(tmp_path)
    (tmp_path / "one.md").write_text("# One\n\nA page about the wombat.\n")
    assert complaint in command.run("index", "one.md", **settings).complaint(2)


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("pages.sqlite", "UPDATE alembic_version SET version_num = '9999'"),
        ("index/catalog.sqlite", "PRAGMA user_version = 99"),
        ("index/generation-000001.sqlite", "PRAGMA user_version = 99"),
    ],
)
def test_data_of_a_newer_version_are_left_alone(town: Command, file: str, statement: str) -> None:
    with closing(sqlite3.connect(town.data / file)) as connection, connection:
        connection.execute(statement)
    page = town.folder / "site" / "new.md"
    page.write_text("# New\n\nA page about the wombat.\n")
    said = town.run("index", "site", "--source", "town").complaint(1)
    assert "newer" in said
    assert Path(file).name in said


@pytest.mark.parametrize("place", ["file", "/proc/auskunft"])
def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "one.md").write_text("# One\n")
    said = Command(tmp_path, data=place).run("index", "one.md").complaint(1)
    assert f"data folder {tmp_path / place} cannot be created: " in said


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", disk):
        pytest.skip("needs the right to mount a small file system")
    yield disk
    subprocess.run(["umount", disk], check=True)


def mount(*arguments: str | Path) -> int:
    return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode


def test_a_read_only_data_folder_is_named_and_a_repeat_succeeds(indexed: Command, disk: Path) -> None:
    command = Command(disk)
    shutil.copytree(indexed.folder, disk, dirs_exist_ok=True)
    (disk / "site" / "new.md").write_text("# New\n\nA page about the wombat.\n")
    assert mount("-o", "remount,ro", disk) == 0
    said = command.run("index", "site", "--source", "town").complaint(1)
    assert "data" in said
    assert "writable" in said
    assert mount("-o", "remount,rw", disk) == 0
    assert command.run("index", "site", "--source", "town").out.startswith("1 indexed, 3 unchanged, 0 failed")


def test_a_full_disk_is_named_and_a_repeat_after_making_room_succeeds(tmp_path: Path, disk: Path) -> None:
    command = Command(tmp_path, data=disk / "data")
    site = tmp_path / "site"
    site.mkdir()
    for number in range(40):
        (site / f"{number:02}.txt").write_text(f"wombat{number} " + f"Words of page {number}. " * 800)
    for _ in range(2):
        said = command.run("index", "site").complaint(1)
        assert "disk" in said
    assert mount("-o", "remount,size=200m", disk) == 0
    result = command.run("index", "site")
    assert (result.code, "disk" in result.err) == (0, False)
    assert len(check_and_read(command.data)) == 40
    assert find(command.data, ["wombat39"]) == [["39.txt"]]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file: run the tests as another user")
def test_an_unreadable_file_fails_and_the_others_go_in(town: Command) -> None:
    page = town.folder / "site" / "waste.md"
    page.chmod(0)
    result = town.run("index", "site", "--source", "town")
    assert result.code == 1
    assert "waste.md: failed(invalid): cannot be read: permission denied" in result.out
    page.chmod(0o644)
    assert town.run("index", "site", "--source", "town").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_output_on_a_full_disk_fails_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PROGRAM, "presets"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "auskunft: the output cannot be written: No space left on device\n"
