"""A real MariaDB for the tests: Debian's server on a socket of its own, with data that end with it."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.services import MissingServiceError
from tests.services.process import ServerProcess, give_away, unprivileged

START_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.05
DATABASE: Final = "cms"
_OPTIONS: Final = ("--skip-networking", "--skip-grant-tables", "--innodb-flush-log-at-trx-commit=0")


class MariaDb:
    """A server with an empty database, without passwords, which ends with the ``with`` block."""

    def __init__(self) -> None:
        for program in ("mariadbd", "mariadb-install-db", "mariadb"):
            if shutil.which(program) is None:
                raise MissingServiceError("MariaDB is not installed: apt-get install mariadb-server")
        self.folder = Path(tempfile.mkdtemp(prefix="auskunft-mariadb-"))
        self.socket = self.folder / "socket"
        self._process: ServerProcess | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server and remove its data."""
        if self._process:
            self._process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def query(self, statement: str) -> str:
        """Run a statement; its rows, with tabs between the columns. Fails with what the server says."""
        command = ["mariadb", f"--socket={self.socket}", "--batch", "--skip-column-names"]
        done = subprocess.run(
            [*command, "--user=cms", f"--execute={statement}"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.strip()

    def _start(self) -> None:
        data = f"--datadir={self.folder / 'data'}"
        give_away(self.folder)
        command = ["mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal"]
        done = subprocess.run(
            [*command, "--skip-test-db"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            **unprivileged(),
        )
        if done.returncode:
            raise RuntimeError(f"mariadb-install-db failed: {done.stderr.strip()}")
        server = [shutil.which("mariadbd") or "", "--no-defaults", data, f"--socket={self.socket}"]
        log = self.folder / "output.log"
        with log.open("ab") as output:
            self._process = ServerProcess(
                [*server, f"--pid-file={self.folder / 'pid'}", *_OPTIONS],
                folder=self.folder,
                env={"PATH": os.environ["PATH"]},
                output=output,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if not self._process.running() or time.monotonic() > deadline:
                raise RuntimeError(f"MariaDB did not start:\n{log.read_text('utf-8', 'replace')[-4000:]}")
            time.sleep(POLL_SECONDS)
        self.query(f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4")

    def _answers(self) -> bool:
        try:
            return bool(self.query("SELECT 1"))
        except RuntimeError:
            return False
