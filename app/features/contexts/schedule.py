"""Chooses the next chunk for several threads. Pure functions.

The first chunk of a document is sent alone, so that the endpoint has read the document when the others come.
Until then threads turn to other documents.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Condition
from typing import Final

from app.features.contexts.chunks import ContextedPage
from app.features.contexts.excerpts import DocumentExcerpts
from ingest.types import Chunk, PageRef

POLL_SECONDS: Final = 0.2


@dataclass(slots=True, kw_only=True, eq=False)
class DocumentWork:
    """The chunks of one page that lack contexts.

    ``left``: not started yet; ``running``: the number under way; ``missing``: the keys of chunks that have
    neither got a context nor failed for good. ``is_read``: True once the endpoint has replied to the first
    chunk.
    """

    page: ContextedPage
    excerpts: DocumentExcerpts
    left: deque[tuple[str, Chunk]]
    missing: set[str]
    running: int = 0
    is_read: bool = False

    @property
    def ref(self) -> PageRef:
        """The page."""
        return self.page.page.page.ref

    @property
    def is_over(self) -> bool:
        """True if no chunk is running or left to start."""
        return not self.left and not self.running


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkWork:
    """One chunk to write a context for, with its ``key``."""

    document: DocumentWork
    key: str
    chunk: Chunk


@dataclass(slots=True)
class Schedule:
    """Hands out the chunks of ``documents``. Safe to use from several threads."""

    documents: list[DocumentWork]
    is_closed: bool = False
    _changed: Condition = field(default_factory=Condition)

    def next(self, busy: Callable[[], bool]) -> ChunkWork | None:
        """Return the next chunk, or ``None`` if there is none left or work is to end.

        Waits while all chunks left belong to documents that are being read, and while the model is ``busy``.
        """
        with self._changed:
            while not self.is_closed:
                if busy():
                    self._changed.wait(POLL_SECONDS)
                    continue
                document = _first(self.documents)
                if document is not None:
                    document.running += 1
                    key, chunk = document.left.popleft()
                    return ChunkWork(document=document, key=key, chunk=chunk)
                if not any(each.left for each in self.documents):
                    return None
                self._changed.wait()
            return None

    def done(self, work: ChunkWork, *, resolved: bool) -> None:
        """Finish a chunk; ``resolved``: it got a context or failed for good."""
        with self._changed:
            work.document.running -= 1
            work.document.is_read = True
            if resolved:
                work.document.missing.discard(work.key)
            self._changed.notify_all()

    def close(self) -> None:
        """Stop handing out chunks."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()


def work_on(page: ContextedPage, excerpts: DocumentExcerpts, missing: Mapping[str, Chunk]) -> DocumentWork:
    """Return the work on a page that lacks the contexts of these chunks."""
    return DocumentWork(page=page, excerpts=excerpts, left=deque(missing.items()), missing=set(missing))


def _first(documents: Iterable[DocumentWork]) -> DocumentWork | None:
    """The first document that nobody has started, otherwise one that the endpoint has read."""
    waiting = [each for each in documents if each.left]
    fresh = (each for each in waiting if not each.is_read and not each.running)
    return next(fresh, next((each for each in waiting if each.is_read), None))
