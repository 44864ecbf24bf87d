"""Keep-alive pings for streams: a server notices that a client has left only when it sends something."""

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Event, Semaphore
from typing import Final

import structlog

PING_SECONDS: Final = 3.0

AHEAD: Final = 32
"""The most texts that are produced before the client takes the first of them."""

log = structlog.get_logger(__name__)


def with_pings(
    texts: Generator[str, None, None], cancel: Callable[[], None], ping: str, seconds: float = PING_SECONDS
) -> Generator[str, None, None]:
    """Yield the texts, and ``ping`` after each ``seconds`` without one. Texts that are ready are joined.

    A thread produces the texts, up to ``AHEAD`` of them in advance. If the client leaves, this generator is
    closed: ``cancel`` is called to end the text being produced, then ``texts`` is closed. An error of
    ``texts`` is raised here; after the client has left, it is logged.
    """
    stream = _Stream(texts)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="pings") as pool:
        producer = pool.submit(stream.produce)
        try:
            yield from stream.ready(ping, seconds)
        except BaseException:
            producer.add_done_callback(_log_failure)
            stream.leave()
            cancel()
            raise
        producer.result()


class _Stream:
    """Passes texts from one thread to another. ``None`` marks the end."""

    def __init__(self, texts: Generator[str, None, None]) -> None:
        self._texts = texts
        self._ready: SimpleQueue[str | None] = SimpleQueue()
        self._room = Semaphore(AHEAD)
        self._is_left = Event()

    def produce(self) -> None:
        """Produce the texts, pausing while too many wait."""
        try:
            with closing(self._texts):
                for text in self._texts:
                    self._ready.put(text)
                    self._room.acquire()
                    if self._is_left.is_set():
                        break
        finally:
            self._ready.put(None)

    def leave(self) -> None:
        """Make :meth:`produce` end."""
        self._is_left.set()
        self._room.release()

    def ready(self, ping: str, seconds: float) -> Generator[str, None, None]:
        """Yield the texts as they become ready, and the pings."""
        while True:
            try:
                text = self._ready.get(timeout=seconds)
            except Empty:
                yield ping
                continue
            ready: list[str] = []
            while text is not None:
                ready.append(text)
                self._room.release()
                if self._ready.empty():
                    break
                text = self._ready.get()
            if ready:
                yield "".join(ready)
            if text is None:
                return


def _log_failure(producer: "Future[None]") -> None:
    if error := producer.exception():
        log.error("stream_failed_after_disconnect", exc_info=error)
