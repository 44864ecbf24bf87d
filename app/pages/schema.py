"""Tells a database's schema and brings it to the present one by Alembic's migrations, a file a revision.

A new table is a new file in ``migrations/versions`` and a higher ``HEAD``. Revisions are numbered, so that a
database of a later version of Auskunft is known as such.
"""

import threading
from pathlib import Path
from typing import Final

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select

from app.pages.tables import meta

HEAD: Final = "0032"
"""The revision that :mod:`app.pages.tables` describes."""

_VERSION: Final = Table("alembic_version", MetaData(), Column("version_num", String))
_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_lock: Final = threading.Lock()


def revision(connection: Connection) -> str | None:
    """The database's revision; ``None`` if it is empty."""
    tables = inspect(connection)
    if tables.has_table(_VERSION.name):
        return connection.scalar(select(_VERSION.c.version_num))
    if not tables.has_table(meta.name):
        return None
    # Schemas 1 and 2 were numbered there, before there were migrations.
    return f"{connection.scalar(select(meta.c.value).where(meta.c.name == 'schema')):04}"


def upgrade(connection: Connection, found: str | None, to: str = HEAD) -> None:
    """Bring a database of the revision ``found`` to a later one, inside the caller's transaction."""
    from alembic import command  # noqa: PLC0415 - takes long to import and is seldom needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with _lock:  # Alembic's migrations reach their connection through a global
        if found is not None and not inspect(connection).has_table(_VERSION.name):
            command.stamp(config, found)
        command.upgrade(config, to)
