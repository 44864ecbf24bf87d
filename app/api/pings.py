"""Keep-alive pings for streams: a server notices that a client has left only when it sends something."""

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

import structlog

PING_SECONDS: Final = 3.0

T = TypeVar("T")
log = structlog.get_logger(__name__)


def with_pings(
    items: Generator[T, None, None], cancel: Callable[[], None], ping: T, seconds: float = PING_SECONDS
) -> Generator[T, None, None]:
    """The items, and ``ping`` whenever none came for ``seconds``.

    The items are produced in a thread, one at a time and only on demand. When this generator is closed,
    because the client has left, ``cancel`` is called to end the item in production, and then ``items`` is
    closed. An error of ``items`` is raised here; after the client has left it is logged.
    """
    ready: SimpleQueue[T | None] = SimpleQueue()
    requested: SimpleQueue[bool] = SimpleQueue()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="pings") as pool:
        producer = pool.submit(_produce, items, ready, requested)
        try:
            yield from _items_and_pings(ready, requested, ping, seconds)
        except GeneratorExit:
            producer.add_done_callback(_log_failure)
            requested.put(False)
            cancel()
            raise
        producer.result()


def _items_and_pings(
    ready: "SimpleQueue[T | None]", requested: "SimpleQueue[bool]", ping: T, seconds: float
) -> Generator[T, None, None]:
    while True:
        try:
            item = ready.get(timeout=seconds)
        except Empty:
            yield ping
            continue
        if item is None:
            return
        yield item
        requested.put(True)


def _produce(
    items: Generator[T, None, None], ready: "SimpleQueue[T | None]", requested: "SimpleQueue[bool]"
) -> None:
    """Produce an item for each request, and ``None`` at the end."""
    try:
        with closing(items):
            for item in items:
                ready.put(item)
                if not requested.get():
                    break
    finally:
        ready.put(None)


def _log_failure(producer: "Future[None]") -> None:
    if error := producer.exception():
        log.error("stream_failed_after_disconnect", exc_info=error)
