"""An installation with workers: real processes of ``auskunft worker`` and ``auskunft beat``."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final

from app.services import Services
from app.settings import Settings
from ingest.types import Change, PageRef, RawField, RawPage, Save
from tests.fakes.command import PROGRAM, Command
from tests.fakes.faults_plugin import faulty_plugin
from tests.fakes.processes import wait_for_end_of_group

PATIENCE_SECONDS: Final = 60.0
SECONDS: Final = {
    "lease_seconds": 5,
    "sweep_seconds": 1,
    "retry_seconds": 1,
    "stop_seconds": 2,
    "conversion_seconds": 1,
}
"""Small ones. From the lease follow a time limit of 4 and a visibility timeout of 15."""


def wait_until(happens: Callable[[], object]) -> None:
    """Poll, for other processes say in no other way how far they are."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Group:
    """A command that runs in a process group of its own."""

    def __init__(self, arguments: Iterable[str], *, folder: Path, env: dict[str, str], log: Path) -> None:
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [PROGRAM, *arguments],
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def children(self) -> list[int]:
        """Its pool."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, parent = stat.read_text().rpartition(")")[2].split()[:2]
                if int(parent) == self.process.pid and state != "Z":
                    found.append(int(stat.parent.name))
        return sorted(found)

    def signal(self, number: signal.Signals) -> None:
        """To every process of the group; those that convert for it are in it, too."""
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End every process of it at once."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self.process.wait()
        wait_for_end_of_group(self.process.pid)

    def terminate(self) -> int:
        """Ask it to end; its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)


class Installation:
    """Accepts pages and looks at what becomes of them; others do the work."""

    def __init__(self, folder: Path, broker_url: str, database_url: str) -> None:
        self._folder = folder
        own: dict[str, object] = {**SECONDS, "broker_url": broker_url, "database_url": database_url}
        self._command = Command(folder, "data", **own)
        self._plugin = {"PYTHONPATH": str(faulty_plugin(folder / "plugins"))}
        self._open = ExitStack()
        self._versions = count()
        self.log = folder / "output.log"
        self.data = self._command.data
        in_process = Settings.model_validate({"data": self._command.data, "embedder": "hashing", **own})
        self.services = self._open.enter_context(Services(in_process))
        _ = self.services.index

    def close(self) -> None:
        """End everything that was started."""
        self._open.close()

    def start(self, *arguments: str) -> Group:
        """Start a command, killed at the end."""
        env = self._command.environment() | self._plugin
        group = Group(arguments, folder=self._folder, env=env, log=self.log)
        self._open.callback(group.kill)
        return group

    def worker(self) -> Group:
        """Start a worker with two processes, and wait until it is seen."""
        known = len(self.services.broker.workers())
        group = self.start("worker", "--concurrency", "2")
        wait_until(lambda: len(self.services.broker.workers()) > known)
        return group

    def save(self, ids: Iterable[object], fault: str = "slow", priority: int = 1) -> None:
        """Accept a new version of each page and wake the queue."""
        changes: list[Change] = [Save(page=self._page(str(page_id), fault)) for page_id in ids]
        self.services.store.accept(changes, priority=priority)
        self.services.queue.wake(len(changes), interactive=priority > 0)

    def _page(self, page_id: str, fault: str) -> RawPage:
        text = f"fault: {fault} {page_id} in version {next(self._versions)}"
        return RawPage(
            ref=PageRef(source="town", id=page_id, language="en"),
            document=page_id,
            url=f"https://town.example/{page_id}",
            fields={"content": RawField(text=text, media_type="text/markdown")},
        )


def wait_for_indexed(installation: Installation, pages: int) -> None:
    """Wait until so many are in the index."""
    wait_until(lambda: installation.services.store.counts().get("indexed", 0) >= pages)


@contextmanager
def installed(folder: Path, broker_url: str = "", database_url: str = "") -> Iterator[Installation]:
    """An installation; what its processes printed is shown if the test fails."""
    installation = Installation(folder, broker_url, database_url)
    try:
        yield installation
    finally:
        installation.close()
        if installation.log.exists():
            print(installation.log.read_text("utf-8", "replace")[-8_000:])  # noqa: T201
