"""The generations of a folder: one small SQLite file, and one file per generation beside it."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from app.errors import DataFolderError, IndexDamagedError, InputError, NotFoundError
from app.search.embedded import schema
from app.search.embedded.database import Database, add_columns, create
from app.search.types import Generation, GenerationRecipe, GenerationState

_COLUMNS: Final = "number, state, recipe, created, owner"


class Catalog:
    """The generations in a folder. Every change is one transaction, seen at once by other processes.

    A generation's file is created and deleted within that transaction: a process killed meanwhile leaves at
    most a file without an entry, which the next :meth:`create` replaces.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder; create a new one. Raises ``DataFolderError``, ``IndexUnavailableError``."""
        self._folder = folder
        _prepare(folder)
        self._database = Database(folder / schema.CATALOG_FILE, schema.CATALOG_VERSION)
        self.all()

    def path(self, number: int) -> Path:
        """The generation's file."""
        return self._folder / f"generation-{number:06d}.sqlite"

    def all(self) -> list[Generation]:
        """All generations, by number."""
        with self._database.reading() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM generations ORDER BY number")
            return [_generation(row) for row in rows]

    def live(self) -> Generation | None:
        """The generation that questions use."""
        with self._database.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM generations WHERE state = 'live'").fetchone()
        return _generation(row) if row else None

    def get(self, number: int) -> Generation:
        """The generation with that number. Raises ``NotFoundError``."""
        with self._database.reading() as connection:
            return _get(connection, number)

    def create(self, recipe: GenerationRecipe, owner: str) -> Generation:
        """Create a generation in state ``building``, with its empty file."""
        if recipe.dims < 1:
            raise InputError(f"an embedder with {recipe.dims} dimensions cannot be indexed: give at least 1")
        stored = json.dumps({"embedder": dict(recipe.embedder), "build": dict(recipe.build)})
        with self._database.writing() as connection:
            number = connection.execute(
                "INSERT INTO generations (state, recipe, created, owner) VALUES ('building', ?, ?, ?) "
                "RETURNING number",
                (stored, datetime.now(UTC).isoformat(), owner),
            ).fetchone()[0]
            self._delete_file(number)
            tables = (*schema.GENERATION, schema.uneven_index(recipe.dims))
            create(self.path(number), tables, version=schema.GENERATION_VERSION, journal="WAL")
            return _get(connection, number)

    def promote(self, number: int) -> None:
        """Make it live and retire the one that was. Raises ``NotFoundError``, ``IndexUnavailableError``."""
        with self._database.writing() as connection:
            _get(connection, number)
            if not self.path(number).exists():
                raise IndexDamagedError(
                    f"generation {number} lacks its file {self.path(number)}: restore it, or build another"
                )
            connection.execute("UPDATE generations SET state = 'retired' WHERE state = 'live'")
            connection.execute("UPDATE generations SET state = 'live' WHERE number = ?", (number,))

    def drop(self, number: int) -> None:
        """Delete it and its file. Raises ``NotFoundError``, and ``InputError`` if it is live."""
        with self._database.writing() as connection:
            if _get(connection, number).state == "live":
                raise InputError(f"generation {number} is live: promote another one before dropping it")
            connection.execute("DELETE FROM generations WHERE number = ?", (number,))
            self._delete_file(number)

    def close(self) -> None:
        """Close the catalog's file."""
        self._database.close()

    def _delete_file(self, number: int) -> None:
        path = self.path(number)
        for suffix in ("", "-wal", "-shm"):
            try:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            except OSError as error:
                raise DataFolderError(
                    f"{path} cannot be deleted ({error.strerror}): check its permissions"
                ) from error


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be made ({error.strerror}): check the data folder") from error
    catalog = folder / schema.CATALOG_FILE
    if not catalog.exists() and any(folder.glob("generation-*.sqlite")):
        raise IndexDamagedError(
            f"{catalog} is missing beside its generations: "
            f"restore it, or delete {folder} and run `auskunft reindex`"
        )
    # The rollback journal, not WAL: the file is tiny and rarely written, and needs no other file to be read.
    create(catalog, schema.CATALOG, version=schema.CATALOG_VERSION, journal="DELETE")
    add_columns(catalog, "generations", schema.CATALOG_ADDED, version=schema.CATALOG_VERSION)


def _get(connection: sqlite3.Connection, number: int) -> Generation:
    row = connection.execute(f"SELECT {_COLUMNS} FROM generations WHERE number = ?", (number,)).fetchone()
    if row is None:
        known = [str(row[0]) for row in connection.execute("SELECT number FROM generations ORDER BY number")]
        raise NotFoundError(f"there is no generation {number}: known are {', '.join(known) or 'none'}")
    return _generation(row)


def _generation(row: tuple[int, GenerationState, str, str, str]) -> Generation:
    number, state, recipe, created, owner = row
    return Generation(
        number=number,
        state=state,
        recipe=GenerationRecipe(**json.loads(recipe)),
        created=datetime.fromisoformat(created),
        owner=owner,
    )
