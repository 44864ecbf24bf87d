"""Runs all benchmarks, or those named: ``python -m benchmarks [NAME ...] [--pages JSONL]``.

``peers`` installs other libraries, ``documents`` needs some, and ``public`` needs a folder of test sets. They
run only if named first, and get the other arguments, as in ``python -m benchmarks public FOLDER``. Each
benchmark is a command of its own with more options: ``python -m benchmarks.NAME --help``.
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
    public,
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
NAMED_ALONE: Final = {"peers": peers.main, "documents": documents.main, "public": public.main}
KNOWN: Final = ChainMap(NAMED_ALONE, BENCHMARKS)


def _listed() -> str:
    return "\b\n" + "\n".join(f"{name:<16} {command.help}" for name, command in KNOWN.items())


def _known(context: click.Context, parameter: click.Parameter, names: Sequence[str]) -> Sequence[str]:
    """Return the names of benchmarks, or one that runs only alone, with its arguments."""
    if names and names[0] in NAMED_ALONE:
        return names
    return [click.Choice(list(BENCHMARKS)).convert(name, parameter, context) for name in names]


@click.command(
    help="Run the benchmarks named, or all but `peers`, `documents` and `public`, which need more.",
    epilog=_listed(),
    context_settings={"ignore_unknown_options": True},
)
@click.argument("names", nargs=-1, type=click.UNPROCESSED, callback=_known, metavar="[NAME]...")
@click.option(
    "--pages",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Real pages, JSON Lines, for the benchmarks that take pages; otherwise they are generated.",
)
def main(names: Sequence[str], pages: Path | None) -> None:
    if names and names[0] in NAMED_ALONE:
        name, *arguments = names
        NAMED_ALONE[name].main(arguments, prog_name=f"benchmarks.{name}", standalone_mode=False)
        return
    for name in names or BENCHMARKS:
        command = BENCHMARKS[name]
        click.echo(f"{name}: {command.help}")
        takes_pages = any(parameter.name == "path" for parameter in command.params)
        arguments = [str(pages)] if pages and takes_pages else []
        command.main(arguments, prog_name=f"benchmarks.{name}", standalone_mode=False)
        click.echo()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
