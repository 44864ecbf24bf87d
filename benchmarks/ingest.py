"""Compares indexing with the embedder's own time: ``python -m benchmarks.ingest [JSONL]``.

Three runs over one data folder, each with its own services, like three calls of ``auskunft index``: all pages
new, all unchanged, one paragraph of the longest page edited. The embedder's own time is that of its calls
within the first run, so that other work on the machine lengthens both alike.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from app.background.importer import Importer
from app.monitoring.logging import configure_quiet_logging
from app.search.types import IndexedPage
from app.services import Services
from app.settings.settings import Settings, load_settings
from benchmarks import pages
from benchmarks.figures import Stopwatch, show, throughput, timed
from ingest import registry
from ingest.chunkers.windows import OVERLAP_BYTES, window_text
from ingest.protocols import Embedder, Source
from ingest.types import Page, PageRef, RawPage, Vectors

SOURCE: Final = "bench"
LONG_PAGE_SECTIONS: Final = 20
ROUNDS: Final = 5
EDIT: Final = " This sentence is new."

Record = dict[str, Any]


@click.command(help="Measure indexing against the embedder's own time.")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--limit", default=24, show_default=True, help="Index this many pages, of middling length.")
@click.option("--embedder", default="e5", show_default=True)
def main(path: Path | None, limit: int, embedder: str) -> None:
    configure_quiet_logging()
    records = middling(path, limit) if path else generated(limit)
    with tempfile.TemporaryDirectory() as name:
        bench = Installation(Path(name), embedder)
        bench.write(records)
        measure_preparing(bench)
        first = measure_first(bench)
        measure_unchanged(bench, first)
        measure_edit(bench, records)


class TimedEmbedder:
    """An embedder that records its texts and times its calls."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.recipe, self.dims, self.max_tokens = inner.recipe, inner.dims, inner.max_tokens
        self.batch_size = inner.batch_size
        self.texts: list[str] = []
        self.calls = Stopwatch()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Record the texts, and embed them in a timed call."""
        self.texts += texts
        return self.calls.timed(self._inner.embed_documents)(texts)

    def embed_query(self, text: str) -> Vectors:
        """Embed like the inner embedder."""
        return self._inner.embed_query(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One ``index``: its seconds with and without loading the embedder, and the embedder with its texts."""

    seconds: float
    seconds_loaded: float
    embedder: TimedEmbedder


class Installation:
    """A data folder and the file with the pages to index."""

    def __init__(self, folder: Path, embedder: str) -> None:
        self.settings: Settings = load_settings(data=folder / "data", embedder=embedder)
        self._file = folder / "pages.jsonl"

    def write(self, records: Sequence[Record]) -> None:
        """Make these the pages to index."""
        pages.write(self._file, records)

    def source(self) -> Source:
        """The source with these pages."""
        source: Source = registry.create("sources", "files", name=SOURCE, path=str(self._file))
        return source

    def index(self) -> Run:
        """Index the pages. Raises ``ClickException`` if one failed: the figures would be meaningless."""
        with Services(self.settings) as services:
            loading = timed(lambda: services.indexing.embedder)
            services.indexing.embedders.current = embedder = TimedEmbedder(services.indexing.embedder)
            importer = Importer(store=services.store, indexer=services.indexing.indexer)
            result = importer.run(self.source())
        if result.failures:
            raise click.ClickException(f"pages failed: {result.failures}")
        return Run(seconds=loading + result.seconds, seconds_loaded=result.seconds, embedder=embedder)

    def page(self, ref: PageRef) -> IndexedPage:
        """The page as indexed."""
        with Services(self.settings) as services:
            return services.indexing.index.pages([ref])[0]


def measure_preparing(bench: Installation) -> None:
    """Measure conversion and chunking alone, over all pages."""
    raw = pages.raw_pages(bench.source())
    html = sum(len(field.text.encode()) for page in raw for field in page.fields.values())
    converting, chunking = Stopwatch(), Stopwatch()
    with Services(bench.settings) as services:
        services.indexing.converter.convert(raw[0])  # starts the child
        for _ in range(ROUNDS):
            ready = [_page(page, converting.timed(services.indexing.converter.convert)(page)) for page in raw]
            for page in ready:
                chunking.timed(services.indexing.chunker.chunk)(page)
    markdown = sum(len(text.encode()) for page in ready for text in page.fields.values())
    show("conversion alone", f"{throughput(ROUNDS * html, converting.seconds)} of HTML")
    show("chunking alone", f"{throughput(ROUNDS * markdown, chunking.seconds)} of Markdown")


def measure_first(bench: Installation) -> Run:
    """Index all pages as new ones, compared with the embedder's time."""
    run = bench.index()
    show("first index", f"{run.seconds_loaded:.2f} s, {len(run.embedder.texts):,} windows embedded")
    own = run.embedder.calls.seconds
    show("the embedder's own time in it", f"{own:.2f} s: {run.seconds_loaded / own:.3f} x")
    return run


def measure_unchanged(bench: Installation, first: Run) -> None:
    """Index the same pages again."""
    run = bench.index()
    show("second index, unchanged", f"{run.seconds:.2f} s: {first.seconds / run.seconds:,.0f} x faster")
    show("windows embedded in it", f"{len(run.embedder.texts)}")


def measure_edit(bench: Installation, records: Sequence[Record]) -> None:
    """Index again after a sentence was added in the middle of the longest page."""
    longest = max(records, key=lambda record: len(record["html"]))
    ref = PageRef(source=SOURCE, id=longest["id"], language=longest["language"])
    before = bench.page(ref)
    bench.write([edited(record) if record is longest else record for record in records])
    texts = bench.index().embedder.texts
    windows = windows_before_edit(before, bench.page(ref))
    again = sum(any(text.endswith(window) for window in windows) for text in texts)
    show("windows of the edited page", f"{len(before.content_spans)}, {len(windows)} before the edit")
    show("windows embedded again", f"{len(texts)}, {again} of those before the edit")


def windows_before_edit(before: IndexedPage, after: IndexedPage) -> list[str]:
    """The texts of the content's windows that end before the first difference of the two versions."""
    old, new = (page.fields["content"].encode() for page in (before, after))
    same = next(i for i, (was, now) in enumerate(zip(old, new, strict=False)) if was != now)
    spans = [span for span in before.content_spans if span[1] + OVERLAP_BYTES <= same]
    return [window_text(old, start, end) for start, end in spans]


def edited(record: Record) -> Record:
    """The page with a sentence added to the first paragraph that ends after its middle."""
    html: str = record["html"]
    place = html.index("</p>", len(html) // 2)
    return record | {"html": html[:place] + EDIT + html[place:]}


def generated(limit: int) -> list[Record]:
    """A long page, and others of medium length."""
    return [pages.page(0, LONG_PAGE_SECTIONS), *(pages.page(number) for number in range(1, limit))]


def middling(path: Path, limit: int) -> list[Record]:
    """The ``limit`` pages of a JSON Lines file whose length is nearest to the median."""
    by_length = sorted(pages.read(path), key=lambda record: len(record["html"]))
    first = max(0, (len(by_length) - limit) // 2)
    return by_length[first : first + limit]


def _page(raw: RawPage, fields: Any) -> Page:
    return Page(ref=raw.ref, document=raw.document, sequence=1, url=raw.url, fields=fields)


if __name__ == "__main__":
    main()
