"""Workers that die, hang or meet deadly pages, with a real Redis: after each fault the gate must hold."""

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, text

from ingest.types import PageRef
from tests.contracts.conftest import DATABASES
from tests.faults.gate import gate
from tests.faults.worker_group import Group, Installation, wait_for_indexed, wait_until
from tests.services.redis import RedisServer

PAGES: Final = 40

pytestmark = pytest.mark.parametrize("installation", DATABASES, indirect=True)


def freeze(installation: Installation, group: Group) -> None:
    """Stop all its processes, none of them in a transaction, which would keep everybody waiting."""
    group.signal(signal.SIGSTOP)
    while is_in_transaction(installation.services.store.engine) or any(
        is_locked(file) for file in installation.data.rglob("*.sqlite")
    ):
        group.signal(signal.SIGCONT)
        group.signal(signal.SIGSTOP)


def is_in_transaction(engine: Engine) -> bool:
    """Whether another session of a PostgreSQL database is."""
    if engine.dialect.name == "sqlite":
        return False
    others = "datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
    with engine.connect() as connection:
        query = text(f"SELECT count(*) FROM pg_stat_activity WHERE {others}")
        return bool(connection.execute(query).scalar_one())


def is_locked(file: Path) -> bool:
    """Whether somebody writes to a SQLite file."""
    with closing(sqlite3.connect(file, timeout=0.1)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
    return False


def test_a_killed_pool_process_loses_nothing(installation: Installation) -> None:
    worker = installation.worker()
    installation.save(range(PAGES))
    for done in (5, 15, 25):
        wait_for_indexed(installation, done)
        os.kill(worker.children()[0], signal.SIGKILL)
        installation.save(range(0, PAGES, 7))
    gate(installation.services)


def test_a_killed_worker_is_made_good_by_the_next(installation: Installation) -> None:
    worker = installation.worker()
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    worker.kill()
    installation.save(range(0, PAGES, 7))
    installation.worker()
    gate(installation.services)


def test_a_worker_that_is_asked_to_end_leaves_its_pages_to_the_next(installation: Installation) -> None:
    worker = installation.worker()
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    worker.terminate()
    installation.worker()
    gate(installation.services)


def test_a_task_that_outlives_the_visibility_timeout_runs_twice_and_does_no_harm(
    installation: Installation, private_redis: RedisServer
) -> None:
    hanging = installation.worker()
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    freeze(installation, hanging)
    with private_redis.client() as client:
        held = set(client.hkeys("unacked"))
        installation.worker()
        installation.save(range(0, PAGES, 7))
        wait_until(lambda: not held & set(client.hkeys("unacked")))
    gate(installation.services)
    hanging.signal(signal.SIGCONT)
    installation.save(range(0, PAGES, 5))
    hanging.terminate()
    gate(installation.services)


def test_a_page_that_somebody_waits_for_overtakes_a_backlog(installation: Installation) -> None:
    installation.save(range(3 * PAGES), priority=0)
    installation.worker()
    wait_for_indexed(installation, 5)
    installation.save(["urgent"])
    ref = PageRef(source="town", id="urgent", language="en")
    wait_until(lambda: installation.services.store.snapshot(ref).state == "indexed")
    assert installation.services.store.pending() > 0
    gate(installation.services)


def test_a_page_that_kills_its_worker_fails_and_takes_no_other_along(installation: Installation) -> None:
    installation.worker()
    installation.save(range(10))
    installation.save(["killer"], fault="deadly")
    installation.save(range(10, 20))
    gate(installation.services, failed={"killer": "poison"})


def test_pages_whose_conversion_hangs_or_takes_all_memory_fail_with_a_reason(
    installation: Installation,
) -> None:
    installation.worker()
    installation.save(range(10))
    installation.save(["hanging"], fault="hang")
    installation.save(["huge"], fault="memory")
    installation.save(range(10, 20))
    gate(installation.services, failed={"hanging": "timeout", "huge": "too_large"})
