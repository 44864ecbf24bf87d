"""Plans the chunk that is next, for several threads. Pure functions.

A document's first chunk goes alone, so that its endpoint has read the document when the others come; until
then threads turn to other documents.
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
    """The chunks of one page that lack contexts: those ``left`` to be begun, how many are ``running``, and
    the keys of those that are ``missing``: they have neither got one nor failed for good. ``is_read``: True
    once the endpoint has replied to the first."""

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
        """True if nothing of it is running or to be started."""
        return not self.left and not self.running


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkWork:
    """One chunk to be written a context for, by its ``key``."""

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
        """The next chunk; waits while it has to be one of a document that is being read, and while the model
        is ``busy``. ``None``: there is none, or work is to end."""
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
        """End a chunk; ``resolved``: it got a context or failed for good."""
        with self._changed:
            work.document.running -= 1
            work.document.is_read = True
            if resolved:
                work.document.missing.discard(work.key)
            self._changed.notify_all()

    def close(self) -> None:
        """Hand out no more."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()


def work_on(page: ContextedPage, excerpts: DocumentExcerpts, missing: Mapping[str, Chunk]) -> DocumentWork:
    """The work on a page with these chunks missing."""
    return DocumentWork(page=page, excerpts=excerpts, left=deque(missing.items()), missing=set(missing))


def _first(documents: Iterable[DocumentWork]) -> DocumentWork | None:
    """The first document that a thread can begin, else one whose text has been read."""
    waiting = [each for each in documents if each.left]
    fresh = (each for each in waiting if not each.is_read and not each.running)
    return next(fresh, next((each for each in waiting if each.is_read), None))
