"""The backup file: a ZIP with the page store, as SQLite copies it while others write.

Vectors are in the page store. The index is not saved, because it can be rebuilt from the page store.
"""

import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final

from app.errors import DataFolderError, InputError
from app.pages import schema
from app.pages.writability import remedy

STORE: Final = "pages.sqlite"
PUBLIC: Final = 0o666
PRIVATE: Final = 0o600
"""File modes: ``PUBLIC`` as the umask allows; ``PRIVATE`` for the owner only, because of visitors' words and
password hashes."""

_DATABASE: Final = b"SQLite format 3\0"
_LOGS: Final = ("-wal", "-shm", "-journal")
_DAMAGED: Final = (zipfile.BadZipFile, EOFError, RuntimeError, ValueError, zlib.error, sqlite3.Error)
_BUSY_SECONDS: Final = 1.0
_SPACE_OR_DISK: Final = "free some disk space, or check the disk"
_COUNTS: Final = (
    "SELECT version_num, (SELECT count(*) FROM pages WHERE NOT deleted), (SELECT count(*) FROM users), "
    "(SELECT count(*) FROM conversations) FROM alembic_version"
)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a page store. ``revision``: of its schema."""

    revision: str
    pages: int
    users: int
    conversations: int

    def __str__(self) -> str:
        return f"{self.pages:,} pages, {self.users:,} users, {self.conversations:,} conversations"


def write_backup(data: Path, file: Path) -> Contents:
    """Save the page store in the folder ``data`` as ``file``.

    Raises ``InputError`` if there is no page store or the file exists, and ``DataFolderError``.
    """
    if not (data / STORE).is_file():
        raise InputError(f"{data} has no page store to save: set AUSKUNFT_DATA to its folder")
    if os.path.lexists(file):
        raise InputError(f"{file} already exists and is not overwritten: choose another name")
    with _unfinished(file, "copy", PRIVATE) as copy, _unfinished(file, "zip", PRIVATE) as packed:
        try:
            with closing(sqlite3.connect(data / STORE)) as connection:
                connection.execute("VACUUM INTO ?", (str(copy),))
            contents = _contents(copy)
        except sqlite3.Error as error:
            raise DataFolderError(f"{data / STORE} cannot be saved ({error}): {_SPACE_OR_DISK}") from error
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(copy, STORE)
        _move(packed, file)
    return contents


def restore_backup(file: Path, data: Path, *, replace: bool) -> Contents:
    """Put the page store of a backup into the folder ``data``, after all of it has been read and checked.

    ``file``: from :func:`write_backup`, or a database that SQLite copied. ``replace``: overwrite an existing
    page store; the index stays. Raises ``InputError`` for a file that is no backup, is damaged or of a
    version that cannot be migrated, and for a folder that is not empty or is in use.
    """
    if not file.is_file():
        raise InputError(f"{file} is not a file: use one that `auskunft backup` wrote")
    log = file.with_name(f"{file.name}-wal")
    if log.is_file() and log.stat().st_size:
        raise InputError(
            f"{file} is incomplete: the last changes are in {log.name}; use a copy made by SQLite"
        )
    _check_folder(data, replace=replace)
    with _readable(file) as backup, _unfinished(data / STORE, "restored", PUBLIC) as unpacked:
        try:
            with _saved(backup) as saved, unpacked.open("wb") as store:
                shutil.copyfileobj(saved, store)
            contents = _contents(unpacked)
        except (*_DAMAGED, KeyError) as error:
            raise InputError(
                f"{file} is not a backup, or is damaged ({error}): use another one that `auskunft backup` "
                "wrote"
            ) from error
        if contents.revision > schema.HEAD:
            raise InputError(
                f"{file} was written by a newer version (schema {contents.revision}, this one knows "
                f"{schema.HEAD}): update Auskunft"
            )
        if not schema.can_be_read(contents.revision):
            raise InputError(
                f"{file} has the schema {contents.revision}, which no version can migrate: "
                "restore it with the version that wrote it"
            )
        _close(data / STORE)
        _move(unpacked, data / STORE)
    return contents


@contextmanager
def _readable(file: Path) -> Iterator[BinaryIO]:
    """Yield the open file. Raises ``InputError`` if it cannot be read."""
    try:
        opened = file.open("rb")
    except OSError as error:
        raise InputError(
            f"{file} cannot be read ({error.strerror}): make it readable for this user"
        ) from error
    with opened:
        yield opened


@contextmanager
def _saved(backup: BinaryIO) -> Iterator[IO[bytes]]:
    """Yield the page store in a backup."""
    if backup.read(len(_DATABASE)) == _DATABASE:
        backup.seek(0)
        yield backup
        return
    with zipfile.ZipFile(backup) as archive, archive.open(STORE) as saved:
        yield saved


def _check_folder(data: Path, *, replace: bool) -> None:
    if data.is_dir() and any(data.iterdir()) and not replace:
        raise InputError(f"data folder {data} is not empty: use --replace to replace its page store")


def _close(store: Path) -> None:
    """Merge the logs of a page store that is about to be replaced into it. Raises ``InputError`` if it is
    open elsewhere."""
    try:
        with closing(sqlite3.connect(store, timeout=_BUSY_SECONDS)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # because this needs exclusive access
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise InputError(
                f"data folder {store.parent} is in use: stop servers, workers and other commands first"
            ) from error
    for log in _LOGS:  # left by a damaged page store
        store.with_name(f"{store.name}{log}").unlink(missing_ok=True)


def _contents(store: Path) -> Contents:
    """Read and check a whole page store. Raises ``sqlite3.Error`` if it is none or damaged."""
    address = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        [(found,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if found != "ok":
            raise sqlite3.DatabaseError(found)
        [counts] = connection.execute(_COUNTS).fetchall()
        return Contents(*counts)


@contextmanager
def _unfinished(file: Path, purpose: str, rights: int) -> Iterator[Path]:
    """Yield an empty file beside ``file``, which is deleted after the block unless it was moved.

    A folder created for it is deleted too. Raises ``DataFolderError`` if it cannot be written.
    """
    folder, path = file.parent, file.with_name(f".{file.name}.{purpose}-{os.getpid()}")
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, rights))
        yield path
    except OSError as error:
        raise DataFolderError(f"{file} cannot be written ({error.strerror}): {remedy(error)}") from error
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if is_new:
            with suppress(OSError):
                folder.rmdir()  # fails if the file has been moved into it


def _move(unfinished: Path, file: Path) -> None:
    """Move a file to its final place, durably."""
    _sync(unfinished)
    unfinished.replace(file)
    _sync(file.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
