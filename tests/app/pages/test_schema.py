"""A new database has what the tables describe, and so has a migrated one of an earlier release."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Engine, inspect, select, text

from app.errors import PageStoreUnavailableError
from app.feature import installed
from app.pages import schema
from app.pages.builds import Builds
from app.pages.database import connect, migrate_schema, open_engine, reading, sqlite_url, writing
from app.pages.page_list import PageList
from app.pages.question_tables import questions
from app.pages.store import PageStore
from app.pages.tables import metadata
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


def fill(url: URL) -> None:
    """Make the tables and rows that release 0.2.0 left there."""
    kind = url.get_backend_name()
    script = (OLDER / f"release_0_2_0.{kind}.sql").read_text("utf-8")
    if kind == "sqlite":
        with closing(sqlite3.connect(str(url.database))) as connection:
            connection.executescript(script)
        return
    with psycopg.connect(url.set(drivername="postgresql").render_as_string(hide_password=False)) as server:
        server.execute(script.encode())


@pytest.fixture
def older(empty: URL) -> URL:
    """A database of release 0.2.0."""
    fill(empty)
    return empty


def is_described(_item: object, _name: str, kind: str, reflected: bool, described: object) -> bool:
    """False for a table of a feature that is not installed."""
    return not (kind == "table" and reflected and described is None)


def differences(engine: Engine) -> list[object]:
    for tables in filter(None, (feature.tables for feature in installed())):
        import_module(tables)
    options = {"compare_type": True, "include_object": is_described}
    with reading(engine) as connection:
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, metadata))


def test_a_new_database_has_the_tables(empty: URL) -> None:
    engine = connect(empty)
    assert migrate_schema(engine) is None
    assert differences(engine) == []
    with reading(engine) as connection:
        assert schema.revision(connection) == schema.HEAD
    engine.dispose()


def test_a_difference_between_a_database_and_the_tables_would_be_found(empty: URL) -> None:
    engine = connect(empty)
    migrate_schema(engine)
    with writing(engine) as connection:
        connection.execute(text("ALTER TABLE builds DROP COLUMN generation"))
        connection.execute(text("DROP INDEX pages_worker"))
    assert len(differences(engine)) == 2
    engine.dispose()


def test_the_migrations_lead_to_the_same_tables_as_a_new_database_has(older: URL) -> None:
    engine = connect(older)
    assert migrate_schema(engine) == "0014"
    assert differences(engine) == []
    with reading(engine) as connection:
        assert schema.revision(connection) == schema.HEAD
    engine.dispose()


@pytest.mark.parametrize("number", ["0032", "0039"])
def test_a_database_of_any_revision_that_the_migrations_know_is_migrated(older: URL, number: str) -> None:
    engine = connect(older)
    with writing(engine) as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(Path(schema.__file__).with_name("migrations")))
        command.upgrade(config, number)
    assert migrate_schema(engine) == number
    assert differences(engine) == []
    assert sum(PageStore(engine).counts().values()) == 8
    engine.dispose()


def test_the_head_is_the_last_revision_and_revisions_are_numbered() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).with_name("migrations")))
    revisions = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert revisions[0] == schema.HEAD
    assert revisions == sorted(revisions, reverse=True)


@pytest.mark.parametrize(
    ("number", "remedy"), [("0020", "start with an empty database"), ("0009", "let release 0.2.0 migrate it")]
)
def test_a_database_of_no_release_is_left_as_it_is(older: URL, number: str, remedy: str) -> None:
    engine = connect(older)
    with writing(engine) as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{number}'"))
    with pytest.raises(PageStoreUnavailableError, match=f"schema {number}, .*: {remedy}"):
        migrate_schema(engine)
    with reading(engine) as connection:
        assert schema.revision(connection) == number
    engine.dispose()


def test_a_database_with_tables_of_another_program_is_left_as_it_is(empty: URL) -> None:
    engine = connect(empty)
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE jobs (x INTEGER)"))
    with pytest.raises(PageStoreUnavailableError, match=r"another program \(jobs\): use an empty database"):
        migrate_schema(engine)
    with reading(engine) as connection:
        assert inspect(connection).get_table_names() == ["jobs"]
    engine.dispose()


def test_new_and_migrated_files_have_the_same_conditions_of_indexes(tmp_path: Path) -> None:
    found = []
    for name in ("new", "old"):
        url = sqlite_url(tmp_path / f"{name}.sqlite")
        if name == "old":
            fill(url)
        engine = connect(url)
        migrate_schema(engine)
        with reading(engine) as connection:
            indexes = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'index'"))
            found.append({name: sql.split(" WHERE ")[1] for name, sql in indexes if " WHERE " in (sql or "")})
        engine.dispose()
    assert found[0] == found[1]
    assert "context_pages_due" in found[0]


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


def test_what_a_release_left_is_migrated_without_loss(older: URL) -> None:
    engine = connect(older)
    migrate_schema(engine)
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
    assert Builds(engine, lambda: NOON).current() is not None
    engine.dispose()


def test_the_questions_of_a_release_are_listed(older: URL) -> None:
    engine = connect(older)
    migrate_schema(engine)
    with reading(engine) as connection:
        found = connection.execute(select(questions).order_by(questions.c.answer)).all()
    engine.dispose()
    assert [(row.answer, row.outcome) for row in found] == [
        ("answered", "answered"),
        ("extractive", "doubtful"),
        ("no_answer", "unanswered"),
        ("running", "unfinished"),
    ]
    assert {(row.site, row.asked_at, row.words) for row in found} == {("town", NOON, "über?")}


def test_what_was_asked_before_is_judged_by_what_is_stored(older: URL) -> None:
    rows = {
        "near": ("answered", '{"answer": "A.", "certainty": "near"}'),
        "sure": ("answered", '{"answer": "A.", "certainty": "sure"}'),
        "rated": ("answered", '{"answer": "A."}'),
        "partly": ("partly", '{"answer": "A."}'),
        "hello": ("greeting", '{"answer": "A."}'),
        "poem": ("out_of_scope", '{"answer": "A.", "mode": null}'),
        "outside": ("out_of_scope", '{"answer": "A.", "mode": "semantic"}'),
        "broken": ("failed", '{"answer": ""}'),
    }
    engine = connect(older)
    with writing(engine) as connection:
        for number, (name, (status, document)) in enumerate(rows.items(), start=10):
            values = {"id": name, "number": number, "document": document, "status": status, "at": NOON}
            connection.execute(
                text(
                    "INSERT INTO answers (id, conversation, number, question, document, started_at, status)"
                    " VALUES (:id, 'c', :number, 'Q?', :document, :at, :status)"
                ),
                values,
            )
        for name in ("rated", "partly"):
            given = "INSERT INTO feedback VALUES (:name, 'down', '', :at)"
            connection.execute(text(given), {"name": name, "at": NOON})
    migrate_schema(engine)
    with reading(engine) as connection:
        found = connection.execute(select(questions.c.answer, questions.c.outcome)).all()
    engine.dispose()
    assert {answer: outcome for answer, outcome in found if answer in rows} == {
        "near": "doubtful",
        "sure": "answered",
        "rated": "doubtful",
        "partly": "unanswered",
        "hello": "other",
        "poem": "other",
        "outside": "unanswered",
        "broken": "unanswered",
    }


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "pages.sqlite")
    fill(url)
    with closing(sqlite3.connect(str(url.database))) as connection:
        connection.execute("CREATE TABLE terms (unrelated)")
    with pytest.raises(PageStoreUnavailableError, match="table terms already exists"):
        open_engine(url)
    with closing(sqlite3.connect(str(url.database))) as connection:
        connection.execute("DROP TABLE terms")
    engine = open_engine(url)
    assert sum(PageStore(engine).counts().values()) == 8
    engine.dispose()


def test_an_empty_database_of_a_server_is_not_filled_by_accident(server_url: URL) -> None:
    with pytest.raises(PageStoreUnavailableError, match=r"/auskunft_\w+ is empty: run `auskunft migrate`"):
        open_engine(server_url)


def test_an_earlier_schema_on_a_server_names_the_command(server_url: URL) -> None:
    fill(server_url)
    engine = connect(server_url)
    with pytest.raises(PageStoreUnavailableError, match=r"earlier version \(0014\): run `auskunft migrate`"):
        open_engine(server_url)
    assert migrate_schema(engine) == "0014"
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
