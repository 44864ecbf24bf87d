"""A server's process group, which never outlives the tests."""

import os
import pwd
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from tests.fakes.processes import wait_for_end_of_group

STOP_SECONDS: Final = 30.0
# The pipe closes however the tests end, even when killed; a death signal would be bound to the thread that
# started the server, and reach only the first process of the group.
_GUARD: Final = 'read -r _; kill -KILL "-$1"; rm -rf "$2" || { sleep 1; rm -rf "$2"; }'


def unprivileged() -> dict[str, Any]:
    """Arguments for ``subprocess`` that give up root, which some servers refuse; none for other users."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def give_away(folder: Path) -> None:
    """Let the user that servers run as own ``folder`` and everything in it."""
    if os.geteuid() != 0:
        return
    nobody = pwd.getpwnam("nobody")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)


def readable(folder: Path) -> bool:
    """Whether the user that servers run as can reach ``folder``, judged by the folders above it."""
    return os.geteuid() != 0 or all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.parents)


class ServerProcess:
    """A running server and everything it started; ``folder`` is removed should the tests be killed."""

    def __init__(
        self, command: Sequence[str | Path], *, folder: Path, env: Mapping[str, str], output: IO[bytes]
    ) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            **unprivileged(),
        )
        self.group = self._process.pid
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD, "sh", str(self.group), folder], stdin=subprocess.PIPE, start_new_session=True
        )

    def running(self) -> bool:
        """Whether the process that was started has not ended."""
        return self._process.poll() is None

    def wait(self) -> int:
        """Wait until the server ends by itself."""
        return self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of the server."""
        os.killpg(self.group, number)

    def terminate(self) -> None:
        """Ask the server to end; kill it if it does not within ``STOP_SECONDS``."""
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            self.signal(signal.SIGTERM)
            self.signal(signal.SIGCONT)
            self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End every process of the server at once and wait until none is left."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self._process.wait()
        wait_for_end_of_group(self.group)
        self._guard.kill()
        self._guard.communicate()
