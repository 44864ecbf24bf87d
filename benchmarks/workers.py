"""Measures indexing by several workers at once: ``python -m benchmarks workers``.

Generated pages that wait in the page store are indexed by one, two and four workers, each a process as in
production: with the embedder ``hashing``, which needs the processor, and with an endpoint that answers every
batch after a fixed time, like a model on another machine. Index and database are the embedded ones, or an
Elasticsearch and a PostgreSQL that are started. It prints the speed and the share of each kind of work.
"""

import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final

import click

from app.indexing.indexer import Indexer
from app.monitoring.logging import configure_quiet_logging
from app.pages.store import PageStore
from app.search.index import SearchIndex
from app.services import Services
from app.settings.settings import load_settings
from benchmarks import pages
from benchmarks.figures import show, watched
from ingest.embedding import CachedEmbedder
from ingest.pipeline import Pipeline
from ingest.sources.records import raw_page
from ingest.types import RawPage, Save
from tests.fakes.embeddings_server import FakeEmbeddings, Reply
from tests.services.databases import empty_database, template_database
from tests.services.elasticsearch import Elasticsearch
from tests.services.indices import elastic_settings
from tests.services.postgresql import Postgresql

SOURCE: Final = "bench"
WORKERS: Final = (1, 2, 4)
SERVERS: Final = ("elasticsearch", "postgresql")
START_SECONDS: Final = 300.0

Parts = Mapping[str, float]
"""Seconds by kind of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """The addresses of the servers that were started, empty for others. ``template``: a database with the
    tables."""

    elasticsearch: str
    postgresql: str
    template: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """The work of one worker, with its times (``time.perf_counter()``, the same in all processes)."""

    began: float
    ended: float
    parts: Parts


@click.command(help="Measure indexing by several workers at once.")
@click.option("--pages", "n_pages", default=400, show_default=True, help="Pages to index in each run.")
@click.option("--workers", multiple=True, default=WORKERS, show_default=True, help="How many; several runs.")
@click.option("--seconds", default=0.5, show_default=True, help="What the endpoint takes for a batch.")
@click.option("--on", multiple=True, type=click.Choice(SERVERS), help="Servers to start and use.")
def main(n_pages: int, workers: Sequence[int], seconds: float, on: Sequence[str]) -> None:
    configure_quiet_logging()
    with ExitStack() as stack:
        endpoint = stack.enter_context(FakeEmbeddings())
        endpoint.default = Reply(seconds=seconds)
        options = {"base_url": endpoint.base_url, "model": "hashing"}
        embedders: dict[str, dict[str, Any]] = {
            "hashing": {"embedder": "hashing"},
            "endpoint": {"embedder": "endpoint", "embedders": {"endpoint": options}},
        }
        url = stack.enter_context(Elasticsearch()).url if "elasticsearch" in on else ""
        server = stack.enter_context(Postgresql()).url if "postgresql" in on else ""
        template = stack.enter_context(template_database(server)) if server else ""
        servers = Servers(elasticsearch=url, postgresql=server, template=template)
        for name, chosen in embedders.items():
            speeds: list[float] = []
            for count in workers:
                with _installation(n_pages, servers, chosen) as settings:
                    shifts = work(settings, count)
                    _check(settings, n_pages)
                seconds = max(shift.ended for shift in shifts) - min(shift.began for shift in shifts)
                speeds.append(n_pages / seconds)
                ratio = f"{speeds[-1]:,.1f} pages/s: {speeds[-1] / speeds[0]:.2f} x"
                show(f"{name}, workers: {count}", f"{ratio}; {_shares(shifts)}")


def work(settings: Mapping[str, Any], workers: int) -> list[Shift]:
    """Index all due pages with this many processes, which begin together."""
    spawn = multiprocessing.get_context("spawn")
    ready, shifts = spawn.Barrier(workers), spawn.Queue()
    processes = [spawn.Process(target=_worker, args=(settings, ready, shifts)) for _ in range(workers)]
    for process in processes:
        process.start()
    done = [shifts.get(timeout=START_SECONDS * 10) for _ in processes]
    for process in processes:
        process.join()
    return done


def _worker(settings: Mapping[str, Any], ready: Barrier, shifts: "Queue[Shift]") -> None:
    configure_quiet_logging()
    with Services(load_settings(**settings)) as services, ExitStack() as stack:
        indexer = services.indexing.indexer
        services.indexing.embedder.embed_query("warm")
        services.indexing.converter.convert(_page(0))  # starts the child
        ready.wait(START_SECONDS)
        watches = {
            name: stack.enter_context(watched(owner, method))
            for name, (owner, method) in _parts(services.indexing.index).items()
        }
        began = time.perf_counter()
        _drain(indexer)
        ended = time.perf_counter()
        parts = {name: watch.seconds for name, watch in watches.items()}
        shifts.put(Shift(began=began, ended=ended, parts=parts))


def _drain(indexer: Indexer) -> None:
    while indexer.sync_pages():
        pass


def _parts(index: SearchIndex) -> Mapping[str, tuple[Any, str]]:
    return {
        "claiming": (PageStore, "claim"),
        "converting": (Pipeline, "prepare"),
        "embedding and its cache": (CachedEmbedder, "vectors"),
        "writing to the index": (type(index), "write"),
        "settling": (PageStore, "finish"),
    }


@contextmanager
def _installation(n_pages: int, servers: Servers, chosen: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the settings of a new installation with waiting pages."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings: dict[str, Any] = {"data": folder / "data", **chosen}
        if servers.elasticsearch:
            prefix = elastic_settings(servers.elasticsearch).elasticsearch_prefix
            settings |= {"index": "elasticsearch", "elasticsearch_prefix": prefix}
            settings["elasticsearch_url"] = servers.elasticsearch
        if servers.postgresql:
            database = stack.enter_context(empty_database(servers.postgresql, servers.template))
            settings["database_url"] = database.render_as_string(hide_password=False)
        with Services(load_settings(**settings)) as services:
            services.store.accept([Save(page=_page(number)) for number in range(n_pages)])
            assert services.indexing.index.live()
        yield settings


def _page(number: int) -> RawPage:
    return raw_page(
        pages.page(number, sections=1), source=SOURCE, document=f"page-{number}", url="", language=None
    )


def _check(settings: Mapping[str, Any], n_pages: int) -> None:
    """Raise ``ClickException`` unless every page is indexed: otherwise the figures would be meaningless."""
    with Services(load_settings(**settings)) as services:
        if (counts := services.store.counts()) != {"indexed": n_pages}:
            raise click.ClickException(f"not all pages were indexed: {counts}")


def _shares(shifts: list[Shift]) -> str:
    """The share of each kind of work in the workers' time."""
    whole = sum(shift.ended - shift.began for shift in shifts)
    parts = {name: sum(shift.parts[name] for shift in shifts) / whole for name in shifts[0].parts}
    return ", ".join(f"{name} {share:.0%}" for name, share in parts.items())


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.workers")
