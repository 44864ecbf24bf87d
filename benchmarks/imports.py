"""Measures what visitors and editors notice of an import: ``python -m benchmarks imports [JSONL]``.

Visitors ask ``auskunft serve`` by turns in the search and in the chat, without a language model; an editor
saves a small page every few seconds and searches until it is found. First the server is otherwise idle, then
``auskunft index`` imports pages beside it, then the server itself indexes accepted pages, as after a pull. A
part ends when its time is over or its import is done. Pages left over from the first import are indexed
during the second.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from threading import Event
from typing import Any, Final

import click
import httpx

from app.monitoring.logging import configure_quiet_logging
from app.services import Services
from app.settings.settings import load_settings
from benchmarks import pages
from benchmarks.figures import p95, percentiles, show
from benchmarks.installation import SOURCE, Installation, stop
from benchmarks.searchable import Cms
from ingest import registry

QUESTIONS: Final = 60
TIMEOUT_SECONDS: Final = 300.0
LOOK_SECONDS: Final = 0.25
"""The editor's pause between searches for their page: each is a question, too."""

SAVED_SECONDS: Final = 10.0
"""The target for the time until a saved page is found."""


@dataclass(slots=True)
class Times:
    """Seconds until questions were answered, and until saved pages were found."""

    questions: list[float] = field(default_factory=list)
    saves: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Users:
    """The users of the server at ``url``, for at most ``seconds``: ``visitors``, who pause after each
    question, and an editor, who pauses after each page."""

    url: str
    visitors: int
    pause: float
    seconds: float

    def live(self, goes_on: Callable[[], bool] = lambda: True) -> Times:
        """Ask and save until the time is over or ``goes_on`` returns False; at least once each."""
        times, over = Times(), Event()
        with ThreadPoolExecutor(self.visitors + 1) as people:
            asking = [people.submit(self._visit, number, times, over) for number in range(self.visitors)]
            editing = people.submit(self._edit, times, over)
            until = time.monotonic() + self.seconds
            try:
                while time.monotonic() < until and goes_on():
                    time.sleep(LOOK_SECONDS)
            finally:
                over.set()
            for person in (*asking, editing):
                person.result()
        return times

    def _visit(self, number: int, times: Times, over: Event) -> None:
        asked = pages.questions(QUESTIONS)
        with httpx.Client(base_url=self.url, timeout=TIMEOUT_SECONDS) as http:
            for count, question in enumerate(islice(cycle(asked), number, None)):
                started = time.perf_counter()
                if (count + number) % 2:
                    reply = http.get("/api/search", params={"q": question})
                else:
                    reply = http.post("/api/chat", json={"question": question})
                reply.raise_for_status()
                times.questions.append(time.perf_counter() - started)
                if over.wait(self.pause):
                    return

    def _edit(self, times: Times, over: Event) -> None:
        cms = Cms(self.url, LOOK_SECONDS)
        while True:
            times.saves.append(cms.seconds_until_found())
            if over.wait(self.pause):
                break
        cms.close()


@click.command(help="Measure what visitors and editors notice of an import.")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--pages", "n_pages", default=24, show_default=True, help="Small pages that are there already.")
@click.option("--imported", default=200, show_default=True, help="Import so many pages, in two halves.")
@click.option("--visitors", default=5, show_default=True)
@click.option("--pause", default=2.0, show_default=True, help="Seconds after each question and saved page.")
@click.option("--seconds", default=60.0, show_default=True, help="How long each part is measured.")
@click.option("--embedder", default="e5", show_default=True)
def main(
    *,
    path: Path | None,
    n_pages: int,
    imported: int,
    visitors: int,
    pause: float,
    seconds: float,
    embedder: str,
) -> None:
    configure_quiet_logging()
    new = range(n_pages, n_pages + imported)
    records = given(path, imported) if path else [pages.page(number) for number in new]
    with (
        tempfile.TemporaryDirectory() as name,
        Installation(Path(name), embedder=embedder) as installation,
    ):
        files = Path(name) / "first.jsonl", Path(name) / "second.jsonl"
        pages.write(files[0], records[::2])
        pages.write(files[1], records[1::2])
        installation.fill(n_pages)
        with Services(load_settings(data=Path(name) / "data", embedder=embedder)) as services:
            users = Users(url=installation.serve(), visitors=visitors, pause=pause, seconds=seconds)
            measure(users, installation, services, files)
            show("pages left to import", f"{services.store.pending()} of {len(records)}")


def measure(users: Users, installation: Installation, services: Services, files: tuple[Path, Path]) -> None:
    """Measure the three parts. ``files``: to import in the last two."""
    Cms(users.url, LOOK_SECONDS).seconds_until_found()  # loads the model
    idle = users.live()
    show_times("nothing else to do", idle, idle)
    with imported_beside(installation, files[0]) as goes_on:
        show_times("`index` beside the server", users.live(goes_on), idle)
    accept(services, files[1])
    show_times("an import in the server", users.live(lambda: services.store.pending() > 0), idle)


@contextmanager
def imported_beside(installation: Installation, file: Path) -> Iterator[Callable[[], bool]]:
    """Import a file's pages by a command within the block. Yields a function: True while it runs."""
    command = installation.start("index", str(file), "--source", SOURCE)
    try:
        yield lambda: command.poll() is None
    finally:
        stop(command)


def accept(services: Services, file: Path) -> None:
    """Accept the pages of a file, so that the server indexes them."""
    source = registry.create("sources", "files", name=SOURCE, path=str(file))
    services.store.accept_documents(SOURCE, pages.raw_pages(source))


def given(path: Path, limit: int) -> list[dict[str, Any]]:
    """The first pages of a JSON Lines file."""
    return pages.read(path)[:limit]


def show_times(label: str, times: Times, idle: Times) -> None:
    """Print the figures of one part, against targets that follow from the idle server's."""
    most = 2 * p95(idle.questions) + 0.5
    show(f"{label}: a question", f"{percentiles(times.questions)} ({len(times.questions)})")
    show("  p95 against twice the idle one and 0.5 s", f"{p95(times.questions) / most:.2f} x")
    show(f"{label}: a saved page", f"{percentiles(times.saves)} ({len(times.saves)})")
    show(f"  p95 against {SAVED_SECONDS:g} s", f"{p95(times.saves) / SAVED_SECONDS:.2f} x")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.imports")
