"""What goes wrong with a database becomes one line that says what to do, and nothing half-written stays."""

import multiprocessing
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Engine, event

from app.errors import AuskunftError, DataFolderError, PageStoreUnavailableError, UnwritableError
from app.pages.announcements import Announcements
from app.pages.database import open_engine, sqlite_url, utc_now
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
from app.pages.rebuilds import RebuildLog
from app.pages.schema import HEAD
from app.pages.store import PageStore
from app.pages.types import Announcement, Delivery, Indexed
from ingest.types import PageRef
from tests.contracts.raw_pages import ref, save

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pages.sqlite"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    engine = open_engine(sqlite_url(path))
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> PageStore:
    return PageStore(engine)


def set_pragma(engine: Engine, pragma: str) -> None:
    """Set it on the one connection that a single thread uses."""
    with engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA {pragma}").close()


def test_sqlite_is_durable_strict_and_patient(engine: Engine) -> None:
    with engine.connect() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        settings = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names}
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}


@pytest.mark.usefixtures("engine")
def test_data_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9000'")
    with pytest.raises(DataFolderError) as caught:
        open_engine(sqlite_url(path))
    assert f"written by a newer version (schema 9000, this one knows {HEAD}): update Auskunft" in str(
        caught.value
    )


def test_a_full_disk_is_one_line_and_nothing_half_written(store: PageStore, engine: Engine) -> None:
    store.accept([save("before")])
    set_pragma(engine, "max_page_count = 40")
    with pytest.raises(UnwritableError) as caught:
        store.accept([save("small"), save("large", "x" * 1_000_000)])
    assert str(caught.value).endswith("(database or disk is full): free some disk space")
    assert "\n" not in str(caught.value)
    assert store.refs("town") == [ref("before")]
    set_pragma(engine, "max_page_count = 100000")
    assert [accepted.sequence for accepted in store.accept([save("large", "x" * 1_000_000)])] == [2]


def accept_as_nobody(folder: Path, results: Connection) -> None:
    os.setuid(NOBODY)
    try:
        PageStore(open_engine(sqlite_url(folder / "pages.sqlite"))).accept([save("new")])
        results.send("accepted")
    except AuskunftError as error:
        results.send(f"{type(error).__name__}: {error}")


@pytest.mark.skipif(os.geteuid() != 0, reason="root is needed to become a user without permission")
@pytest.mark.parametrize("existing", [True, False])
def test_a_read_only_folder_is_one_line(existing: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="auskunft-"))  # pytest's own folders are closed to other users
    try:
        if existing:
            PageStore(open_engine(sqlite_url(folder / "pages.sqlite"))).accept([save("old")])
        folder.chmod(0o555)
        results, sender = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=accept_as_nobody, args=(folder, sender))
        process.start()
        assert results.poll(20)
        message = results.recv()
        process.join()
        kind = "UnwritableError" if existing else "DataFolderError"
        assert message.startswith(f"{kind}: data folder: {folder}/pages.sqlite cannot be used (")
        assert message.endswith("writable for this user")
    finally:
        shutil.rmtree(folder)


def test_a_database_made_read_only_is_one_line(store: PageStore, engine: Engine) -> None:
    set_pragma(engine, "query_only = ON")
    with pytest.raises(UnwritableError, match="make the folder writable"):
        store.accept([save()])
    assert store.refs("town") == []


