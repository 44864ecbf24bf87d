"""Measures how fast events are accepted: ``python -m benchmarks acceptance [--profile]``.

Signed messages of new pages, one page each or many, go from their bytes to the response's jobs: signature,
JSON, contents, page store, commit. The page store is also timed alone. The reference inserts the resulting
rows (pages, bodies, message, jobs) with the bare driver into the same tables of another database, with a
commit for each message: no signature, JSON, hashes or counters, and no look-up of known pages. Both take
turns, so that other work on the machine slows both, and medians are compared. On SQLite, and on PostgreSQL
if a server is installed; in both a commit waits for the disk.
"""

import cProfile
import json
import pstats
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import click
from pydantic import SecretStr
from sqlalchemy import URL, Engine, Table, and_, select
from structlog.testing import capture_logs

from app.monitoring.logging import configure_quiet_logging
from app.pages.database import connect, migrate_schema, reading, sqlite_url, utc_now
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
from app.pages.tables import bodies, deliveries, jobs, pages
from app.settings.sources import SourceSettings
from app.sources.rate_limit import RateLimiter
from app.sources.signatures import headers
from app.sources.webhook import WebhookReceiver
from benchmarks.figures import Stopwatch, show, watched
from benchmarks.installation import SECRET, SOURCE
from tests.services import MissingServiceError
from tests.services.databases import empty_database
from tests.services.postgresql import Postgresql

TEXT: Final = "<p>Die Gemeinde bietet ihren Bürgerinnen und Bürgern viele Dienste an.</p>" * 30
WRITTEN: Final = (pages, bodies, deliveries, jobs)
PROFILED_FUNCTIONS: Final = 25

NewDatabase = Callable[[], URL]
Rows = Mapping[Table, Sequence[tuple[Any, ...]]]


@click.command(help="Measure how fast events are accepted.")
@click.option("--single", default=500, show_default=True, help="Messages of one event.")
@click.option("--batches", default=20, show_default=True, help="Messages of many events.")
@click.option("--size", default=500, show_default=True, help="Events of such a message.")
@click.option("--profile", is_flag=True, help="Print where the time goes.")
def main(single: int, batches: int, size: int, profile: bool) -> None:
    configure_quiet_logging()
    for name, kind in {"SQLite": sqlite, "PostgreSQL": postgresql}.items():
        try:
            with capture_logs(), kind() as new_database:
                measure(f"{name}, one by one", new_database, single, 1, profile)
                measure(f"{name}, batches of {size:,}", new_database, batches, size, profile)
        except MissingServiceError as missing:
            show(name, f"not measured: {missing}")


@contextmanager
def sqlite() -> Iterator[NewDatabase]:
    """Yield a function that names new SQLite files in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = count()
        yield lambda: sqlite_url(Path(folder) / f"{next(numbers)}.sqlite")


@contextmanager
def postgresql() -> Iterator[NewDatabase]:
    """Yield a function that creates databases on a new server. Raises ``MissingServiceError``."""
    with Postgresql(durable=True) as server, ExitStack() as databases:
        yield lambda: databases.enter_context(empty_database(server.url))


def measure(label: str, new_database: NewDatabase, messages: int, size: int, profile: bool) -> None:
    """Accept ``messages`` of ``size`` new pages each, and insert the resulting rows for comparison."""
    accepting, inserting = migrated(new_database()), migrated(new_database())
    store, bare = Deliveries(accepting, utc_now), BareDriver(inserting)
    receiving = webhook_receiver(store, PageList(accepting))
    profiler = cProfile.Profile()
    received, inserted = Stopwatch(), Stopwatch()
    with watched(store, "accept") as stored:
        for number in range(messages + 1):
            signed, body = message(number, size)
            if profile and number:
                profiler.enable()
            received.timed(receiving.receive)(SOURCE, signed, body)
            profiler.disable()
            inserted.timed(bare.insert)(rows(accepting, str(number), number * size))
    # The first message opens connections and compiles statements.
    whole, storing, reference = (statistics.median(each.laps[1:]) for each in (received, stored, inserted))
    ratios = f"{reference / whole:.2f} x; page store {reference / storing:.2f} x"
    show(label, f"{size / whole:,.0f} events/s: {ratios}")
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILED_FUNCTIONS)
    bare.close()
    accepting.dispose()
    inserting.dispose()


class SilentQueue:
    """A queue that wakes no worker: indexing is not measured here."""

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """Do nothing."""


def webhook_receiver(store: Deliveries, page_list: PageList) -> WebhookReceiver:
    """Return a receiver of one source's messages for the page store."""
    settings = SourceSettings(secrets=[SecretStr(SECRET)], events_per_minute=1_000_000)
    return WebhookReceiver(
        deliveries=store,
        page_list=page_list,
        queue=SilentQueue(),
        sources={SOURCE: settings},
        rate_limiter=RateLimiter(),
    )


def message(number: int, size: int) -> tuple[dict[str, str], bytes]:
    """The headers and body of the message ``number``: ``size`` new pages of 2 kB."""
    body = json.dumps({"events": [event(number * size + offset) for offset in range(size)]}).encode()
    return headers(SECRET, str(number), int(time.time()), body), body


def event(number: int) -> dict[str, Any]:
    """The event that a page was saved."""
    return {
        "type": "page.saved",
        "id": f"p{number}",
        "language": "de",
        "revision": number,
        "url": f"https://bench.example/{number}",
        "title": f"Page {number}",
        "html": f"<p>{number}</p>{TEXT}",
    }


class BareDriver:
    """Inserts rows with the driver alone."""

    def __init__(self, engine: Engine) -> None:
        self._pooled = engine.raw_connection()
        self._connection: Any = self._pooled.driver_connection
        self._sqlite = engine.dialect.name == "sqlite"

    def insert(self, some: Rows) -> None:
        """Insert the rows in one transaction."""
        cursor = self._connection.cursor()
        if self._sqlite:
            cursor.execute("BEGIN IMMEDIATE")
        for table in WRITTEN:
            cursor.executemany(self._statement(table), some[table])
        self._connection.commit()

    def close(self) -> None:
        """Return the connection to the pool."""
        self._pooled.close()

    def _statement(self, table: Table) -> str:
        names = ", ".join(column.name for column in table.columns)
        values = ", ".join(["?" if self._sqlite else "%s"] * len(table.columns))
        return f"INSERT INTO {table.name} ({names}) VALUES ({values})"


def rows(engine: Engine, message_id: str, after: int) -> Rows:
    """The rows that a message resulted in, as the driver returns them; its pages' sequences are above
    ``after``."""
    of_body = and_(*(bodies.c[name] == pages.c[name] for name in ("source", "id", "language")))
    queries = {
        pages: select(pages).where(pages.c.sequence > after),
        bodies: select(bodies).join(pages, of_body).where(pages.c.sequence > after),
        deliveries: select(deliveries).where(deliveries.c.id == message_id),
        jobs: select(jobs).where(jobs.c.source == SOURCE, jobs.c.delivery == message_id),
    }
    with reading(engine) as connection:
        return {
            table: [tuple(row) for row in connection.exec_driver_sql(_literal(engine, query))]
            for table, query in queries.items()
        }


def _literal(engine: Engine, query: Any) -> str:
    """The query as text, so that the driver's values are not converted by SQLAlchemy."""
    return str(query.compile(engine, compile_kwargs={"literal_binds": True}))


def migrated(url: URL) -> Engine:
    """An engine for a new database with the page store's tables."""
    engine = connect(url)
    migrate_schema(engine)
    return engine


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.acceptance")
