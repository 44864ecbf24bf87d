"""Measures search on public test sets: ``python -m benchmarks public FOLDER``.

``FOLDER`` has the test sets' files (:mod:`benchmarks.public_sets`), which are not part of the repository. A
set with a missing or different file is left out, with a line that says where to get it. The product itself
indexes and searches every set, with the bundled embedder and without a model:

* each preset, with the embedded index and with every Elasticsearch that is named;
* ``words alone``: the first preset while its embedder is away; ``vectors alone``: the nearest chunks.

It prints the figures with 95 % intervals beside published ones, and for either half of the questions, so that
weights can be chosen on one and reported on the other. With a server, it also prints how far both indexes
find the same pages. Only ranks of pages count; 20 pages are requested.
"""

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click
from elasticsearch import Elasticsearch

from app.monitoring.logging import configure_quiet_logging
from benchmarks.public_figures import Line, agreements, document, table
from benchmarks.public_search import (
    VECTORS,
    WORDS,
    found_by_preset,
    found_by_vectors,
    found_by_words,
    installation,
    kept_embedder,
    on_server,
)
from benchmarks.public_sets import NAMES, TestSet, load, missing
from ingest.protocols import Embedder
from tests.services.elasticsearch import Elasticsearch as Server

FOLDER: Final = Path(".services/public")
PRESETS: Final = ("default", "egocms")
EMBEDDED: Final = "embedded"


@click.command(help="Compare search with published figures, on test sets of others.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=FOLDER)
@click.option("--set", "names", type=click.Choice(NAMES), multiple=True, default=NAMES, help="Sets to ask.")
@click.option("--preset", "presets", multiple=True, default=PRESETS, show_default=True)
@click.option("--embedder", "name", default="e5", show_default=True)
@click.option(
    "--elasticsearch",
    "servers",
    multiple=True,
    help="Servers to compare the embedded index with: a URL, or a version, which is started.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep indexes and vectors here, so that the next run embeds nothing.",
)
@click.option("--json", "output", type=click.Path(dir_okay=False, path_type=Path), help="Write all here.")
def main(
    folder: Path,
    *,
    names: Sequence[str],
    presets: Sequence[str],
    name: str,
    servers: Sequence[str],
    data: Path | None,
    output: Path | None,
) -> None:
    configure_quiet_logging()
    sets = list(_there(folder, names))
    with ExitStack() as stack:
        kept = data or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        embedder = stack.enter_context(kept_embedder(kept, name))
        urls = [each if "://" in each else stack.enter_context(Server(version=each)).url for each in servers]
        lines = [line for each in _grouped(sets) for line in measured(each, presets, urls, kept, embedder)]
    questions = {each.name: each.questions for each in sets}
    lines.sort(key=lambda line: NAMES.index(line.name))
    for text in (*table(questions, lines), "", *agreements(lines)):
        click.echo(text)
    if output:
        told = [document(questions, line) for line in lines]
        output.write_text(json.dumps(told, ensure_ascii=False, indent=1), "utf-8")


def measured(
    sets: Sequence[TestSet], presets: Sequence[str], urls: Sequence[str], data: Path, embedder: Embedder
) -> Iterator[Line]:
    """Ask the questions of all sets of one collection in every way, and yield the results."""
    for preset in presets:
        with installation(data, sets[0], preset, embedder) as services:
            for each in sets:
                click.echo(f"{each.name}, {preset}", err=True)
                found = found_by_preset(services, each)
                yield Line(name=each.name, way=preset, engine=EMBEDDED, found=found)
                if preset == presets[0]:
                    for way, ask in ((WORDS, found_by_words), (VECTORS, found_by_vectors)):
                        yield Line(
                            name=each.name, way=way, engine=EMBEDDED, found=ask(services, each.questions)
                        )
            for url in urls:
                with on_server(services, url, embedder) as served:
                    engine = _version(url)
                    for each in sets:
                        click.echo(f"{each.name}, {preset}, {engine}", err=True)
                        found = found_by_preset(served, each)
                        yield Line(name=each.name, way=preset, engine=engine, found=found)


def _there(folder: Path, names: Sequence[str]) -> Iterator[TestSet]:
    """Yield the sets whose files are in the folder."""
    for name in names:
        if faults := missing(folder, name):
            click.echo(f"{name} is left out: {'; '.join(faults)}", err=True)
        else:
            yield load(folder, name)


def _grouped(sets: Sequence[TestSet]) -> Iterator[list[TestSet]]:
    """Yield the sets of each collection."""
    by_collection: dict[str, list[TestSet]] = defaultdict(list)
    for each in sets:
        by_collection[each.collection].append(each)
    yield from by_collection.values()


def _version(url: str) -> str:
    with Elasticsearch(url) as client:
        nodes = client.nodes.info(filter_path="nodes.*.version")["nodes"]
    return f"Elasticsearch {min(node['version'] for node in nodes.values())}"


if __name__ == "__main__":
    main()
