"""Measures a large installation over the embedded index: ``python -m benchmarks large_site``.

Many small pages in a few sources, each a title and one window of content with words by Zipf's law, German and
English by turns, with the embedder ``hashing``. Measured, each in a process of its own:

* a first search with nothing in memory, warm ones, and those right after an editor's save
* the memory of that process, compared with one over an empty installation
* the checks of ``auskunft status``
* deleting all pages of each source but one, like ``auskunft index --prune --confirm-deletions``

Times are wall-clock and processor time: other work on the machine lengthens the first.
"""

import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import click

from app.background.importer import Importer
from app.chat.sites import select_sources
from app.monitoring.logging import configure_quiet_logging
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.settings import Settings, load_settings
from app.sources.deletion_guard import DeletionGuard
from benchmarks import pages
from benchmarks.figures import Stopwatch, percentiles, show
from ingest import registry
from ingest.sources.records import raw_page
from ingest.types import Save
from tests.fakes.command import Command, finished

P = ParamSpec("P")
R = TypeVar("R")
Record = dict[str, str]

SOURCES: Final = ("town", "library", "utilities")
TITLE_WORDS: Final = 4
CONTENT_WORDS: Final = 40
QUESTION_WORDS: Final = 6
VOCABULARY: Final = 50_000
MEGABYTE: Final = 1_000_000

