"""Web servers for benchmarks, in processes of their own: the application over the sample site, the bare
relay."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import httpx

from app.demo import site
from app.serving.server import THREADS
from benchmarks.installation import START_SECONDS, stop
from tests.fakes.command import PROGRAM, Command

SOURCE: Final = "town"
POLL_SECONDS: Final = 0.05
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class WebServer:
    """A server process, perhaps with a supervisor. ``url`` ends in a slash; ``process``: the one started."""

    url: str
    process: int

    @property
    def server(self) -> int:
        """The process that answers."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text("ascii").split()
        return int(children[0]) if children else self.process

    @property
    def cpu_seconds(self) -> float:
        """The processor time that the server has used."""
        fields = Path(f"/proc/{self.server}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND

    @property
    def resident_bytes(self) -> int:
        """The server's resident memory."""
        return int(Path(f"/proc/{self.server}/statm").read_text("ascii").split()[1]) * _PAGE_BYTES


@contextmanager
def auskunft(folder: Path, base_url: str, **settings: object) -> Iterator[WebServer]:
    """Run ``auskunft serve`` over the sample site, with the model at ``base_url``."""
    command = Command(folder)
    environment = command.environment(chat__base_url=base_url, chat__model="paced", **settings)
    indexed = command.run("index", site(), "--source", SOURCE)
    if indexed.code:
        raise click.ClickException(indexed.err)
    with _serving([str(PROGRAM), "serve", "--port", "0"], folder, environment) as server:
        yield server


@contextmanager
def bare_relay(folder: Path, base_url: str) -> Iterator[WebServer]:
    """Run the bare relay with as many threads as ``auskunft serve`` has."""
    arguments = [sys.executable, "-m", "benchmarks.bare_relay", base_url, str(THREADS)]
    with _serving(arguments, Path(__file__).parents[1], dict(os.environ), folder / "relay.log") as server:
        yield server


@contextmanager
def _serving(
    arguments: list[str], folder: Path, environment: Mapping[str, str], log: Path | None = None
) -> Iterator[WebServer]:
    log = log or folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        server = WebServer(_address(log, process), process.pid)
        _wait_for_answer(server.url)
        yield server
    finally:
        stop(process)


def _address(log: Path, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if found := re.search(r"http://[\d.:]+", log.read_text("utf-8", "replace")):
            return f"{found[0]}/"
        time.sleep(POLL_SECONDS)
    raise click.ClickException(f"a web server did not start: {log.read_text('utf-8', 'replace')}")


def _wait_for_answer(url: str) -> None:
    """Wait until the server answers anything."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            httpx.get(url, timeout=START_SECONDS)
        except httpx.TransportError as error:
            if time.monotonic() > deadline:
                raise click.ClickException(f"a web server did not answer: {error}") from error
            time.sleep(POLL_SECONDS)
        else:
            return
