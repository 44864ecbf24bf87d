"""SQLite files with the present schema, copied from one that was migrated once."""

import atexit
import shutil
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path
from uuid import uuid4

from sqlalchemy import URL

from app.pages.database import open_engine, sqlite_url


def new_sqlite(path: Path) -> URL:
    """A page store without pages, of an installation of its own, unless the file is there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_template(), path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE installation SET id = ?", (uuid4().hex,))
    return sqlite_url(path)


def new_data(folder: Path) -> Path:
    """``folder`` as a data folder with an empty page store."""
    new_sqlite(folder / "pages.sqlite")
    return folder


@cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="auskunft-pages-"))
    atexit.register(shutil.rmtree, folder)
    open_engine(sqlite_url(folder / "pages.sqlite")).dispose()
    return folder / "pages.sqlite"
