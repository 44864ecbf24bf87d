"""Wakes the workers that index pages. The page store itself is the queue: a message here only makes work
start at once, and losing it does no harm.

With a broker, tasks of these names go to Celery workers (:mod:`workers`); without one, the embedded worker of
the server's process does the work (:mod:`app.background.embedded_worker`).
"""

import time
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import structlog

from app.queue.broker import ANSWER_SECONDS, address

if TYPE_CHECKING:
    from celery import Celery

SYNC: Final = "auskunft.sync"
INTERACTIVE: Final = "interactive"
BULK: Final = "bulk"
INTERACTIVE_PRIORITY: Final = 1
"""The lowest priority of pages that somebody waits for; imports have 0."""

TASK_PAGES: Final = 100
MAX_TASKS: Final = 16
PAUSE_SECONDS: Final = 10.0

log = structlog.get_logger(__name__)


class Queue(Protocol):
    """Wakes the workers when pages are due."""

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """Wake workers for ``n_pages``. ``interactive``: somebody waits for them (``INTERACTIVE_PRIORITY``).

        Never raises and never blocks long; if a message is lost, the next sweep finds the work.
        """
        ...


class CeleryQueue:
    """Sends tasks by name through the broker at ``url``. After a failure it sends nothing for
    ``PAUSE_SECONDS``, so that a hanging broker does not delay everyone who saves a page."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._retry_at = 0.0

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """Send one task for every ``TASK_PAGES`` pages; each task works until nothing is due."""
        from kombu.exceptions import OperationalError  # noqa: PLC0415 - takes long to import

        if time.monotonic() < self._retry_at:
            return
        queue, priority = (INTERACTIVE, INTERACTIVE_PRIORITY) if interactive else (BULK, 0)
        try:
            for _ in range(min(-(-n_pages // TASK_PAGES), MAX_TASKS)):
                self._client.send_task(SYNC, kwargs={"min_priority": priority}, queue=queue)
        except OperationalError as error:
            self._retry_at = time.monotonic() + PAUSE_SECONDS
            log.warning("broker_unavailable", address=address(self._url), reason=str(error))

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    @cached_property
    def _client(self) -> "Celery":
        from celery import Celery  # noqa: PLC0415 - takes long to import

        client = Celery("auskunft", broker=self._url, set_as_current=False)
        client.conf.update(
            task_ignore_result=True,
            # One immediate retry, because the broker may have closed the connection meanwhile.
            task_publish_retry_policy={"max_retries": 1, "interval_start": 0},
            broker_transport_options={
                "socket_connect_timeout": ANSWER_SECONDS,
                "socket_timeout": ANSWER_SECONDS,
            },
        )
        return client
