"""``auskunft backup`` and ``auskunft restore``: everything comes back, and bad files change nothing."""

import re
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.fakes.command import Command
from tests.fakes.installation import find, rows


@pytest.fixture
def saved(town: Command) -> Command:
    """A site with a user and a fixed answer, saved in ``town.backup``."""
    assert town.run("users", "add", "anna").code == 0
    added = town.run("curation", "add", "synonyms", "--word", "Wertstoffe", "--word", "Tonne")
    assert added.code == 0, added
    done = town.run("backup", "town.backup")
    assert (done.code, done.err) == (0, ""), done
    assert "3 pages, 1 users, 0 conversations" in done.out
    assert "retention_days" in done.out
    return town


def test_all_of_it_comes_back_in_another_folder(saved: Command, tmp_path: Path) -> None:
    other = Command(saved.folder, data="elsewhere/data")
    restored = other.run("restore", "town.backup")
    assert (restored.code, restored.err) == (0, ""), restored
    assert "run `auskunft reindex`" in restored.out
    assert [path.name for path in other.data.iterdir()] == ["pages.sqlite"]
    assert other.run("reindex").code == 0
    assert rows(other.data) == rows(saved.data)
    assert find(other.data, ["library"]) == [["library.md"]]
    assert "anna" in other.run("users").out
    assert "Wertstoffe" in other.run("curation", "list").out


def test_a_backup_is_for_its_owner_alone_and_none_is_overwritten(saved: Command) -> None:
    file = saved.folder / "town.backup"
    before = file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "already exists" in saved.run("backup", file).complaint(2)
    assert file.read_bytes() == before
    assert [path.name for path in saved.folder.glob(".*")] == []


def test_a_folder_that_is_not_empty_is_replaced_only_on_purpose(saved: Command) -> None:
    (saved.folder / "site" / "new.md").write_text("# New\n\nA page about the wombat.\n")
    saved.run("index", "site", "--source", "town")
    assert "is not empty: use --replace" in saved.run("restore", "town.backup").complaint(2)
    assert len(saved.run("pages", "--json").json()) == 4
    assert saved.run("restore", "town.backup", "--replace").code == 0
    assert len(saved.run("pages", "--json").json()) == 3


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1_000])


def flip(file: Path) -> None:
    """Change a byte in the midst of what is packed."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(bytes(data))


def pack(file: Path, name: str, content: bytes) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)


def renumber(file: Path) -> None:
    """Make it a backup of a later version."""
    store = file.with_suffix(".sqlite")
    with zipfile.ZipFile(file) as archive:
        store.write_bytes(archive.read("pages.sqlite"))
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    pack(file, "pages.sqlite", store.read_bytes())


def damage(file: Path) -> None:
    """Damage the page store before it is packed, so that the ZIP is whole."""
    with zipfile.ZipFile(file) as archive:
        data = archive.read("pages.sqlite")
    pack(file, "pages.sqlite", data[:-8_192] + b"\xff" * 8_192)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (Path.unlink, "is not a file"),
        (cut, "is not a backup, or is damaged"),
        (flip, "is not a backup, or is damaged"),
        (damage, "is not a backup, or is damaged"),
        (lambda file: file.write_text("text"), "is not a backup, or is damaged"),
        (lambda file: pack(file, "other.txt", b"text"), "is not a backup, or is damaged"),
        (lambda file: pack(file, "pages.sqlite", b"text"), "is not a backup, or is damaged"),
        (renumber, "was written by a newer version (schema 9999"),
    ],
)
def test_a_file_that_is_no_sound_backup_changes_nothing(
    saved: Command, spoil: Callable[[Path], object], complaint: str
) -> None:
    file = saved.folder / "town.backup"
    spoil(file)
    before = {path: path.read_bytes() for path in saved.data.rglob("*") if path.is_file()}
    assert complaint in saved.run("restore", file, "--replace").complaint(2)
    assert {path: path.read_bytes() for path in saved.data.rglob("*") if path.is_file()} == before
    assert complaint in Command(saved.folder, data="new").run("restore", file).complaint(2)
    assert not (saved.folder / "new").exists()


def test_a_page_store_of_a_schema_that_is_not_migrated_is_refused(saved: Command) -> None:
    other = saved.folder / "other.sqlite"
    with closing(sqlite3.connect(saved.data / "pages.sqlite")) as store:
        store.execute("VACUUM INTO ?", (str(other),))
    with closing(sqlite3.connect(other)) as store:
        store.execute("UPDATE alembic_version SET version_num = '0020'")
        store.commit()
    before = rows(saved.data)
    assert "schema 0020" in saved.run("restore", "other.sqlite", "--replace").complaint(2)
    assert rows(saved.data) == before


def test_a_copy_that_sqlite_made_is_restored(saved: Command) -> None:
    with closing(sqlite3.connect(saved.data / "pages.sqlite")) as store:
        store.execute("VACUUM INTO ?", (str(saved.folder / "copy.sqlite"),))
    other = Command(saved.folder, data="elsewhere/data")
    assert other.run("restore", "copy.sqlite").code == 0
    assert "anna" in other.run("users").out


def test_nothing_is_restored_while_a_server_runs(saved: Command) -> None:
    with saved.start("serve", "--port", "0") as server:
        try:
            assert server.stdout is not None
            [address] = re.findall(r"http://\S+:\d+", server.stdout.readline().decode())
            assert httpx.get(f"{address}/readyz", timeout=60).status_code == 200
            assert "is in use: stop servers" in saved.run("restore", "town.backup", "--replace").complaint(2)
            assert saved.run("backup", "later.backup").code == 0, "but it is saved"
        finally:
            server.terminate()
            server.communicate(timeout=60)


def test_where_there_is_no_page_store_nothing_is_saved(tmp_path: Path) -> None:
    command = Command(tmp_path)
    assert "has no page store to save" in command.run("backup", "town.backup").complaint(2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_a_page_store_in_postgresql_is_left_to_its_own_programs(tmp_path: Path, name: str) -> None:
    command = Command(tmp_path, database_url="postgresql://town@127.0.0.1:1/town")
    said = command.run(name, "town.backup").complaint(2)
    assert "pg_dump" in said
    assert "pg_restore" in said
