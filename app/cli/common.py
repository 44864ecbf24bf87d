"""What the commands share: opening the installation, choosing sources, JSON output."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console

from app.services import Services
from app.settings import load_settings

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
source_option = click.option("--source", metavar="NAME", help="Only this source (default: all).")
preset_option = click.option("--preset", metavar="NAME", help="Question preset (default: the setting's).")


@contextmanager
def open_services(**overrides: Any) -> Iterator[Services]:
    """The installation that the settings describe; overrides that are ``None`` do not count."""
    given = {name: value for name, value in overrides.items() if value is not None}
    with Services(load_settings(**given)) as services:
        yield services


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def console(stderr: bool = False) -> Console:
    """A console that wraps for terminals and leaves lines whole for files."""
    return Console(stderr=stderr, highlight=False, soft_wrap=True)
