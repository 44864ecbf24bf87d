"""A SQLite file that is moved, removed, replaced or shortened behind the page store's back is noticed."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.chat.conversations import Conversations
from app.chat.feedback import Feedback
from app.errors import DataFolderError
from app.pages.database import open_engine, sqlite_url, utc_now, writing
from app.pages.store import PageStore
from app.pages.vectors import SqlVectorCache
from tests.contracts.page_store.helpers import index, statuses
from tests.contracts.raw_pages import ref, save


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def engine(folder: Path) -> Iterator[Engine]:
    engine = open_engine(sqlite_url(folder / "pages.sqlite"))
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> PageStore:
    store = PageStore(engine)
    store.accept([save("before")])
    return store


def move(folder: Path) -> None:
    """What an administrator does."""
    folder.rename(folder.with_name("elsewhere"))


def move_and_begin_anew(folder: Path) -> None:
    move(folder)
    folder.mkdir()
    open_engine(sqlite_url(folder / "pages.sqlite")).dispose()


def remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def replace(folder: Path) -> None:
    path = folder / "pages.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"VACUUM INTO '{folder}/copy'")
    (folder / "copy").rename(path)


def remove_log(folder: Path) -> None:
    (folder / "pages.sqlite-wal").unlink()


def shorten(folder: Path) -> None:
    path = folder / "pages.sqlite"
    os.truncate(path, path.stat().st_size // 2)


def empty_log(folder: Path) -> None:
    os.truncate(folder / "pages.sqlite-wal", 0)


def shorten_log(folder: Path) -> None:
    path = folder / "pages.sqlite-wal"
    os.truncate(path, path.stat().st_size // 2)


def empty(folder: Path) -> None:
    os.truncate(folder / "pages.sqlite", 0)


DISASTERS: list[Callable[[Path], None]] = [
    move,
    move_and_begin_anew,
    remove,
    replace,
    remove_log,
    empty_log,
    shorten_log,
    shorten,
    empty,
]


@pytest.mark.parametrize("strike", DISASTERS, ids=[strike.__name__ for strike in DISASTERS])
def test_nothing_is_accepted_into_a_file_that_no_restart_would_find(
    store: PageStore, folder: Path, strike: Callable[[Path], None], engine: Engine
) -> None:
    with closing(sqlite3.connect(folder / "pages.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.accept([save("another")])
    strike(folder)
    other = ThreadPoolExecutor(1)  # which has to connect first
    uses: list[Callable[[], object]] = [
        lambda: store.accept([save("lost")]),
        lambda: store.exclude("town", "before"),
        lambda: Conversations(engine, utc_now).begin("town", "When?"),
        lambda: Feedback(engine, utc_now).give("town", "answer", "up"),
        lambda: SqlVectorCache(engine).prune(),
        store.pending,
        lambda: other.submit(store.pending).result(),
    ]
    for use in uses:
        with pytest.raises(DataFolderError, match="put the original file back, or restart"):
            use()
    other.shutdown()
    assert DataFolderError.status == 503


def test_with_the_file_back_it_continues_where_it_was(store: PageStore, folder: Path, engine: Engine) -> None:
    move_and_begin_anew(folder)
    with pytest.raises(DataFolderError):
        store.accept([save("refused")])
    remove(folder)
    folder.rmdir()
    folder.with_name("elsewhere").rename(folder)
    assert statuses(store, save("before"), save("refused")) == ["unchanged", "accepted"]
    engine.dispose()
    restarted = PageStore(open_engine(sqlite_url(folder / "pages.sqlite")))
    assert restarted.refs("town") == [ref("before"), ref("refused")]


def test_what_was_committed_while_the_file_went_away_is_not_reported_as_accepted(
    folder: Path, engine: Engine
) -> None:
    with pytest.raises(DataFolderError, match="no longer exists"), writing(engine) as connection:
        connection.exec_driver_sql("UPDATE pages SET title = 'new'")
        move(folder)


def test_checkpoints_of_other_processes_change_nothing(store: PageStore, folder: Path) -> None:
    for number in range(20):
        store.accept([save(f"p{number}", "x" * 50_000)])
        with closing(sqlite3.connect(folder / "pages.sqlite")) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda _: store.pending(), range(8))) == 8 * 21
    assert len(index(store)) == 21


def test_what_vacuum_leaves_is_not_shortened(store: PageStore, folder: Path) -> None:
    store.accept([save(f"p{number}", f"{number} " * 20_000) for number in range(20)])
    with closing(sqlite3.connect(folder / "pages.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.accept([save(f"p{number}", "short") for number in range(20)])
    before = (folder / "pages.sqlite").stat().st_size
    with closing(sqlite3.connect(folder / "pages.sqlite")) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert (folder / "pages.sqlite").stat().st_size < before
    assert statuses(store, save("after")) == ["accepted"]
    shorten(folder)
    with pytest.raises(DataFolderError, match="was shortened"):
        store.pending()
