"""All benchmarks, or those named: ``python -m benchmarks [NAME ...] [--pages JSONL]``.

``peers`` installs other libraries, and ``documents`` wants some: they run only where they are named. Each is
a command of its own with more options: ``python -m benchmarks.NAME --help``.
"""

from collections import ChainMap
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from benchmarks import (
    acceptance,
    chat,
    console,
    conversion,
    documents,
    elastic_index,
    elastic_scale,
    embedded_index,
    imports,
    ingest,
    judge,
    large_site,
    leavers,
    peers,
    question,
    questions,
    rebuild,
    searchable,
    widget,
    workers,
)

BENCHMARKS: Final = {
    "acceptance": acceptance.main,
    "searchable": searchable.main,
    "rebuild": rebuild.main,
    "workers": workers.main,
    "conversion": conversion.main,
    "ingest": ingest.main,
    "imports": imports.main,
    "question": question.main,
    "questions": questions.main,
    "embedded_index": embedded_index.main,
    "elastic_index": elastic_index.main,
    "elastic_scale": elastic_scale.main,
    "large_site": large_site.main,
    "console": console.main,
    "chat": chat.main,
    "leavers": leavers.main,
    "judge": judge.main,
    "widget": widget.main,
}
NAMED_ALONE: Final = {"peers": peers.main, "documents": documents.main}
KNOWN: Final = ChainMap(NAMED_ALONE, BENCHMARKS)


def _listed() -> str:
    return "\b\n" + "\n".join(f"{name:<16} {command.help}" for name, command in KNOWN.items())


@click.command(
    help="Run the benchmarks named, or all but `peers` and `documents`, which need packages.",
    epilog=_listed(),
)
@click.argument("names", nargs=-1, type=click.Choice(list(KNOWN)), metavar="[NAME]...")
@click.option(
    "--pages",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Real pages, JSON Lines, for the benchmarks that take pages; otherwise they are generated.",
)
def main(names: Sequence[str], pages: Path | None) -> None:
    for name in names or BENCHMARKS:
        command = KNOWN[name]
        click.echo(f"{name}: {command.help}")
        takes_pages = any(parameter.name == "path" for parameter in command.params)
        arguments = [str(pages)] if pages and takes_pages else []
        command.main(arguments, prog_name=f"benchmarks.{name}", standalone_mode=False)
        click.echo()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
