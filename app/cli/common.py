"""Helpers that the commands share: opening the installation, choosing sources, JSON output."""

import getpass
import json
import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import Any, Final, TextIO

import click
from rich.console import Console

from app.chat.sites import select_sources
from app.cli.values import DAY, PAIR
from app.errors import InputError
from app.indexing.generations import check_own
from app.monitoring.readiness import OTHER_SETTINGS
from app.pages.read_only import read_only_mode
from app.services import Services
from app.settings.settings import load_settings

NICENESS: Final = 10
"""The ``nice`` value of commands that import: the server gets nine times as much of a busy processor."""


FILE_COLUMNS: Final = 10_000
"""The width of a table in a file or pipe."""


class _Text(click.ParamType[str]):
    """Text for people. Bytes that the locale's encoding cannot decode are decoded as UTF-8."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


TEXT = _Text()
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
source_option = click.option("--source", type=TEXT, metavar="NAME", help="Only this source (default: all).")
preset_option = click.option(
    "--preset", type=TEXT, metavar="NAME", help="Question preset (default: from the settings)."
)
at_option = click.option(
    "--at",
    type=DAY,
    metavar="DATE",
    help="Ask about the law as of this day (2023-01-31).",
)
filter_option = click.option(
    "--filter",
    "filters",
    type=PAIR,
    multiple=True,
    metavar="FIELD=VALUE",
    help="Only pages with this value (office=Registry, year.from=2024); repeatable.",
)


@contextmanager
def open_services(file: Path | None = None, /, **overrides: Any) -> Iterator[Services]:
    """Open the installation that the settings of ``file`` describe, by default the usual ones. Overrides that
    are ``None`` are ignored."""
    given = {name: value for name, value in overrides.items() if value is not None}
    with Services(load_settings(file, **given)) as services:
        yield services


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """Yield a file that replaces ``path`` if the block succeeds, and is deleted otherwise.

    Raises ``InputError`` if it cannot be written: at once, before the block's work.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with unfinished.open("w", encoding="utf-8", errors="replace") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def give_way() -> None:
    """Give the server priority on the processor, for commands that embed many pages. This applies to the rest
    of the process, and to its children."""
    os.nice(max(0, NICENESS - os.nice(0)))


def actor() -> str:
    """Return the operating system's user who runs the command, for the log of changes."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "command line"


def print_json(document: object) -> None:
    """Print one JSON document on standard output, in UTF-8 whatever the locale (RFC 8259)."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode() + b"\n")


def console(*, stderr: bool = False, columns: int | None = None) -> Console:
    """Return a console that prints text verbatim and leaves wrapping to the terminal.

    ``columns``: the maximum width of tables; ``None`` for the terminal's width.
    """
    return Console(stderr=stderr, width=columns, highlight=False, markup=False, emoji=False, soft_wrap=True)


def table_console() -> Console:
    """Return a console for a table; in a file or pipe, each row is one line."""
    return console(columns=None if sys.stdout.isatty() else FILE_COLUMNS)


def warn_of_other_settings(services: Services) -> None:
    """Print a line on standard error if the index was made with other settings than the present ones."""
    live = services.indexing.index.live()
    if live is not None and live.recipe.build != services.indexing.build_recipe:
        console(stderr=True).print(f"note: the index was {OTHER_SETTINGS}")


def split_page(page: str) -> tuple[str, str]:
    """Return the source and id in ``SOURCE:ID``. Raises ``InputError``."""
    source, _, page_id = page.partition(":")
    if not source or not page_id:
        raise InputError("{page!r} is not a page: use SOURCE:ID, as listed by `auskunft pages`", page=page)
    return source, page_id


def check_source(source: str, known: Collection[str]) -> None:
    """Raise ``InputError`` for a source that is not among the ``known`` ones."""
    if source not in known:
        raise InputError(f"unknown source {source!r}; known: {', '.join(sorted(known)) or 'none'}")


def searched_sources(services: Services, source: str | None) -> frozenset[str]:
    """Return the named source, or all. Raises ``InputError`` if it is unknown, or if nothing is indexed, for
    example in a wrong folder: "no answer" would suggest that pages had been searched."""
    if not services.store.sources():
        index = services.indexing.index
        if live := index.live():
            check_own(services.store, index, live)
        raise InputError(
            f"nothing is indexed here: {services.data} has no pages; change to the folder in which you "
            "indexed them, set AUSKUNFT_DATA, or run `auskunft index PAGES`"
        )
    return select_sources(services.store, source)


def warn_of_read_only_data(services: Services) -> None:
    """Print a line on standard error if nothing can be stored."""
    database = services.engine.url.database
    if services.engine.dialect.name == "sqlite" and read_only_mode(Path(database or "")):
        message = f"note: data folder {services.settings.data} cannot be written: nothing is stored"
        console(stderr=True).print(message)
