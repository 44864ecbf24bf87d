"""Migrations make what the tables describe, from nothing and from what earlier versions left."""

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from threading import Barrier

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Engine, insert, select, text

from app.errors import PageStoreUnavailableError
from app.feature import installed
from app.pages import schema
from app.pages.builds import Builds
from app.pages.database import connect, migrate_schema, open_engine, reading, sqlite_url, writing
from app.pages.page_list import PageList
from app.pages.question_tables import answer_records, citations, questions
from app.pages.step_faults import step_faults
from app.pages.store import PageStore
from app.pages.tables import answers, conversations
from app.pages.vectors import SqlVectorCache
from tests.contracts.raw_pages import ref, save
from tests.services.databases import empty_database

OLDER = Path(__file__).with_name("older")
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """A database without tables."""
    if request.param == "sqlite":
        yield sqlite_url(tmp_path / "pages.sqlite")
        return
    with empty_database(request.getfixturevalue("postgresql")) as url:
        yield url


@pytest.fixture
def server_url(postgresql: str) -> Iterator[URL]:
    with empty_database(postgresql) as url:
        yield url


def older_file(folder: Path, number: int) -> Path:
    """A file as the version with that schema wrote it."""
    path = folder / "pages.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((OLDER / f"schema_{number}.sql").read_text("utf-8"))
    return path


def is_described(_item: object, _name: str, kind: str, reflected: bool, described: object) -> bool:
    """False for a table of a feature that is not installed."""
    return not (kind == "table" and reflected and described is None)


def differences(engine: Engine) -> list[object]:
    for tables in filter(None, (feature.tables for feature in installed())):
        import_module(tables)
    options = {"compare_type": True, "include_object": is_described}
    with reading(engine) as connection:
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, step_faults.metadata))


def test_the_migrations_make_the_tables(empty: URL) -> None:
    engine = connect(empty)
    assert migrate_schema(engine) is None
    assert differences(engine) == []
    with reading(engine) as connection:
        assert schema.revision(connection) == schema.HEAD
    engine.dispose()


def test_a_difference_between_migrations_and_tables_would_be_found(empty: URL) -> None:
    engine = connect(empty)
    migrate_schema(engine)
    with writing(engine) as connection:
        connection.execute(text("ALTER TABLE builds DROP COLUMN generation"))
        connection.execute(text("DROP INDEX pages_worker"))
    assert len(differences(engine)) == 2
    engine.dispose()


def test_the_head_is_the_last_revision_and_revisions_are_numbered() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).with_name("migrations")))
    revisions = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert revisions[0] == schema.HEAD
    assert revisions == [f"{number:04}" for number in range(len(revisions), 0, -1)]


def test_migrating_again_changes_nothing(empty: URL) -> None:
    engine = connect(empty)
    migrate_schema(engine)
    PageStore(engine).accept([save()])
    assert migrate_schema(engine) == schema.HEAD
    assert PageStore(engine).pending() == 1
    engine.dispose()


def test_of_those_that_migrate_at_once_one_does_it(empty: URL) -> None:
    together = Barrier(4)

    def migrates(_: int) -> str | None:
        engine = connect(empty)
        together.wait()
        found = migrate_schema(engine)
        engine.dispose()
        return found

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(migrates, range(4)))
    assert sorted(found, key=str) == [schema.HEAD] * 3 + [None]


@pytest.mark.parametrize("number", [1, 2])
def test_what_earlier_versions_left_is_migrated_without_loss(tmp_path: Path, number: int) -> None:
    engine = open_engine(sqlite_url(older_file(tmp_path, number)))
    store, page_list = PageStore(engine, clock=lambda: NOON), PageList(engine)
    assert {record.ref.id: (record.state, record.sequence) for record in page_list.records()} == {
        "indexed": ("indexed", 1),
        "failed": ("failed", 2),
        "waiting": ("waiting", 3),
        "window": ("indexed", 6),
        "out": ("excluded", 7),
        "gone": ("deleted", 8),
        "pending": ("pending", 9),
        "claimed": ("pending", 10),
    }
    assert store.snapshot(ref("failed")).reason == "too_large: cut it"
    assert [claim.ref.id for claim in store.claim(10, "w")] == ["pending"]
    assert [(item.document, item.message) for item in page_list.rejected()] == [("bad.html", "no text")]
    assert store.accept([save("indexed", "Grüße", 7)])[0].status == "unchanged"
    assert store.accept([save("new")])[0].sequence == 11
    assert SqlVectorCache(engine).get("recipe", ["hash"])["hash"].tolist() == [1, -2.5]
    builds = Builds(engine, lambda: NOON)
    assert (builds.current() is not None) == (number == 2)
    builds.begin("w") if number == 1 else None
    engine.dispose()


