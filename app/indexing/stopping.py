"""Work on claimed pages that can stop between two steps: finished pages are kept, the rest is handed back."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from app.errors import (
    DataFolderError,
    EmbedderUnavailableError,
    IndexUnavailableError,
    PageStoreUnavailableError,
    PluginError,
)
from app.indexing.progress import BatchProgress
from app.pages.types import Outcome, Waiting

T = TypeVar("T")

HANDED_BACK: Final = Waiting(reason="interrupted", seconds=0)
BROKEN: Final = "internal_error"

AWAY: Final = (
    IndexUnavailableError,
    EmbedderUnavailableError,
    PluginError,
    DataFolderError,
    PageStoreUnavailableError,
)
"""Errors that do not depend on the page, and end by themselves or through an administrator."""

Stop = Callable[[], bool]
"""Called between steps, none of which takes longer than converting a page or embedding a batch of chunks;
returns True if the work is to stop there."""


class StoppedError(Exception):
    """The work is to stop here; finished embeddings are kept."""


def never() -> bool:
    """Never stop: a :data:`Stop` that always returns False."""
    return False


def no_progress(_batch: BatchProgress) -> None:
    """Show nothing."""


class Attempt(Protocol):
    """Runs a step, and may repeat it while a server is unavailable."""

    def __call__(self, step: Callable[[], T]) -> T: ...


def once(step: Callable[[], T]) -> T:
    """Run a step a single time."""
    return step()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkControl:
    """Control of the work on pages: ``progress`` is called after each batch of chunks, ``stop`` may end the
    work between two steps, ``attempt`` runs each step."""

    progress: Callable[[BatchProgress], None] = no_progress
    stop: Stop = never
    attempt: Attempt = once

    def on_embedded(self, pages: int) -> Callable[[int, int], None]:
        """Return the progress function for embedding ``pages``. It is called with the numbers of embedded
        chunks and of all chunks, first for the cached ones.

        It raises ``StoppedError`` only after new ones, so that work advances however often it is stopped.
        """
        cached: int | None = None

        def report(embedded: int, chunks: int) -> None:
            nonlocal cached
            is_first, cached = cached is None, embedded if cached is None else cached
            self.progress(BatchProgress(pages=pages, chunks=chunks, cached=cached, embedded=embedded))
            if not is_first and self.stop():
                raise StoppedError

        return report


class ClaimRunner:
    """Works on claimed pages and settles every one of them, whatever happens.

    ``work_seconds``: time after which the rest of a claim is handed back; the lease must leave time for one
    more step. ``retry_seconds``: pause before pages are tried again that need an unavailable service.
    """

    def __init__(self, *, retry_seconds: float, work_seconds: float = 120.0) -> None:
        self._retry_seconds = retry_seconds
        self._work_seconds = work_seconds

    def run(
        self,
        pages: int,
        write: Callable[[WorkControl], list[Outcome]],
        settle: Callable[[list[Outcome]], T],
        *,
        stop: Stop = never,
        progress: Callable[[BatchProgress], None] = no_progress,
    ) -> T:
        """Write a number of ``pages``, then settle them; return the result of ``settle``.

        ``write`` returns the outcomes of the pages that it reached; ``settle`` is called with one outcome for
        each page. Raises what ``write`` does, after handing all pages back.
        """
        until = time.monotonic() + self._work_seconds
        work = WorkControl(progress=progress, stop=lambda: stop() or time.monotonic() > until)
        try:
            outcomes = write(work)
        except StoppedError:
            outcomes = []
        except AWAY as error:
            settle([Waiting(reason=error.code, seconds=self._retry_seconds)] * pages)
            raise
        except KeyboardInterrupt:
            settle([HANDED_BACK] * pages)
            raise
        except Exception:  # a page may have used up all memory; the others need not wait for the lease to end
            settle([Waiting(reason=BROKEN, seconds=self._retry_seconds, counted=True)] * pages)
            raise
        return settle([*outcomes, *[HANDED_BACK] * (pages - len(outcomes))])