_COMMON: Final = {
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch an",
    "en": "the of and to in a is that for it as was with be by on not he his but at are this have",
}
_SYLLABLES: Final = {
    "de": "ab bau dorn eich fahr gra haus kel licht müll nor ost pfleg ruh steu tal um wald zeit rat",
    "en": "ash bell count dale ent fee gate hol ing lake mer ness per ridge shire tion ton ward york",
}
LANGUAGES: Final = tuple(_COMMON)
_FREQUENCIES: Final = tuple(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigures:
    """Stopwatches of a process's searches, wall-clock and processor time, and its memory after them."""

    first: Sequence[Stopwatch]
    warm: Sequence[Stopwatch]
    after_saves: Sequence[Stopwatch]
    memory_bytes: int


@click.command(help="Measure an installation of many small pages over the embedded index.")
@click.option("--pages", "n_pages", default=60_000, show_default=True, help="Pages of the installation.")
@click.option("--questions", "n_questions", default=200, show_default=True, help="Warm searches.")
@click.option("--saves", default=40, show_default=True, help="Saves with a search right after each.")
@click.option("--dims", default=512, show_default=True, help="Dimensions of the vectors.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the data folder here and use the one that is: nothing is deleted.",
)
def main(n_pages: int, n_questions: int, saves: int, dims: int, data: Path | None) -> None:
    configure_quiet_logging()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        empty, large = folder / "empty", data or folder / "large"
        if not large.exists():
            show_times(f"indexing {n_pages:,} pages", fresh(fill, large, dims, n_pages))
        nothing = fresh(search, empty, dims, n_pages, 1, 0)
        found = fresh(search, large, dims, n_pages, n_questions, saves)
        show_times("first search of a process", found.first)
        show_times("search", found.warm)
        if saves:
            show_times("search right after a save", found.after_saves)
        above = found.memory_bytes - nothing.memory_bytes
        show("memory above an empty installation's", f"{above / MEGABYTE:,.0f} MB")
        show_times("checks of the status", fresh(status, large, dims))
        show("auskunft status, the whole command", f"{command_seconds(large, dims):.2f} s")
        if data is None:
            show_times(f"deleting {n_pages - len(SOURCES):,} pages", fresh(prune, large, dims))


def show_times(label: str, watches: Sequence[Stopwatch]) -> None:
    """Print one line for each clock: percentiles of many laps, or the sum if there is one for each source."""
    for watch, kind in zip(watches, ("", ", processor time"), strict=True):
        is_sum = len(watch.laps) <= len(SOURCES)
        show(label + kind, f"{watch.seconds:.2f} s" if is_sum else percentiles(watch.laps))


def fresh(work: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """Return the result of ``work`` in a new process."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, configure_quiet_logging) as process:
        return process.submit(work, *arguments, **named).result()


def clocks() -> tuple[Stopwatch, Stopwatch]:
    """Return stopwatches for wall-clock time and for the processor time of all threads."""
    return Stopwatch(), Stopwatch(clock=time.process_time)


def fill(data: Path, dims: int, n_pages: int) -> Sequence[Stopwatch]:
    """Index generated pages."""
    watches = clocks()
    with Services(settings(data, dims)) as services:
        for source in SOURCES:
            records = (record(number) for number in range(n_pages) if source_of(number) == source)
            timed(watches, load, services, source, records)
    return watches


def prune(data: Path, dims: int) -> Sequence[Stopwatch]:
    """Delete all pages of each source but one."""
    watches = clocks()
    with Services(settings(data, dims)) as services:
        for number, source in enumerate(SOURCES):
            timed(watches, load, services, source, [record(number)], prune=True)
    return watches


def load(services: Services, source: str, records: Iterable[Record], *, prune: bool = False) -> None:
    """Index these pages from a file, like ``auskunft index``."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "pages.jsonl"
        pages.write(file, records)
        importer = Importer(
            store=services.store,
            indexer=services.indexing.indexer,
            guard=DeletionGuard(command="", confirmed=True),
        )
        importer.run(registry.create("sources", "files", name=source, path=str(file)), prune=prune)


def search(data: Path, dims: int, n_pages: int, n_questions: int, saves: int) -> SearchFigures:
    """Ask questions: first with nothing in memory, then warm, then right after saves of random pages."""
    first, warm, after_saves = clocks(), clocks(), clocks()
    opening, *asked = (question(number, n_pages) for number in range(1 + n_questions + saves))
    with Services(settings(data, dims)) as services:
        timed(first, ask, services, opening)
        for text in asked[:n_questions]:
            timed(warm, ask, services, text)
        for number, text in enumerate(asked[n_questions:]):
            save(services, random.Random(f"save {number}").randrange(n_pages), f"kennwort{number}")
            timed(after_saves, ask, services, text)
        return SearchFigures(first=first, warm=warm, after_saves=after_saves, memory_bytes=memory_bytes())


def ask(services: Services, text: str) -> None:
    """Search like ``GET /api/search``."""
    retriever = services.chat.default.retriever
    retriever.highlights(retriever.retrieve(text, sources=select_sources(services.store, None)))


def save(services: Services, number: int, word: str) -> None:
    """Save a page with one more word, as an editor does, and index it."""
    changed = record(number)
    changed["text"] += f" {word}"
    page = raw_page(changed, source=source_of(number), document=changed["id"], url="", language=None)
    services.store.accept([Save(page=page)], priority=1)
    services.indexing.indexer.sync_pages()


def status(data: Path, dims: int) -> Sequence[Stopwatch]:
    """Time all that ``auskunft status`` reports."""
    watches = clocks()
    with Services(settings(data, dims)) as services:
        timed(watches, look, services)
    return watches


def look(services: Services) -> None:
    """Count the pages and run the checks."""
    services.store.counts_by_source()
    checks(services)


def command_seconds(data: Path, dims: int) -> float:
    """The seconds that the command ``auskunft status`` takes, including its start."""
    command = Command(data.parent, data.name, embedders__hashing__dims=dims)
    started = time.perf_counter()
    finished(command.start("status"))
    return time.perf_counter() - started


def timed(
    watches: Sequence[Stopwatch], work: Callable[P, object], *arguments: P.args, **named: P.kwargs
) -> None:
    """Time one call with all stopwatches."""
    measured: Callable[P, object] = work
    for watch in watches:
        measured = watch.timed(measured)
    measured(*arguments, **named)


def settings(data: Path, dims: int) -> Settings:
    """The settings of the installation in ``data``."""
    return load_settings(data=data, embedder="hashing", embedders={"hashing": {"dims": dims}})


def memory_bytes() -> int:
    """The memory that this process has now, including mapped files."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def source_of(number: int) -> str:
    """The source that a page belongs to."""
    return SOURCES[number % len(SOURCES)]


def record(number: int) -> Record:
    """One page as a record of the source ``files``, the same in every run."""
    chance, language = random.Random(f"page {number}"), LANGUAGES[number // len(SOURCES) % 2]
    title = " ".join(words(chance, language, TITLE_WORDS))
    return {
        "id": f"page-{number}",
        "url": f"https://town.example/{language}/page-{number}",
        "language": language,
        "title": f"{title.capitalize()} {number}",
        "text": " ".join(words(chance, language, CONTENT_WORDS)),
    }


def question(number: int, n_pages: int) -> str:
    """A question with words of one page."""
    chance = random.Random(f"question {number}")
    text = record(chance.randrange(max(n_pages, 1)))["text"]
    return " ".join(chance.sample(text.split(), QUESTION_WORDS)) + "?"


def words(chance: random.Random, language: str, count: int) -> list[str]:
    """Random words of a language, with frequencies by Zipf's law."""
    return chance.choices(vocabulary(language), cum_weights=_FREQUENCIES, k=count)


@cache
def vocabulary(language: str) -> list[str]:
    """A language's words, the most frequent first: its commonest real ones, then invented ones."""
    chance, invented = random.Random(language), dict.fromkeys(_COMMON[language].split())
    syllables = _SYLLABLES[language].split()
    while len(invented) < VOCABULARY:
        invented["".join(chance.choices(syllables, k=chance.randint(2, 4)))] = None
    return list(invented)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.large_site")
