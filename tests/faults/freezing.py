"""A worker that hangs as a whole, as it does in a virtual machine that is suspended."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine, text

from tests.faults.installation import Installation
from tests.faults.worker_group import Group


def freeze(installation: Installation, group: Group) -> None:
    """Stop all its processes, none of them in a transaction, which would keep everybody waiting."""
    group.signal(signal.SIGSTOP)
    while is_in_transaction(installation.services.engine) or any(
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
