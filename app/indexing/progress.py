"""The progress of work on pages, for commands to show: in pages, and in chunks, which take most of the time.

The number of a page's chunks is known once the page is cut. Until the last batch, the total is therefore an
estimate: the remaining pages are assumed to have as many chunks as the pages so far.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """Progress of the current batch of ``pages``: the number of its ``chunks``, how many of them are
    ``embedded``, and how many of these came from the cache (``cached``)."""

    pages: int
    chunks: int
    cached: int
    embedded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a stage of work: ``done`` of ``total`` (``None``: unknown) ``unit``, and ``chunks`` of
    ``total_chunks``, which is an estimate unless ``is_exact``. ``computed``: embedded chunks that were not in
    the cache."""

    done: int = 0
    total: int | None = None
    unit: str = "pages"
    chunks: int = 0
    total_chunks: int = 0
    is_exact: bool = True
    computed: int = 0


Show = Callable[[Progress], None]

_NOTHING: Final = BatchProgress(pages=0, chunks=0, cached=0, embedded=0)


def silent(_progress: Progress) -> None:
    """Show nothing."""


class ProgressCounter:
    """Sums the batches of one stage of work, and calls ``show`` with the sum after each change."""

    def __init__(self, show: Show = silent) -> None:
        self._show = show
        self._total = 0
        self._left = 0
        self._written = 0
        self._chunks = 0
        self._computed = 0
        self._batch = _NOTHING

    def expect(self, pages: int) -> None:
        """Add pages to be done."""
        self._total += pages
        self._left += pages
        if pages:
            self._show(self._progress())

    def show_batch(self, batch: BatchProgress) -> None:
        """Show the progress of the current batch."""
        self._batch = batch
        self._show(self._progress())

    def settle(self, written: int, left: int | None = None) -> None:
        """End the current batch, of which ``written`` pages were written. ``left``: pages still to be done,
        if others work on them too."""
        self._computed += self._batch.embedded - self._batch.cached
        if written:
            self._written += written
            self._chunks += self._batch.chunks
        self._batch = _NOTHING
        self._left = self._left - written if left is None else left
        self._show(self._progress())

    def _progress(self) -> Progress:
        batch = self._batch
        known, cut = self._chunks + batch.chunks, self._written + batch.pages
        rest = max(0, self._left - batch.pages)
        return Progress(
            done=self._total - self._left,
            total=self._total,
            chunks=self._chunks + batch.embedded,
            total_chunks=known + (round(known / cut * rest) if cut else 0),
            is_exact=rest == 0,
            computed=self._computed + batch.embedded - batch.cached,
        )
