"""``auskunft migrate``, and every command on a PostgreSQL that is ready, empty or away."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.pages.schema import HEAD
from tests.fakes.command import Command
from tests.services.databases import empty_database


@pytest.fixture
def command(tmp_path: Path, postgresql: str) -> Iterator[Command]:
    """Over an empty database."""
    with empty_database(postgresql) as url:
        yield Command(tmp_path, database_url=url.render_as_string(hide_password=False))


def test_tables_are_made_once_and_hold_what_is_indexed_then(command: Command) -> None:
    assert "is empty: run `auskunft migrate`" in command.run("status").complaint(1)
    assert command.run("migrate").out == f"page store: tables created (schema {HEAD})\n"
    assert command.run("migrate").out == f"page store: nothing to do (schema {HEAD})\n"
    (command.folder / "page.md").write_text("# Hallenbad\n\nDas Hallenbad ist ab sieben Uhr offen.", "utf-8")
    assert command.run("index", "page.md").out.startswith("1 indexed")
    assert "Hallenbad" in command.run("search", "Wann ist das Hallenbad offen?").out
    assert not (command.data / "pages.sqlite").exists()


def test_a_file_needs_no_migration_but_takes_one(tmp_path: Path) -> None:
    command = Command(tmp_path)
    assert command.run("migrate").out == f"page store: tables created (schema {HEAD})\n"
    assert command.run("status").code == 0
    assert (command.data / "pages.sqlite").exists()


def test_no_command_tells_the_password(command: Command, postgresql: str) -> None:
    wrong = make_url(postgresql).set(password="hush", port=1).render_as_string(hide_password=False)
    assert "hush" not in command.run("config", database_url=wrong).out
    for name in ("status", "migrate", "serve"):
        complaint = command.run(name, database_url=wrong).complaint(1)
        assert "that AUSKUNFT_DATABASE_URL is right" in complaint
        assert "hush" not in complaint
    complaint = command.run("status", database_url="mysql://a:hush@host/x").complaint(2)
    assert complaint.endswith("database_url: use postgresql://user:password@host/name, or leave it empty")
