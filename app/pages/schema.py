"""The database schema: its revision, the tables of a new database, and migrations from earlier releases.

To change a table, add a file to ``migrations/versions``, raise ``HEAD``, and change the table's definition,
from which a database without tables is created. Revisions are numbered, so that a database of a later version
of Auskunft is recognised.
"""

import threading
from importlib import import_module
from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect, select

from app.errors import PageStoreUnavailableError
from app.feature import installed
from app.pages import account_tables, audit_tables, pull_tables, question_tables, site_tables  # noqa: F401 - tables
from app.pages.tables import installation, meta, metadata

HEAD: Final = "0041"
"""The revision that the tables describe."""

OLDEST: Final = "0014"
"""The revision of release 0.2.0, from which databases are migrated."""

_VERSION: Final = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_KNOWN: Final = frozenset(file.name[1:5] for file in _MIGRATIONS.glob("versions/v*.py"))
_lock: Final = threading.Lock()


def revision(connection: Connection) -> str | None:
    """Return the database's revision; ``None`` if it is empty."""
    if not inspect(connection).has_table(_VERSION.name):
        return None
    return connection.scalar(select(_VERSION.c.version_num))


def create(connection: Connection) -> None:
    """Make all tables, including those of installed features, inside the caller's transaction.

    Raises ``PageStoreUnavailableError`` if another program has tables of these names.
    """
    for feature in installed():
        if feature.tables:
            import_module(feature.tables)
    if taken := metadata.tables.keys() & inspect(connection).get_table_names():
        raise PageStoreUnavailableError(
            f"the database contains tables of another program ({', '.join(sorted(taken))}): use an empty "
            "database"
        )
    metadata.create_all(connection)
    connection.execute(insert(meta).values(name="sequence", value=0))
    connection.execute(insert(installation).values(slot=1, id=uuid4().hex, indexed_in=""))
    _VERSION.create(connection)
    connection.execute(insert(_VERSION).values(version_num=HEAD))


def can_be_read(found: str) -> bool:
    """Return True if this version has the revision, or can migrate it."""
    return found in _KNOWN


def upgrade(connection: Connection) -> None:
    """Bring a database of an earlier version to ``HEAD``, inside the caller's transaction.

    Raises ``PageStoreUnavailableError`` for a revision that the migrations do not know.
    """
    from alembic import command  # noqa: PLC0415 - takes long to import and is seldom needed
    from alembic.config import Config  # noqa: PLC0415

    found = str(revision(connection))
    if not can_be_read(found):
        remedy = "let release 0.2.0 migrate it first" if found < OLDEST else "start with an empty database"
        raise PageStoreUnavailableError(
            f"the database has the schema {found}, which no version can migrate: {remedy}"
        )
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with _lock:  # Alembic's migrations reach their connection through a global
        command.upgrade(config, HEAD)
