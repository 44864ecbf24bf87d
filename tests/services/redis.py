"""A real Redis for the tests: Debian's server on loopback, with its append-only file on.

``python -m tests.services.redis`` holds one open until it is interrupted.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from redis import Redis
from redis.exceptions import RedisError

from tests.services import MissingServiceError
from tests.services.ports import free_port
from tests.services.process import ServerProcess, give_away

START_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.02


class RedisServer:
    """A server with data of its own, which ``stop`` and the end of a ``with`` block remove."""

    def __init__(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise MissingServiceError("Redis is not installed: apt-get install redis-server")
        self._program = program
        self._folder: Path | None = None
        self._process: ServerProcess | None = None
        self._port = free_port()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address of its first database."""
        return f"redis://127.0.0.1:{self._port}/0"

    @property
    def process(self) -> ServerProcess:
        """The running server."""
        if self._process is None:
            raise RuntimeError("the server is not running")
        return self._process

    def client(self) -> "Redis":
        """A connection to its first database."""
        return Redis.from_url(self.url, socket_timeout=START_SECONDS)

    def start(self) -> None:
        """Start the server, with the data and port it had before, and wait until it answers."""
        try:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="auskunft-redis-"))
                give_away(self._folder)
            self._process = self._launch(self._folder)
            self._wait_until_it_answers(self._folder)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server and remove its data; nothing happens if that was done."""
        if self._process:
            self.kill()
        if self._folder:
            shutil.rmtree(self._folder)
        self._folder = None

    def kill(self) -> None:
        """End the server at once; its append-only file stays for ``start``."""
        self.process.kill()
        self._process = None

    def pause(self) -> None:
        """Stop the server without closing anything, as a machine does that hangs."""
        self.process.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End a pause."""
        self.process.signal(signal.SIGCONT)

    def mend(self) -> None:
        """Let it run as if nothing had been done to it."""
        if self._process is None:
            self.start()
        self.go_on()
        with self.client() as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.flushall()

    def _launch(self, folder: Path) -> ServerProcess:
        options = ["--bind", "127.0.0.1", "--port", str(self._port), "--appendonly", "yes", "--save", ""]
        with (folder / "output.log").open("ab") as output:
            return ServerProcess(
                [self._program, *options], folder=folder, env={"PATH": os.environ["PATH"]}, output=output
            )

    def _wait_until_it_answers(self, folder: Path) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if not self.process.running() or time.monotonic() > deadline:
                output = (folder / "output.log").read_text("utf-8", "replace")
                raise RuntimeError(f"Redis did not start:\n{output[-4000:]}")
            time.sleep(POLL_SECONDS)

    def _answers(self) -> bool:
        with suppress(RedisError), self.client() as client:
            return bool(client.ping())
        return False


def main() -> None:
    """Hold a server open until SIGINT or SIGTERM, or until it ends by itself."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), RedisServer() as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        server.process.wait()


if __name__ == "__main__":
    main()
