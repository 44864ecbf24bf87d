"""Keeps the server running: ``python -m app.serving.supervisor LISTENER SETTINGS [demo]``.

LISTENER and SETTINGS are file descriptors. A server that was killed by a signal, for lack of memory or by a
crash in a library, is restarted; one that ended by itself is not. Meanwhile requests wait in the listening
socket.
"""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from threading import Event
from types import FrameType
from typing import Final

PAUSE_SECONDS: Final = 1.0
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Supervisor:
    """Runs one server process at a time. ``settings``: the first line of its standard input, as JSON."""

    def __init__(self, listener: int, settings: bytes, arguments: list[str]) -> None:
        self._listener = listener
        self._settings = settings
        self._command = [sys.executable, "-P", "-m", "app.serving.server", str(listener), *arguments]
        self._stopping = Event()
        self._server: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Run until SIGTERM or Ctrl-C, or until the server ends by itself; returns its exit status."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        print(f"Auskunft serves at {self._address()} (stop with Ctrl-C)", flush=True)  # noqa: T201
        while not self._stopping.is_set():
            status = self._serve()
            if self._stopping.is_set():
                return max(status, 0)
            if status >= 0:
                return status
            name = signal.Signals(-status).name
            print(f"auskunft: the server was ended by {name} and is started again", file=sys.stderr)  # noqa: T201
            self._stopping.wait(PAUSE_SECONDS)
        return 0

    def _address(self) -> str:
        """Return the URL of the listening socket, ending in a slash."""
        with socket.socket(fileno=os.dup(self._listener)) as listener:
            host, port = listener.getsockname()[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def _serve(self) -> int:
        server = subprocess.Popen(self._command, stdin=subprocess.PIPE, pass_fds=[self._listener])
        self._server = server
        if self._stopping.is_set():  # the signal came before the server existed
            server.terminate()
        assert server.stdin is not None
        with suppress(BrokenPipeError), server.stdin as settings:  # it may end before it has read them
            settings.write(self._settings + b"\n")
            settings.flush()
            server.wait()
        return server.wait()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping.set()
        if self._server is not None:
            self._server.terminate()


def main() -> None:
    """Read the settings, then keep a server running."""
    listener, handed_over, *arguments = sys.argv[1:]
    with os.fdopen(int(handed_over), "rb") as pipe:
        settings = pipe.read()
    sys.exit(Supervisor(int(listener), settings, arguments).run())


if __name__ == "__main__":
    main()
