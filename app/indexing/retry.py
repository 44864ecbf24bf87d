"""Retries steps of long work while a server is briefly unavailable."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

import structlog

from app.errors import EmbedderUnavailableError, IndexDamagedError, IndexUnavailableError

PAUSE_SECONDS: Final = 10.0
PAUSES: Final = 60
"""Ten minutes in all, longer than restarting a server or upgrading a cluster's node takes."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Retry:
    """Repeats a step, after at most ``pauses`` pauses, while index or embedder are unavailable. ``pause`` is
    called with seconds."""

    def __init__(self, pause: Callable[[float], None] = time.sleep, pauses: int = PAUSES) -> None:
        self._pause = pause
        self._pauses = pauses

    def __call__(self, step: Callable[[], T], waiting: Callable[[], None]) -> T:
        """Return the step's result. ``waiting`` is called after every pause.

        Raises the error of the last attempt, or at once an error that waiting does not cure.
        """
        for _ in range(self._pauses):
            try:
                return step()
            except IndexDamagedError:
                raise
            except (IndexUnavailableError, EmbedderUnavailableError) as error:
                log.warning("rebuild_waits", reason=str(error), seconds=PAUSE_SECONDS)
            self._pause(PAUSE_SECONDS)
            waiting()
        return step()