def test_the_questions_of_earlier_versions_are_listed(empty: URL) -> None:
    engine = connect(empty)
    with writing(engine) as connection:
        schema.upgrade(connection, None, to="0021")
        connection.execute(insert(conversations).values(id="c", site="town", used_at=NOON))
        for number, status in enumerate(("answered", "no_answer", "extractive", "running")):
            row = {"id": status, "conversation": "c", "number": number, "started_at": NOON}
            connection.execute(insert(answers).values(row | {"question": "ÜBER?", "status": status}))
    migrate_schema(engine)
    with reading(engine) as connection:
        found = connection.execute(select(questions).order_by(questions.c.answer)).all()
    engine.dispose()
    assert [(row.answer, row.outcome) for row in found] == [
        ("answered", "answered"),
        ("extractive", "partly"),
        ("no_answer", "none"),
        ("running", "unfinished"),
    ]
    assert {(row.site, row.asked_at, row.words) for row in found} == {("town", NOON, "über?")}


def test_the_pages_that_earlier_answers_cite_are_known(empty: URL) -> None:
    engine = connect(empty)
    page = {"source": "town", "id": "pool", "language": "en", "number": 2}
    made = json.dumps({"pages": [page, page | {"id": "tax", "number": 1}, page | {"number": None}]})
    stored = {
        "cites": ('{"citations": [2]}', made),
        "cites nothing": ('{"citations": []}', made),
        "damaged": ("{", made),
        "odd": ("[]", "null"),
    }
    with writing(engine) as connection:
        schema.upgrade(connection, None, to="0027")
        connection.execute(insert(conversations).values(id="c", site="town", used_at=NOON))
        for number, (name, (document, provenance)) in enumerate(stored.items()):
            row = {"id": name, "conversation": "c", "number": number, "started_at": NOON, "question": "?"}
            connection.execute(insert(answers).values(row | {"document": document}))
            record = {"answer": name, "recipe": "", "provenance": provenance}
            connection.execute(insert(answer_records).values(record))
    migrate_schema(engine)
    with reading(engine) as connection:
        found = [tuple(row) for row in connection.execute(select(citations))]
    engine.dispose()
    assert found == [("cites", "town", "pool", "en")]


@pytest.mark.parametrize("number", [1, 2])
def test_processes_of_earlier_versions_refuse_what_was_migrated(tmp_path: Path, number: int) -> None:
    path = older_file(tmp_path, number)
    open_engine(sqlite_url(path)).dispose()
    with closing(sqlite3.connect(path)) as connection:
        [[numbered]] = connection.execute("SELECT value FROM meta WHERE name = 'schema'")
    assert numbered > 2, "they compare this number with their own"


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = older_file(tmp_path, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE builds (unrelated)")
    with pytest.raises(PageStoreUnavailableError, match="table builds already exists"):
        open_engine(sqlite_url(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE builds")
    engine = open_engine(sqlite_url(path))
    assert sum(PageStore(engine).counts().values()) == 8
    engine.dispose()


def test_an_empty_database_of_a_server_is_not_filled_by_accident(server_url: URL) -> None:
    with pytest.raises(PageStoreUnavailableError, match=r"/auskunft_\w+ is empty: run `auskunft migrate`"):
        open_engine(server_url)


def test_an_earlier_schema_on_a_server_names_the_command(server_url: URL) -> None:
    engine = connect(server_url)
    with writing(engine) as connection:
        schema.upgrade(connection, None, to="0001")
    with pytest.raises(PageStoreUnavailableError, match=r"earlier version \(0001\): run `auskunft migrate`"):
        open_engine(server_url)
    assert migrate_schema(engine) == "0001"
    open_engine(server_url).dispose()
    engine.dispose()


def test_a_later_schema_on_a_server_is_left_alone(server_url: URL) -> None:
    engine = connect(server_url)
    migrate_schema(engine)
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9000'"))
    for use in (open_engine, lambda url: migrate_schema(engine)):
        with pytest.raises(PageStoreUnavailableError, match=r"schema 9000, .*: update Auskunft"):
            use(server_url)
    engine.dispose()
