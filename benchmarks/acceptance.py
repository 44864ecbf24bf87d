"""How fast the page store accepts: ``python -m benchmarks acceptance [--profile]``.

New pages are accepted one by one and in batches, each committed. The reference inserts the rows that came of
it with the bare driver into the same tables of another database, committed as often: no hashes, no look at
what is known, no counter. Both take turns, so that other work on the machine slows both. On SQLite, and on
PostgreSQL where a server is installed; in both a commit waits for the disk.
"""

import cProfile
import pstats
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import click
from sqlalchemy import URL, Engine, Table

from app.pages.database import connect, migrate_schema, sqlite_url
from app.pages.store import PageStore
from app.pages.tables import bodies, pages
from benchmarks.figures import Stopwatch, show
from ingest.types import PageRef, RawField, RawPage, Save
from tests.services import MissingServiceError
from tests.services.databases import empty_database
from tests.services.postgresql import Postgresql

TEXT: Final = "<p>Die Gemeinde bietet ihren Bürgerinnen und Bürgern viele Dienste an.</p>" * 30
PROFILED_FUNCTIONS: Final = 25

NewDatabase = Callable[[], URL]


@click.command(help="Measure how fast pages are accepted.")
@click.option("--single", default=500, show_default=True, help="Pages accepted one by one.")
@click.option("--batches", default=10, show_default=True, help="Batches of pages accepted at once.")
@click.option("--size", default=500, show_default=True, help="Pages of a batch.")
@click.option("--profile", is_flag=True, help="Print where the time goes.")
def main(single: int, batches: int, size: int, profile: bool) -> None:
    for name, kind in {"SQLite": sqlite, "PostgreSQL": postgresql}.items():
        try:
            with kind() as new_database:
                measure(f"{name}, one by one", new_database, single, 1, profile)
                measure(f"{name}, batches of {size:,}", new_database, batches, size, profile)
        except MissingServiceError as missing:
            show(name, f"not measured: {missing}")


@contextmanager
def sqlite() -> Iterator[NewDatabase]:
    """Makes files in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = count()
        yield lambda: sqlite_url(Path(folder) / f"{next(numbers)}.sqlite")


@contextmanager
def postgresql() -> Iterator[NewDatabase]:
    """Makes databases of a server started for this. Raises ``MissingServiceError``."""
    with Postgresql(durable=True) as server, ExitStack() as databases:
        yield lambda: databases.enter_context(empty_database(server.url))


def measure(label: str, new_database: NewDatabase, batches: int, size: int, profile: bool) -> None:
    """Accept ``batches`` of ``size`` new pages, and insert the rows that came of them."""
    accepting, inserting = migrated(new_database()), migrated(new_database())
    store, bare = PageStore(accepting), Bare(inserting)
    profiler = cProfile.Profile()
    accepted, inserted = Stopwatch(), Stopwatch()
    changes = [[save(number * size + offset) for offset in range(size)] for number in range(batches + 1)]
    store.accept(changes[0])
    bare.insert(*rows(accepting, 0))
    for number, batch in enumerate(changes[1:], start=1):
        if profile:
            profiler.enable()
        accepted.timed(store.accept)(batch)
        profiler.disable()
        inserted.timed(bare.insert)(*rows(accepting, number * size))
    total = batches * size
    show(label, f"{total / accepted.seconds:,.0f} pages/s: {inserted.seconds / accepted.seconds:.2f} x")
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILED_FUNCTIONS)
    bare.close()
    accepting.dispose()
    inserting.dispose()


class Bare:
    """Inserts rows with the driver alone."""

    def __init__(self, engine: Engine) -> None:
        self._pooled = engine.raw_connection()
        self._connection: Any = self._pooled.driver_connection
        self._sqlite = engine.dialect.name == "sqlite"

    def insert(self, of_pages: Sequence[tuple[Any, ...]], of_bodies: Sequence[tuple[Any, ...]]) -> None:
        """One transaction."""
        cursor = self._connection.cursor()
        if self._sqlite:
            cursor.execute("BEGIN IMMEDIATE")
        for table, some in ((pages, of_pages), (bodies, of_bodies)):
            cursor.executemany(self._statement(table), some)
        self._connection.commit()

    def close(self) -> None:
        """Give the connection back."""
        self._pooled.close()

    def _statement(self, table: Table) -> str:
        values = ", ".join(["?" if self._sqlite else "%s"] * len(table.columns))
        return f"INSERT INTO {table.name} ({columns(table)}) VALUES ({values})"


def columns(table: Table, prefix: str = "") -> str:
    """The names of a table's columns."""
    return ", ".join(f"{prefix}{column.name}" for column in table.columns)


def rows(engine: Engine, after: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows of pages above a sequence, and of their bodies, as the driver gives them."""
    with engine.connect() as connection:
        recent = f"FROM pages p JOIN bodies b USING (source, id, language) WHERE p.sequence > {after}"
        of_pages, of_bodies = (
            [tuple(row) for row in connection.exec_driver_sql(f"SELECT {columns(table, prefix)} {recent}")]
            for table, prefix in ((pages, "p."), (bodies, "b."))
        )
        return of_pages, of_bodies


def migrated(url: URL) -> Engine:
    """An engine for a new database with the page store's tables."""
    engine = connect(url)
    migrate_schema(engine)
    return engine


def save(number: int) -> Save:
    """A new page of 2 kB."""
    fields = {
        "title": RawField(text=f"Page {number}", media_type="text/plain"),
        "content": RawField(text=f"<p>{number}</p>{TEXT}", media_type="text/html"),
    }
    ref = PageRef(source="bench", id=f"p{number}", language="de")
    url = f"https://bench.example/{number}"
    return Save(page=RawPage(ref=ref, document=ref.id, url=url, fields=fields))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.acceptance")
