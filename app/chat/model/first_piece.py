"""Waits for the first piece of a model's reply for a limited time."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final

from app.chat.model.cancellation import Cancellation

NOTHING: Final = ""


def begun(
    pieces: Generator[str, None, None], seconds: float, cancellation: Cancellation
) -> Generator[str | None, None, None]:
    """The pieces, and before them ``None`` if the first takes longer than ``seconds``; it is waited for in
    a thread. Closing the generator before it has come requests the cancellation. Raises what ``pieces``
    raises."""
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
