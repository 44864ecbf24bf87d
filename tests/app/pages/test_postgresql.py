"""What only a server does: it restarts, fills up, refuses, sorts in its own way, and locks rows."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from random import Random
from threading import Event

import psycopg
import pytest
from sqlalchemy import URL, Engine, make_url, select, text

from app.errors import InputError, NotFoundError, PageStoreUnavailableError, SettingsError, UnwritableError
from app.pages.audit_tables import audit_log
from app.pages.database import connect, migrate_schema, open_engine, reading, utc_now, writing
from app.pages.page_list import PageList
from app.pages.rebuilds import AttemptResult, RebuildLog
from app.pages.step_faults import StepFaults
from app.pages.store import PageStore
from app.pages.tables import step_faults
from app.pages.types import Waiting
from app.pages.writability import check_database
from ingest.types import Save
from tests.contracts.page_store.helpers import claim_one, index
from tests.contracts.raw_pages import page, ref, save
from tests.services.databases import empty_database
from tests.services.postgresql import Postgresql


@pytest.fixture
def url(postgresql: str, postgresql_template: str) -> Iterator[URL]:
    with empty_database(postgresql, postgresql_template) as url:
        yield url


@pytest.fixture
def engine(url: URL) -> Iterator[Engine]:
    engine = open_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> PageStore:
    return PageStore(engine)


@pytest.fixture
def admin(url: URL) -> Iterator[psycopg.Connection]:
    """Another connection to the same database."""
    with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as connection:
        yield connection


def test_a_restart_goes_unnoticed_and_an_outage_is_one_line(private_postgresql: Postgresql) -> None:
    engine = migrated(make_url(private_postgresql.url))
    store = PageStore(engine)
    store.accept([save()])
    private_postgresql.restart()
    assert store.pending() == 1
    with (
        pytest.raises(PageStoreUnavailableError, match="does not answer"),
        writing(engine) as connection,
    ):
        private_postgresql.restart()
        connection.execute(text("SELECT 1"))
    assert claim_one(store).ref == ref()
    private_postgresql.kill()
    with pytest.raises(PageStoreUnavailableError) as caught:
        store.accept([save("lost")])
    assert "Connection refused): check that PostgreSQL runs and that AUSKUNFT_DATABASE_URL" in str(
        caught.value
    )
    private_postgresql.start()
    assert store.accept([save("kept")])[0].sequence == 2
    engine.dispose()


def migrated(url: URL) -> Engine:
    engine = connect(url)
    migrate_schema(engine)
    return engine


def test_the_session_has_limits_and_its_own_time_zone(engine: Engine) -> None:
    names = ["timezone", "lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"]
    with writing(engine) as connection:
        shown = [connection.scalar(text(f"SHOW {name}")) for name in (*names, "transaction_isolation")]
    assert shown == ["UTC", "30s", "1min", "1min", "read committed"]
    with reading(engine) as connection:
        shown = [connection.scalar(text(f"SHOW {name}")) for name in ("transaction_isolation", "timezone")]
    assert shown == ["repeatable read", "UTC"]


def test_a_read_sees_one_moment(store: PageStore, engine: Engine) -> None:
    store.accept([save("before")])
    with reading(engine) as connection:
        count = text("SELECT count(*) FROM pages")
        assert connection.scalar(count) == 1
        store.accept([save("meanwhile")])
        assert connection.scalar(count) == 1


def test_a_claim_waits_for_nobody(store: PageStore, admin: psycopg.Connection) -> None:
    store.accept([save(f"p{number}") for number in range(4)])
    with admin.transaction():
        admin.execute("SELECT 1 FROM pages WHERE id IN ('p0', 'p2') FOR UPDATE")
        admin.execute("SELECT 1 FROM meta FOR UPDATE")
        assert [claim.ref.id for claim in store.claim(10, "quick")] == ["p1", "p3"]
        assert store.claim(10, "second") == []
    assert [claim.ref.id for claim in store.claim(10, "second")] == ["p0", "p2"]


def test_a_batch_waits_for_the_one_before_and_comes_after_it(
    store: PageStore, admin: psycopg.Connection
) -> None:
    started = Event()

    def accepts() -> int:
        started.set()
        return store.accept([save("second")])[0].sequence

    with ThreadPoolExecutor(1) as pool:
        with admin.transaction():
            admin.execute("UPDATE meta SET value = value + 1 WHERE name = 'sequence'")
            second = pool.submit(accepts)
            assert started.wait(20)
            assert store.watermark() == 0
        assert second.result(20) == 2


def test_a_lock_held_too_long_is_an_outage_not_a_loss(
    store: PageStore, admin: psycopg.Connection, engine: Engine
) -> None:
    with engine.connect() as connection:
        connection.execute(text("SET lock_timeout = 50"))
        connection.commit()
    with admin.transaction():
        admin.execute("SELECT 1 FROM meta FOR UPDATE")
        with pytest.raises(PageStoreUnavailableError, match=r"lock timeout\): try again later"):
            store.accept([save()])
    assert store.accept([save()])[0].sequence == 1


def test_a_full_disk_is_one_line_and_nothing_half_written(
    store: PageStore, admin: psycopg.Connection
) -> None:
    admin.execute(
        "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
        "'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$"
    )
    admin.execute("CREATE TRIGGER fill BEFORE INSERT ON bodies FOR EACH ROW EXECUTE FUNCTION fill()")
    with pytest.raises(UnwritableError) as caught:
        store.accept([save()])
    message = "could not extend file: No space left on device): free some disk space on its machine"
    assert str(caught.value) == f"the page store cannot be written ({message}"
    assert store.refs("town") == []
    admin.execute("DROP TRIGGER fill ON bodies")
    assert store.accept([save()])[0].sequence == 1


def test_a_standby_is_named(url: URL, admin: psycopg.Connection) -> None:
    admin.execute(f'ALTER DATABASE "{url.database}" SET default_transaction_read_only = on')
    engine = open_engine(url)
    store = PageStore(engine)
    assert store.pending() == 0
    for use in (lambda: store.accept([save()]), lambda: check_database(engine)):
        with pytest.raises(UnwritableError, match="connect to the primary server"):
            use()
    engine.dispose()


def test_missing_rights_are_one_line(url: URL, admin: psycopg.Connection) -> None:
    admin.execute("DROP ROLE IF EXISTS visitor")
    admin.execute("CREATE ROLE visitor LOGIN")
    try:
        with pytest.raises(PageStoreUnavailableError, match=r"permission denied .*: let this user own"):
            open_engine(url.set(username="visitor"))
    finally:
        admin.execute("DROP ROLE visitor")


def test_no_message_contains_the_password(postgresql: str) -> None:
    server = make_url(postgresql).set(password="hush")
    wrong = [
        server.set(port=1),
        server.set(database="none"),
        server.set(username="nobody"),
        server.set(host="no.such.host.invalid"),
        server.update_query_dict({"unknown": "1"}),
        server.update_query_dict({"sslmode": "require"}),
    ]
    for url in wrong:
        with pytest.raises(PageStoreUnavailableError, match="that AUSKUNFT_DATABASE_URL is right") as caught:
            open_engine(url)
        assert "hush" not in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["nonsense", "postgresql://a:hush@host:port/x", "mysql://a:hush@host/x", "postgresql+none://x/y"]
)
def test_a_url_that_is_none_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(SettingsError, match="use postgresql://") as caught:
        open_engine(url)
    assert "hush" not in str(caught.value)


def test_a_missing_driver_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SettingsError, match=r"pip install 'auskunft\[postgres\]'"):
        open_engine("postgresql://127.0.0.1/x")


def test_pages_come_in_the_order_of_code_points_whatever_the_collation(postgresql: str) -> None:
    german = "LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C.UTF-8'"
    names = ["a", "B", "b", "ä", "z", "Z", "é", "-", "_", "a-", "😀", "\uffee"]
    with empty_database(postgresql, options=german) as url:
        engine = migrated(url)
        store = PageStore(engine)
        store.accept([save(name) for name in names])
        assert [record.ref.id for record in PageList(engine).records()] == sorted(names)
        assert [version.ref.id for version in store.versions()] == sorted(names)
        engine.dispose()


def test_the_end_of_the_calendar_comes_back_in_any_time_zone_of_the_server(
    url: URL, admin: psycopg.Connection
) -> None:
    admin.execute(f"ALTER DATABASE \"{url.database}\" SET timezone = 'Pacific/Auckland'")
    engine = open_engine(url)
    store = PageStore(engine)
    last, first = datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)
    store.accept([Save(page=page(publish_from=first, publish_until=last))])
    claimed = claim_one(store).page
    assert claimed is not None
    assert (claimed.publish_from, claimed.publish_until) == (first, last)
    engine.dispose()


def test_an_id_that_no_page_can_have_is_not_found(store: PageStore) -> None:
    for name in ("\0", "\ud800", "x" * 100_000):
        with pytest.raises(NotFoundError):
            store.exclude("no\0source", name)


def test_an_id_of_the_greatest_length_is_kept(store: PageStore) -> None:
    name = "".join(chr(0x10000 + number * 97) for number in range(512))
    store.accept([Save(page=page(name, document=name))])
    assert index(store) == [ref(name)]


def test_workers_that_record_outcomes_and_one_that_ends_their_rebuild_do_not_wait_for_each_other(
    store: PageStore, engine: Engine
) -> None:
    names = [f"p{number:03}" for number in range(800)]
    Random(0).shuffle(names)
    store.accept([save(name) for name in names])
    rebuilds = RebuildLog(engine, utc_now)
    waits = Waiting(reason="interrupted", seconds=0)
    for number in range(8):
        rebuild = rebuilds.request().id
        rebuilds.begin(rebuild, number)
        held = {worker: rebuilds.claim(worker, 128) for worker in "abcd"}
        tried = [
            (worker, dict.fromkeys(refs, AttemptResult(sequence=1, outcome=waits)))
            for worker, refs in held.items()
        ]
        with ThreadPoolExecutor(5) as pool:
            recorded = [pool.submit(rebuilds.record, *each) for each in tried]
            pool.submit(rebuilds.finish, rebuild, "cancelled").result()
            for each in recorded:
                each.result()


def test_64_threads_are_served(store: PageStore) -> None:
    store.accept([save()])
    with ThreadPoolExecutor(64) as pool:
        hidden = pool.map(lambda _: store.hidden([ref()], datetime.now(UTC)), range(640))
        assert not any(hidden)


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30])
def test_a_number_that_no_column_holds_is_an_error_of_whoever_gave_it(engine: Engine, number: int) -> None:
    with pytest.raises(InputError, match="larger than any stored one"), reading(engine) as connection:
        connection.execute(select(audit_log).where(audit_log.c.number < number))


def test_two_workers_may_note_a_fault_of_the_same_step_at_once(engine: Engine) -> None:
    with ThreadPoolExecutor(1) as pool, writing(engine) as connection:
        row = {"step": "indexing", "at": utc_now(), "problem": "the one"}
        connection.execute(step_faults.insert().values(row))
        other = pool.submit(StepFaults(engine).note, "indexing", "the other")
        while not connection.execute(text("SELECT 1 FROM pg_locks WHERE NOT granted")).first():
            pass
        connection.commit()
        other.result()
    assert [fault.problem for fault in StepFaults(engine).recent()] == ["the other"]
