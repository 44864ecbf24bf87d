"""Handles Ctrl-C and SIGTERM during long work: the first ends it cleanly, the second at once."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import FrameType
from typing import Final, NoReturn

STOPPING: Final = (
    "Stopping: the page being indexed is finished or given back; press Ctrl-C again to end at once"
)
INTERRUPTED: Final = 130
"""The exit status of an interrupted command, as in shells."""

_CONFIRMED_SECONDS: Final = 1.0
"""The most that the command waits for the confirmation of the first signal before it ends."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_ERROR: Final = 2
_CLEAR_LINE: Final = b"\r\x1b[2K"
_SHOW_CURSOR: Final = b"\x1b[?25h"


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` on the first signal, and confirm it at once; end the process on the second.

    Python runs a signal handler between bytecode instructions, and embedding is one call. So a thread also
    receives signals. Ignored signals stay ignored: shells ignore them for background jobs.
    """
    handled = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    received, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    confirmed = Event()

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        confirmed.wait(_CONFIRMED_SECONDS)
        raise KeyboardInterrupt

    Thread(target=_watch, args=(received, confirmed), name="signals", daemon=True).start()
    signal.set_wakeup_fd(wakeup)
    before = {number: signal.signal(number, stop) for number in handled}
    yield
    # Not after an error: then the command ends, and must still handle a second signal.
    for number, handler in before.items():
        signal.signal(number, handler)
    signal.set_wakeup_fd(-1)
    os.close(wakeup)


def _watch(received: int, confirmed: Event) -> None:
    """Confirm the first signal, and end the process on the second."""
    with os.fdopen(received, "rb", buffering=0) as signals:
        if signals.read(1):
            _write(STOPPING.encode() + b"\n", control=_CLEAR_LINE)
            confirmed.set()
        if signals.read(1):
            _write(b"", control=_SHOW_CURSOR)
            os._exit(INTERRUPTED)


def _write(message: bytes, *, control: bytes) -> None:
    """Write to standard error, bypassing its stream, which another thread uses; in a terminal, write
    ``control`` first."""
    os.write(_ERROR, (control if os.isatty(_ERROR) else b"") + message)
