"""``auskunft backup`` and ``auskunft restore``: save the page store in one file, and restore it."""

from pathlib import Path

import click

from app.cli.common import console
from app.cli.values import FILE
from app.errors import InputError
from app.features.backup.archive import restore_backup, write_backup
from app.settings.settings import load_settings

_PRIVACY = "Visitors' words are in it beyond `retention_days`: encrypt it, and delete it in time."


@click.command()
@click.argument("file", type=FILE)
def backup(file: Path) -> None:
    """Save the page store in FILE while everything runs: pages, users, fixed answers, conversations.

    The index is not saved, because it can be rebuilt from the page store. Save auskunft.toml and the
    environment yourself, and a page store in PostgreSQL with pg_dump.
    """
    data = _folder()
    contents = write_backup(data, file)
    size = file.stat().st_size / 1_000_000
    console().print(f"{contents} of {data} saved in {file} ({size:,.1f} MB)\n{_PRIVACY}")


@click.command()
@click.argument("file", type=FILE)
@click.option("--replace", is_flag=True, help="Replace the page store in the data folder.")
def restore(file: Path, *, replace: bool) -> None:
    """Restore the page store that `auskunft backup` saved in FILE, while nothing is running.

    FILE is read completely before anything is changed. Then rebuild the index with `auskunft reindex`, and
    repeat what was changed since the backup.
    """
    data = _folder()
    contents = restore_backup(file, data, replace=replace)
    console().print(f"{contents} are back in {data}: run `auskunft reindex` before anything else")


def _folder() -> Path:
    """Return the data folder. Raises ``InputError`` if the page store is not in it."""
    settings = load_settings()
    if settings.database_url.get_secret_value():
        raise InputError(
            "the page store is in PostgreSQL: save it with pg_dump and restore it with pg_restore "
            "(docs/operations.md, Backup and restore); the index is made from it, snapshots of Elasticsearch "
            "only save that time"
        )
    return settings.data
