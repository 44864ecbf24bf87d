"""Streams that tell their reader something while there is nothing to tell, so that his leaving is noticed."""

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
    parts: Generator[T, None, None], cancel: Callable[[], None], ping: T, seconds: float = PING_SECONDS
) -> Generator[T, None, None]:
    """The parts, and ``ping`` whenever none came for ``seconds``.

    The parts are made in a thread of their own, one at a time and not ahead of the reader. When the reader
    leaves, which a ping finds out at the latest, ``cancel`` is called, so that the part being made is not
    waited for; then ``parts`` is closed. What breaks reaches the reader; after he has left, the log.
    """
    made: SimpleQueue[T | None] = SimpleQueue()
    wanted: SimpleQueue[bool] = SimpleQueue()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="pings") as pool:
        making = pool.submit(_make, parts, made, wanted)
        try:
            yield from _received(made, wanted, ping, seconds)
        except GeneratorExit:
            making.add_done_callback(_log_failure)
            wanted.put(False)
            cancel()
            raise
        making.result()


def _received(
    made: "SimpleQueue[T | None]", wanted: "SimpleQueue[bool]", ping: T, seconds: float
) -> Generator[T, None, None]:
    while True:
        try:
            part = made.get(timeout=seconds)
        except Empty:
            yield ping
            continue
        if part is None:
            return
        yield part
        wanted.put(True)


def _make(
    parts: Generator[T, None, None], made: "SimpleQueue[T | None]", wanted: "SimpleQueue[bool]"
) -> None:
    """Make parts, one more whenever it is wanted; then ``None``."""
    try:
        with closing(parts):
            for each in parts:
                made.put(each)
                if not wanted.get():
                    break
    finally:
        made.put(None)


def _log_failure(making: "Future[None]") -> None:
    if error := making.exception():
        log.error("stream_failed_after_disconnect", exc_info=error)
