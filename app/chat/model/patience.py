"""Waits a limited time for a reply to begin. After two time-outs in a row the model is no longer waited for,
until a reply has begun in the background."""

import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from typing import Final

from app.chat.model.cancellation import Cancellation
from app.chat.types import Message
from app.errors import ModelError

TIMEOUTS: Final = 2
NOTHING: Final = ""


class Patience:
    """Counts the time-outs of one model. Thread-safe. ``ask``: waits for the beginning of a reply, and raises
    ``ModelError``."""

    def __init__(self, ask: Callable[[Sequence[Message]], object]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._timeouts = 0
        self._messages: Sequence[Message] = ()
        self._is_asking = False

    def watched(
        self, messages: Sequence[Message], reply: Generator[str, None, None]
    ) -> Generator[str, None, None]:
        """Yield the reply to ``messages``, and count it if it times out. Raises the errors of ``reply``."""
        has_begun = False
        try:
            with closing(reply):
                for piece in reply:
                    if not has_begun:
                        has_begun = True
                        self._record(())
                    yield piece
        except ModelError as error:
            if not has_begun and error.kind == "timeout":
                self._record(messages)
            raise

    def _record(self, unanswered: Sequence[Message]) -> None:
        """Count one more time-out, or start again from zero if ``unanswered`` is empty."""
        with self._lock:
            self._timeouts = self._timeouts + 1 if unanswered else 0
            self._messages = unanswered

    def is_over(self) -> bool:
        """Return True if the model is not to be waited for. The prompt that last timed out is then sent to it
        again in the background, one request at a time."""
        with self._lock:
            if self._timeouts < TIMEOUTS:
                return False
            if not self._is_asking:
                self._is_asking = True
                threading.Thread(target=self._try_again, name="patience", daemon=True).start()
            return True

    def _try_again(self) -> None:
        try:
            self._ask(self._messages)
        except ModelError:
            return
        else:
            self._record(())
        finally:
            with self._lock:
                self._is_asking = False


def begun(
    pieces: Generator[str, None, None], seconds: float, cancellation: Cancellation
) -> Generator[str | None, None, None]:
    """Yield the pieces, and None before them if the first takes longer than ``seconds``.

    The first piece is awaited in a thread. Closing the generator before it comes requests the cancellation.
    Raises the errors of ``pieces``.
    """
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="first-piece")
    first = pool.submit(next, pieces, NOTHING)
    try:
        if not wait([first], seconds).done:
            yield None
        yield first.result()
        yield from pieces
    finally:
        if not first.done():
            cancellation.request()
            wait([first])
        pool.shutdown(wait=False)
        pieces.close()