def test_a_lock_held_too_long_is_an_outage_not_a_loss(store: PageStore, path: Path, engine: Engine) -> None:
    set_pragma(engine, "busy_timeout = 1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store.pending() == 0, "readers are not kept waiting"
    with pytest.raises(PageStoreUnavailableError, match=r"database is locked.*: try again later"):
        store.accept([save()])
    other.execute("ROLLBACK")
    assert store.accept([save()])[0].sequence == 1
    other.close()


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_bytes(b"%PDF-1.7 " * 1000)
    with pytest.raises(DataFolderError, match=r"pages\.sqlite .*\(file is not a database\): move"):
        open_engine(sqlite_url(path))
    assert path.read_bytes() == b"%PDF-1.7 " * 1000


def test_a_damaged_file_is_named(store: PageStore, path: Path, engine: Engine) -> None:
    store.accept([save(f"p{n}", "x" * 5000) for n in range(50)])
    engine.dispose()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(DataFolderError, match="restore the file from a backup"):
        PageStore(open_engine(sqlite_url(path))).refs("town")


def test_a_path_may_contain_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "100% über?x=1#y.sqlite"
    PageStore(open_engine(sqlite_url(path))).accept([save()])
    assert path.is_file()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError, match=r"missing/pages\.sqlite .*check that the folder exists"):
        open_engine(sqlite_url(tmp_path / "missing" / "pages.sqlite"))


def test_many_may_open_a_new_database_at_once(path: Path) -> None:
    barrier = Barrier(8)

    def open_and_accept(number: int) -> int:
        barrier.wait()
        engine = open_engine(sqlite_url(path))
        sequence = PageStore(engine).accept([save(f"p{number}")])[0].sequence
        engine.dispose()
        return sequence

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(open_and_accept, range(8))) == list(range(1, 9))


def test_no_operation_reads_the_whole_table_to_find_a_few_pages(store: PageStore, engine: Engine) -> None:
    changes = [save(f"p{n}") for n in range(50)]
    refs = [accepted.ref for accepted in store.accept(changes)]
    plans = explained(engine)
    store.accept(changes)
    store.pending()
    store.pending(refs)
    store.hidden(refs, datetime.now(UTC))
    for claim in [*store.claim(5, "w"), *store.claim(5, "w", refs)]:
        store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    store.release("w")
    store.is_due()
    next(PageList(engine).records("town"))
    assert any("pages_queue" in plan for plan in plans)
    assert [plan for plan in plans if plan == "SCAN pages" or plan.startswith("SCAN bodies")] == []


def test_the_sources_are_found_without_reading_every_page(store: PageStore, engine: Engine) -> None:
    store.accept([save(f"p{n}") for n in range(50)])
    plans = explained(engine)
    assert store.sources() == ["town"]
    assert [plan for plan in plans if "pages" in plan and "SEARCH" not in plan] == []


def test_a_rebuild_finds_its_next_pages_by_an_index(store: PageStore, engine: Engine) -> None:
    store.accept([save(f"p{n}") for n in range(50)])
    rebuilds = RebuildLog(engine, utc_now)
    rebuilds.begin(rebuilds.request().id, 2)
    plans = explained(engine)
    rebuilds.claim("w", 5)
    rebuilds.is_written()
    assert sum("rebuild_pages_due" in plan for plan in plans) == 2
    assert "SCAN rebuild_pages" not in plans


def test_looking_for_an_announced_page_compares_no_page_with_all_others(engine: Engine) -> None:
    announced = [Announcement(ref=PageRef(source="town", id=f"p{n}", language="de")) for n in range(50)]
    Deliveries(engine, utc_now).accept(Delivery(source="town", id="msg", digest=""), announced)
    plans = explained(engine)
    assert Announcements(engine, utc_now).claim("w") is not None
    assert [plan for plan in plans if plan.startswith("CORRELATED")] == []


def explained(engine: Engine) -> list[str]:
    """The steps by which the database does what it is asked from now on."""
    plans: list[str] = []

    def explain(_: object, cursor: sqlite3.Cursor, statement: str, *rest: Any) -> None:
        parameters, _context, many = rest
        plan = cursor.connection.execute(
            f"EXPLAIN QUERY PLAN {statement}", parameters[0] if many else parameters
        )
        plans.extend(row[3] for row in plan)

    event.listen(engine, "before_cursor_execute", explain)
    return plans


def test_hundreds_of_pages_are_accepted_by_as_few_statements_as_one(store: PageStore, engine: Engine) -> None:
    statements: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    store.accept([save("p")])
    of_one = len(statements)
    store.accept([save(f"p{n}", "text " * 200) for n in range(300)])
    assert len(statements) - of_one <= of_one + 2
