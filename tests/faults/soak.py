"""``make soak``: editors work on a whole installation while faults strike it at random, round after round.

After each round every page must be as its editor wants it, none lost and none resurrected, and the gate hold.
``ARGS="--minutes 3 --seed 7 --database sqlite --index elasticsearch"`` chooses otherwise.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Final

import click

from app.errors import AuskunftError
from app.pages.database import connect, migrate_schema, utc_now
from app.sources.sender import ENDED
from tests.fakes.cms import FakeCms
from tests.faults.disks import small_disk
from tests.faults.editors import Editor
from tests.faults.gate import gate, wait_for_rest
from tests.faults.installation import SECRET, SOURCE, Installation
from tests.faults.seeds import fault_seed
from tests.faults.strikes import Embeddings, Strikes
from tests.faults.worker_group import wait_until
from tests.services import MissingServiceError
from tests.services.databases import empty_database
from tests.services.elasticsearch import Elasticsearch
from tests.services.postgresql import Postgresql
from tests.services.redis import RedisServer

EDITORS: Final = 3
ROUND_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.25
DISK_BYTES: Final = 256_000_000
CLOCK_SLACK: Final = timedelta(seconds=5)
LOG: Final = Path(tempfile.gettempdir()) / "auskunft-soak.log"


class Watch:
    """Follows jobs to their ends. ``seconds``: how long each of those took that were indexed."""

    def __init__(self, installation: Installation) -> None:
        self.seconds: list[float] = []
        self._installation = installation
        self._open: dict[str, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, jobs: list[str]) -> None:
        """These were accepted just now."""
        self._open.update(dict.fromkeys(jobs, time.monotonic()))

    def close(self) -> None:
        """Follow no longer."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            for job, since in list(self._open.items()):
                with suppress(AuskunftError):  # the page store is away
                    status, _ = self._installation.status(job)
                    if status in ENDED:
                        del self._open[job]
                        self.seconds += [time.monotonic() - since] if status == "indexed" else []


class Soak:
    """An installation with editors and faults."""

    def __init__(self, installation: Installation, cms: FakeCms, strikes: Strikes, seed: str) -> None:
        self.watch = Watch(installation)
        self.strikes = strikes
        self.lost: list[str] = []
        self.resurrected: list[str] = []
        self.timed_out: dict[str, str] = {}
        self._installation = installation
        self.editors = [
            Editor(name, installation, cms, Random(f"{seed} {name}"), self.watch.add)
            for name in (f"editor{number}" for number in range(EDITORS))
        ]

    def round(self, seconds: float) -> None:
        """Edits and faults, then rest: the gate must hold, and every page be as wanted. Raises
        ``AssertionError``."""
        began, until = utc_now() - CLOCK_SLACK, time.monotonic() + seconds
        with ThreadPoolExecutor(EDITORS + 1) as threads:
            work = [threads.submit(editor.work, until) for editor in self.editors]
            work.append(threads.submit(self.strikes.strike, until))
            for done in work:
                done.result()
        rebuilding = self._installation.services.indexing.rebuild_queue
        wait_until(lambda: rebuilding.active() is None)
        wait_for_rest(self._installation.services, began)
        self._compare()
        assert not self.lost and not self.resurrected
        gate(self._installation.services, self.strikes.failed | self.timed_out, since=began)
        assert {rebuild.state for rebuild in rebuilding.all()} <= {"done"}

    def _compare(self) -> None:
        wanted = {page_id: text for editor in self.editors for page_id, text in editor.wanted.items()}
        served = self._installation.texts(wanted)
        self.resurrected = sorted(page for page, text in wanted.items() if text is None and page in served)
        # The conversion's time runs on while a worker is frozen: such pages are listed, not lost.
        rows = self._installation.services.page_list.records(state="failed")
        slow = [row.ref.id for row in rows if row.reason.startswith("timeout:") and row.ref.id in wanted]
        self.timed_out = dict.fromkeys(slow, "timeout")
        served |= {page: wanted[page] or "" for page in slow}
        self.lost = sorted(page for page, text in wanted.items() if text not in (None, served.get(page)))

    def report(self) -> Iterator[str]:
        """What was done, struck and found, in lines."""
        events, repeats, refusals = (
            sum(getattr(editor, name) for editor in self.editors)
            for name in ("events", "repeats", "refusals")
        )
        yield f"{events:,} events accepted, {repeats:,} messages repeated, {refusals:,} refused for the clock"
        for name, times in sorted(self.strikes.struck.items()):
            yield f"  {times:4} x {name}"
        pages = sum(len(editor.wanted) for editor in self.editors)
        yield f"{pages:,} pages, {len(self.lost)} lost, {len(self.resurrected)} resurrected"
        yield f"{len(self.timed_out)} listed as failed, for their conversion was frozen"
        yield from (f"  lost: {page}" for page in self.lost)
        yield from (f"  resurrected: {page}" for page in self.resurrected)
        seconds = self.watch.seconds
        if seconds:
            median, slowest = statistics.median(seconds), max(seconds)
            yield f"slowest from accepted to indexed: {slowest:.1f} s, median {median:.1f} s"


