"""An installation for benchmarks: real processes of ``auskunft`` over a data folder of their own."""

import re
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import click

from app.queue.broker import Broker
from benchmarks import pages
from tests.fakes.command import PROGRAM, Command

SOURCE: Final = "bench"
SECRET: Final = f"whsec_{b64encode(bytes(range(24))).decode()}"
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.02

_CONFIG: Final = f"""
[sources.{SOURCE}]
secrets = ["{SECRET}"]
events_per_minute = 1_000_000
"""

Process = subprocess.Popen[bytes]


class Installation:
    """An installation whose processes end with the ``with`` block. ``broker_url``: of a Redis, if workers do
    the work."""

    def __init__(self, folder: Path, broker_url: str = "", embedder: str = "hashing") -> None:
        config = folder / "auskunft.toml"
        config.write_text(_CONFIG)
        self._folder = folder
        command = Command(folder, config=config, broker_url=broker_url, embedder=embedder)
        self._environment = command.environment()
        self._broker_url = broker_url
        self._log = folder / "output.log"
        self._running = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def fill(self, n_pages: int) -> None:
        """Index ``n_pages`` small generated pages."""
        file = self._folder / "pages.jsonl"
        pages.write(file, (pages.page(number, sections=1) for number in range(n_pages)))
        self.run("index", str(file), "--source", SOURCE)

    def run(self, *arguments: str) -> str:
        """Return the output of a command. Raises ``ClickException`` if it fails."""
        return self.finished(self.start(*arguments))

    def start(self, *arguments: str) -> Process:
        """Start a command, and capture its output."""
        return self._start(arguments, subprocess.PIPE)

    def finished(self, process: Process) -> str:
        """Wait for a started command, and return its output. Raises ``ClickException`` if it failed."""
        output, _ = process.communicate()
        if process.returncode:
            raise click.ClickException(f"{process.args!r} failed:\n{output.decode()}")
        return output.decode()

    def serve(self) -> str:
        """Start the server, and return its address."""
        self._start(["serve", "--port", "0"], None)
        _wait_until(lambda: self._address() is not None)
        return str(self._address())

    def work(self, concurrency: int) -> Process:
        """Start a worker with ``concurrency`` processes, and wait until it reports that it runs."""
        broker = Broker(self._broker_url)
        known = len(broker.workers())
        worker = self._start(["worker", "--concurrency", str(concurrency)], None)
        _wait_until(lambda: len(broker.workers()) > known)
        broker.close()
        return worker

    def beat(self) -> None:
        """Start the schedule."""
        self._start(["beat"], None)

    def _start(self, arguments: list[str] | tuple[str, ...], output: int | None) -> Process:
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [PROGRAM, *arguments],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output or log,
                stderr=subprocess.STDOUT,
            )
        self._running.callback(stop, process)
        return process

    def _address(self) -> str | None:
        found = re.search(r"http://\S+", self._log.read_text("utf-8", "replace"))
        return found[0] if found else None


def stop(process: Process) -> None:
    """Ask a process to end, and wait for it."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not happens():
        if time.monotonic() > deadline:
            raise click.ClickException("a process did not start in time")
        time.sleep(POLL_SECONDS)
