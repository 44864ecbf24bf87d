"""Measures conversion alone: ``python -m benchmarks.conversion [JSONL]``.

HTML in, Markdown out, in this process and through the killable child, over the pages of a JSON Lines file or
generated ones. Each round converts all pages; the best round counts.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from benchmarks import pages
from benchmarks.figures import show, throughput
from ingest.converters.html import HtmlConverter
from ingest.converters.process import ConverterProcess
from ingest.sources.files import FilesSource
from ingest.sources.records import raw_page
from ingest.types import RawPage

GENERATED_PAGES: Final = 100
ROUNDS: Final = 3


@click.command(help="Measure how fast HTML becomes Markdown.")
@click.argument("path", type=click.Path(path_type=Path, exists=True), required=False)
def main(path: Path | None) -> None:
    found = read(path) if path else generated()
    size = sum(len(page.fields["content"].text.encode("utf-8", "replace")) for page in found)
    converter = HtmlConverter()
    show("pages", f"{len(found):,} of {size / 1e6:.2f} MB of HTML")
    here = best_seconds(lambda page: converter.convert(page.fields["content"], page.url), found)
    show("in this process", throughput(size, here))
    with ConverterProcess() as process:
        process.convert(found[0])  # starts the child
        child = best_seconds(process.convert, found)
    show("through the child", f"{throughput(size, child)}, {child / here:.2f} x the time")


def read(path: Path) -> list[RawPage]:
    """The pages of the file that have HTML."""
    source = FilesSource("bench", str(path))
    found = [page for document in source.documents() for page in source.pages(document) or ()]
    return [
        page for page in found if "content" in page.fields and HtmlConverter().accepts(page.fields["content"])
    ]


def generated() -> list[RawPage]:
    """Generated pages, the same in every run."""
    records = [pages.page(number) for number in range(GENERATED_PAGES)]
    return [
        raw_page(record, source="bench", document=record["id"], url="", language=None) for record in records
    ]


def best_seconds(convert: Callable[[RawPage], object], found: list[RawPage]) -> float:
    """The seconds that all pages take in the best round."""
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for page in found:
            convert(page)
        rounds.append(time.perf_counter() - started)
    return min(rounds)


if __name__ == "__main__":
    main()
