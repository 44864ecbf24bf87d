"""A real PostgreSQL for the tests: Debian's server on loopback, with a cluster of its own.

``python -m tests.services.postgresql`` holds one open until it is interrupted. Unless asked for, nothing is
made durable, for speed: ``kill`` ends the processes, which loses nothing, not the machine.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psycopg

from tests.services import MissingServiceError
from tests.services.ports import free_port
from tests.services.process import ServerProcess, give_away, unprivileged

FOLDER: Final = Path("/usr/lib/postgresql")
USER: Final = "auskunft"
START_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.02
_OPTIONS: Final = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200")
_VOLATILE: Final = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")


class Postgresql:
    """A server with data of its own, which ``stop`` and the end of a ``with`` block remove.

    ``durable``: commits wait for the disk, as in production.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self._programs = programs()
        self._options = _OPTIONS if durable else (*_OPTIONS, *_VOLATILE)
        self._folder: Path | None = None
        self._process: ServerProcess | None = None
        self._port = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address of its first database, whose user may make others."""
        return f"postgresql://{USER}@127.0.0.1:{self._port}/postgres"

    @property
    def folder(self) -> Path:
        """Where its data are."""
        if self._folder is None:
            raise RuntimeError("the server was never started, or stopped for good")
        return self._folder

    @property
    def process(self) -> ServerProcess:
        """The running server."""
        if self._process is None:
            raise RuntimeError("the server is not running")
        return self._process

    def start(self) -> None:
        """Start the server, with the data and port it had before, and wait until it answers."""
        try:
            self._folder = self._folder or self._prepare()
            self._process = self._launch(self._folder)
            self._wait_until_it_answers(self._folder)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server at once and remove its data; nothing happens if that was done."""
        if self._process:
            self.kill()
        if self._folder:
            shutil.rmtree(self._folder)
        self._folder = None

    def kill(self) -> None:
        """End the server and break its connections at once; its data stay for ``start``."""
        self._end(signal.SIGQUIT)

    def restart(self) -> None:
        """Shut the server down in order, which breaks its connections, and start it on the same port."""
        self._end(signal.SIGINT)
        self.start()

    def _end(self, number: signal.Signals) -> None:
        # The first process ends its children: they are not of its group.
        self.process.signal(number)
        self.process.wait()
        self.process.kill()
        self._process = None

    def _prepare(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="auskunft-postgresql-"))
        give_away(folder)
        options = ["--username", USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"]
        command: list[str | Path] = [self._programs / "initdb", "--pgdata", folder / "data", "--no-sync"]
        done = subprocess.run(
            [*command, *options], cwd=folder, capture_output=True, text=True, check=False, **unprivileged()
        )
        if done.returncode:
            shutil.rmtree(folder)
            raise RuntimeError(f"initdb failed: {done.stderr.strip()}")
        self._port = free_port()
        return folder

    def _launch(self, folder: Path) -> ServerProcess:
        options = [word for option in (*self._options, f"port={self._port}") for word in ("-c", option)]
        command: list[str | Path] = [self._programs / "postgres", "-D", folder / "data", *options]
        with (folder / "output.log").open("ab") as output:
            return ServerProcess(command, folder=folder, env={"PATH": os.environ["PATH"]}, output=output)

    def _wait_until_it_answers(self, folder: Path) -> None:
        """Poll, for a server says in no other way that it takes connections."""
        deadline = time.monotonic() + START_SECONDS
        while not _answers(self.url):
            if not self.process.running() or time.monotonic() > deadline:
                output = (folder / "output.log").read_text("utf-8", "replace")
                raise RuntimeError(f"PostgreSQL did not start:\n{output[-4000:]}")
            time.sleep(POLL_SECONDS)


def programs() -> Path:
    """The folder of the newest server installed. Raises ``MissingServiceError``."""
    found = [path for path in FOLDER.glob("*/bin") if (path / "postgres").exists()]
    if not found:
        raise MissingServiceError("PostgreSQL's server is not installed: apt-get install postgresql")
    return max(found, key=lambda path: [int(part) for part in re.findall(r"\d+", path.parent.name)])


def _answers(url: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError):
        psycopg.connect(url).close()
        return True
    return False


def main() -> None:
    """Hold a server open until SIGINT or SIGTERM, or until it ends by itself."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Postgresql() as server:
            sys.stdout.write(f"{server.url}\n")
            sys.stdout.flush()
            server.process.wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
