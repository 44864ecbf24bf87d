"""A command of ours that runs in a process group of its own, as an operator starts it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.fakes.command import PROGRAM
from tests.fakes.processes import wait_for_end_of_group

PATIENCE_SECONDS: Final = 120.0


def wait_until(happens: Callable[[], object]) -> None:
    """Poll, for other processes say in no other way how far they are."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Group:
    """A running command and all processes it started."""

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

    def runs(self) -> bool:
        """Whether the process that was started has not ended."""
        return self.process.poll() is None

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
