"""``auskunft migrate``: create the page store's tables, or upgrade them."""

import click

from app.cli.common import console, open_services
from app.pages.database import connect, migrate_schema
from app.pages.schema import HEAD


@click.command()
def migrate() -> None:
    """Create the page store's tables in PostgreSQL, or migrate them after an update.

    A SQLite file is migrated automatically. The command can be run again at any time.
    """
    with open_services() as services:
        engine = connect(services.database)
        try:
            found = migrate_schema(engine)
        finally:
            engine.dispose()
    console().print(f"page store: {_done(found)}")


def _done(found: str | None) -> str:
    if found is None:
        return f"tables created (schema {HEAD})"
    return f"nothing to do (schema {HEAD})" if found == HEAD else f"migrated from schema {found} to {HEAD}"
