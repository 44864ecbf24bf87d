"""Measures how soon a saved page is found: ``python -m benchmarks searchable``.

A CMS sends a small new page to ``auskunft serve``, then repeats ``GET /api/search`` for a word that only this
page has, until the page is found. The time begins before the message is sent, and ends with the response that
has the page. First the server is otherwise idle, then a rebuild of all pages goes through the queue. With the
indexing thread of the server itself, and with Redis and a worker of two processes.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final
from uuid import uuid4

import click
import httpx

from app.monitoring.logging import configure_quiet_logging
from app.sources.sender import Sender
from benchmarks import pages
from benchmarks.figures import percentiles, show
from benchmarks.installation import SECRET, SOURCE, Installation
from tests.services import MissingServiceError
from tests.services.redis import RedisServer

CONCURRENCY: Final = 2
TIMEOUT_SECONDS: Final = 120.0
ASK_SECONDS: Final = 0.02
PAUSE_SECONDS: Final = 0.2
"""The pause between two pages, because a CMS does not save continuously."""


@click.command(help="Measure how soon a saved page is found.")
@click.option("--pages", "n_pages", default=10_000, show_default=True, help="Pages that are there already.")
@click.option("--samples", default=50, show_default=True, help="Pages sent with nothing else to do.")
def main(n_pages: int, samples: int) -> None:
    configure_quiet_logging()
    for name, kind in {"thread of the server": embedded, "Redis, one worker": with_worker}.items():
        try:
            with kind(n_pages) as (installation, url):
                measure(name, installation, url, samples)
        except MissingServiceError as missing:
            show(name, f"not measured: {missing}")


@contextmanager
def embedded(n_pages: int) -> Iterator[tuple[Installation, str]]:
    """Yield a served installation that indexes by itself, and its address."""
    with tempfile.TemporaryDirectory() as folder, Installation(Path(folder)) as installation:
        installation.fill(n_pages)
        yield installation, installation.serve()


@contextmanager
def with_worker(n_pages: int) -> Iterator[tuple[Installation, str]]:
    """Yield a served installation with a worker, and its address. Raises ``MissingServiceError``."""
    with (
        RedisServer() as redis,
        tempfile.TemporaryDirectory() as folder,
        Installation(Path(folder), redis.url) as installation,
    ):
        installation.fill(n_pages)
        installation.work(CONCURRENCY)
        installation.beat()
        yield installation, installation.serve()


def measure(name: str, installation: Installation, url: str, samples: int) -> None:
    """Send pages while the server is idle, then during a rebuild."""
    cms = Cms(url)
    cms.seconds_until_found()  # loads the vectors
    idle = [cms.seconds_until_found() for _ in range(samples)]
    show(f"{name}: idle", f"{percentiles(idle)} ({len(idle)} pages)")
    rebuild = installation.start("reindex", "--queue", "--wait")
    busy: list[float] = []
    while rebuild.poll() is None or not busy:
        busy.append(cms.seconds_until_found())
    show(f"{name}: during a rebuild", f"{percentiles(busy)} ({len(busy)} pages)")
    show(f"{name}: the rebuild meanwhile", installation.finished(rebuild).strip())
    cms.close()


class Cms:
    """Saves pages, and searches for each every ``ask_seconds`` until it is found."""

    def __init__(self, url: str, ask_seconds: float = ASK_SECONDS) -> None:
        self._ask_seconds = ask_seconds
        self._sender = Sender(url)
        self._http = httpx.Client(base_url=url, timeout=TIMEOUT_SECONDS)
        self._numbers = count()

    def seconds_until_found(self) -> float:
        """Send a new page; return the seconds until it is found. Raises ``ClickException`` if it never is."""
        time.sleep(PAUSE_SECONDS)
        number, word = next(self._numbers), f"kennwort{uuid4().hex}"
        body = json.dumps(event(number, word)).encode()
        started = time.perf_counter()
        self._sender.send(SOURCE, body, secret=SECRET, message_id=word)
        while word not in self._found(word):
            if time.perf_counter() - started > TIMEOUT_SECONDS:
                raise click.ClickException("a page was not found in time")
            time.sleep(self._ask_seconds)
        return time.perf_counter() - started

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _found(self, word: str) -> str:
        """The passages of the best page."""
        answer = self._http.get("/api/search", params={"q": word, "limit": 1}).raise_for_status().json()
        return " ".join(passage["text"] for hit in answer["hits"] for passage in hit["passages"])


def event(number: int, word: str) -> dict[str, str]:
    """The event that a small page was saved, with ``word`` in its text."""
    page = pages.page(number, sections=1)
    html = f"{page['html']}\n<p>{word}</p>"
    return {**page, "type": "page.saved", "id": f"new-{number}", "html": html}


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.searchable")
