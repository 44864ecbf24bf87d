"""The command ``auskunft`` as people run it: a process of its own, over a data folder of its own."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tests.fakes.command_server import command_server

PROGRAM: Final = Path(sys.executable).with_name("auskunft")
SECONDS: Final = 120.0
_PROGRESS: Final = re.compile(
    r"^(?!auskunft: )[a-z ]+: [\d,]+ (?:of [\d,]+ )?(?:pages|documents|chunks|questions)\b.*\n", re.M
)
_INHERITED: Final = ("PATH", "HOME", "TMPDIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The document on standard output of a command that succeeded and printed nothing else."""
        assert (self.code, self.err) == (0, "")
        return json.loads(self.out)

    def complaint(self, code: int) -> str:
        """The one line about what was wrong, of a command that ended with ``code``."""
        lines = self.err.splitlines()
        assert (self.code, len(lines)) == (code, 1), self
        assert lines[0].startswith("auskunft: ")
        return lines[0]


class Command:
    """Runs ``auskunft`` in ``folder`` over the data folder ``data``; ``settings`` without ``AUSKUNFT_``."""

    def __init__(self, folder: Path, data: str | Path = "data", **settings: object) -> None:
        self.folder = folder
        self.data = folder / data
        self._settings = settings

    def environment(self, **settings: object) -> dict[str, str]:
        """A clean environment but for these settings; those that are ``None`` are not set."""
        own = {"data": self.data, "embedder": "hashing", **self._settings, **settings}
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return inherited | {
            f"AUSKUNFT_{name.upper()}": str(value) for name, value in own.items() if value is not None
        }

    def start(
        self, *arguments: str | Path | bytes, extra: dict[str, str] | None = None, **settings: object
    ) -> "subprocess.Popen[bytes]":
        """Start a command in a process group of its own; ``extra``: other variables of its environment."""
        return subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=self.folder,
            env=self.environment(**settings) | (extra or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(
        self, *arguments: str | Path | bytes, extra: dict[str, str] | None = None, **settings: object
    ) -> Finished:
        """Run a command to its end; with ``extra`` it is started, not forked. ``err`` comes without the lines
        of progress, which only a slow machine sees."""
        if extra:
            return _without_progress(finished(self.start(*arguments, extra=extra, **settings)))
        given = [os.fsdecode(argument) for argument in arguments]
        done = command_server().run(given, self.folder, self.environment(**settings))
        return _without_progress(_complete(*done))


def finished(process: "subprocess.Popen[bytes]") -> Finished:
    """Wait for a started command."""
    out, err = process.communicate(timeout=SECONDS)
    return _complete(process.returncode, out, err)


def _complete(code: int, out: bytes, err: bytes) -> Finished:
    complete = Finished(code=code, out=out.decode(), err=err.decode())
    assert "Traceback" not in complete.err, complete.err
    return complete


def _without_progress(complete: Finished) -> Finished:
    return replace(complete, err=_PROGRESS.sub("", complete.err))
