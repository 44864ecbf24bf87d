"""Waking whoever indexes pages. The page store is the queue itself; what goes through here only makes its
work begin at once, and may be lost without harm.

With a broker, tasks of these names go to Celery workers (:mod:`workers`); without one, the drain thread of
the process that serves does the work (:mod:`app.drain`).
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

import structlog

if TYPE_CHECKING:
    from celery import Celery

SYNC: Final = "auskunft.sync"
INTERACTIVE: Final = "interactive"
BULK: Final = "bulk"
TASK_PAGES: Final = 100
MAX_TASKS: Final = 16
CONNECT_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 2.0

log = structlog.get_logger(__name__)


class Queue(Protocol):
    """Pages have come in: somebody should look."""

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """``n_pages`` are due. ``interactive``: somebody waits for them.

        Never raises and never blocks long; a wake that is lost is made good by the next sweep.
        """
        ...


class CeleryQueue:
    """Sends tasks by name through the broker at ``url``."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._reachable = True

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """See :class:`Queue`. One task for every ``TASK_PAGES``: each works until nothing is due."""
        from kombu.exceptions import OperationalError  # noqa: PLC0415 - takes long to import

        tasks = min(-(-n_pages // TASK_PAGES), MAX_TASKS)
        try:
            for _ in range(tasks):
                self._client.send_task(SYNC, queue=INTERACTIVE if interactive else BULK)
        except OperationalError as error:
            self._note(reachable=False, reason=str(error))
        else:
            self._note(reachable=True)

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    @cached_property
    def _client(self) -> "Celery":
        return client(self._url)

    def _note(self, *, reachable: bool, reason: str = "") -> None:
        """Log a change, not every wake."""
        if reachable != self._reachable:
            self._reachable = reachable
            log.warning("broker_reachable" if reachable else "broker_away", reason=reason)


def client(url: str) -> "Celery":
    """A Celery application that can send tasks, and gives up soon where the broker is away."""
    from celery import Celery  # noqa: PLC0415 - takes long to import

    app = Celery("auskunft", broker=url, set_as_current=False)
    options: dict[str, Any] = {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": ANSWER_SECONDS}
    app.conf.update(
        task_ignore_result=True,
        task_publish_retry=False,
        broker_connection_retry=False,
        broker_transport_options=options,
    )
    return app
