"""Forks the command ``auskunft`` from a process that has imported all of it, which takes seconds else.

Each command is a process of its own, with folder, environment and exit as if it had been started.
"""

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from app.cli import commands

SECONDS: Final = 120
"""After which a command that goes on is ended."""

_IMPORTED: Final = ("app.serving.server", "alembic.command", "sqlalchemy.dialects.sqlite")
_CODE: Final = "from tests.fakes.command_server import main; main()"


class CommandServer:
    """Runs one command at a time; ends with the process that made it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> tuple[int, bytes, bytes]:
        """Exit code, standard output and error of a command."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            request = {
                "arguments": arguments,
                "folder": str(folder),
                "environment": dict(environment),
                "files": [os.devnull, out.name, err.name],
            }
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            return int(self._process.stdout.readline()), out.read(), err.read()


@cache
def command_server() -> CommandServer:
    """The one of this process."""
    return CommandServer()


def main() -> None:
    """Answer each request with the exit code of the command, until there are no more."""
    for name in (*_IMPORTED, *(entry.module for entry in commands().values())):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else the exit of each child would visit, and so copy, all of this memory: half a second
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(**json.loads(line))
            sys.exit(importlib.import_module("app.cli").main())
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become(arguments: Sequence[str], folder: str, environment: Mapping[str, str], files: Any) -> None:
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["auskunft", *arguments]
    for number, name in enumerate(files):
        os.dup2(os.open(name, os.O_RDWR), number)
    signal.alarm(SECONDS)