@contextmanager
def soaked(seed: str, database: str, index: str) -> Iterator[Soak]:
    """Everything, with servers of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="auskunft-soak-")))
        disk = _disk(stack, folder / "data")
        redis = stack.enter_context(RedisServer())
        postgresql = stack.enter_context(Postgresql(durable=True)) if database == "postgresql" else None
        elasticsearch = stack.enter_context(Elasticsearch()) if index == "elasticsearch" else None
        embeddings = stack.enter_context(closing(Embeddings()))
        cms = stack.enter_context(FakeCms())
        options = {"base_url": embeddings.url, "model": "all-MiniLM-L6-v2", "retry_seconds": 0}
        source = {"kind": "cms", "secrets": [SECRET], "events_per_minute": 1_000_000, **cms.options()}
        installation = stack.enter_context(
            closing(
                Installation(
                    folder,
                    broker_url=redis.url,
                    database_url=_database(stack, postgresql) if postgresql else "",
                    index=index,
                    elasticsearch_url=elasticsearch.url if elasticsearch else "http://127.0.0.1:1",
                    elasticsearch_element_type="float",  # exact cosines are compared
                    embedder="endpoint",
                    embedders={"endpoint": options},
                    sources={SOURCE: source},
                    fetch_allow=["127.0.0.1"],
                    fetch_per_second=100,
                )
            )
        )
        strikes = Strikes(
            installation,
            Random(f"{seed} strikes"),
            redis=redis,
            embeddings=embeddings,
            postgresql=postgresql,
            elasticsearch=elasticsearch,
            disk=disk,
        )
        soak = Soak(installation, cms, strikes, seed)
        stack.callback(soak.watch.close)
        try:
            yield soak
        except BaseException:
            LOG.write_bytes(installation.log.read_bytes())
            raise


def _disk(stack: ExitStack, folder: Path) -> Path | None:
    """The data folder, if it may be made small."""
    with suppress(MissingServiceError):
        stack.enter_context(small_disk(folder, DISK_BYTES))
        return folder
    return None


def _database(stack: ExitStack, postgresql: Postgresql) -> str:
    url = stack.enter_context(empty_database(postgresql.url))
    engine = connect(url)
    migrate_schema(engine)
    engine.dispose()
    return url.render_as_string(hide_password=False)


@click.command(help="Let editors work while faults strike at random; exit 1 if anything went wrong.")
@click.option("--minutes", default=15.0, show_default=True)
@click.option("--seed", default=fault_seed, help="What is chosen by chance (default: the commit).")
@click.option(
    "--database", type=click.Choice(["postgresql", "sqlite"]), default="postgresql", show_default=True
)
@click.option(
    "--index", type=click.Choice(["embedded", "elasticsearch"]), default="embedded", show_default=True
)
def main(minutes: float, seed: str, database: str, index: str) -> None:
    click.echo(f"seed {seed}, {minutes:g} minutes, {database}, {index} index")
    end = time.monotonic() + 60 * minutes
    with soaked(seed, database, index) as soak:
        rounds = 0
        try:
            while time.monotonic() < end:
                soak.round(min(ROUND_SECONDS, max(1.0, end - time.monotonic())))
                rounds += 1
                click.echo(
                    f"round {rounds}: {sum(soak.strikes.struck.values())} faults so far, the gate holds"
                )
        except BaseException:
            click.echo(
                f"round {rounds + 1} failed; the processes' output is in {LOG}; to repeat: --seed {seed}"
            )
            raise
        finally:
            for line in soak.report():
                click.echo(line)


if __name__ == "__main__":
    main()
