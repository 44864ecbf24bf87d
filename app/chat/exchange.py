"""One question and its answer in a conversation: events as they come, and what is kept of them.

What was answered is kept before the reader learns that it is complete. A reader who leaves, and a service
that breaks, leave what came until then, as ``interrupted`` or ``failed``.
"""

import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from typing import Any, Final

import structlog

from app.chat.conversations import Conversations, PendingAnswer
from app.chat.documents import Documents, answer_document, source_documents
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.model.cancellation import Cancellation
from app.chat.text.render import SOURCE_ANCHOR, BlockRenderer, renderer_of
from app.errors import (
    AuskunftError,
    DataFolderError,
    ModelError,
    PageStoreUnavailableError,
    UnwritableError,
)

FAILED: Final = "error"
KEEPING_SECONDS: Final = (0.2, 1.0)
"""Pauses before what was answered is written again where the page store was away."""

log = structlog.get_logger(__name__)


class Exchange:
    """Made by :meth:`app.chat.service.ChatService.begin`. Its events are to be read to their end or closed,
    and itself in the end.

    ``begun``: the answer's id and its conversation's. ``question``: as it is kept. ``sources``: once they
    were found, as documents; ``document``: the answer as it was kept, whole or not, once it is over.
    """

    def __init__(
        self,
        begun: PendingAnswer,
        question: str,
        events: Generator[Event, None, None],
        *,
        conversations: Conversations,
        cancellation: Cancellation,
        release: Callable[[], None],
    ) -> None:
        """``events``: the answer's, ``StartEvent`` has come; ``release``: called once it is over."""
        self.begun = begun
        self.question = question
        self.sources: Documents = []
        self.document: Mapping[str, Any] = {}
        self._found = SourcesEvent(question=question, mode=None, degraded=(), sources=())
        self._text = ""
        self._is_read = False
        self._events = events
        self._conversations = conversations
        self._cancellation = cancellation
        self._release = release

    def leave(self) -> None:
        """Let the language model stop, from whatever thread; the events end soon after."""
        self._cancellation.request()

    def events(self) -> Generator[Event, None, None]:
        """``SourcesEvent``, ``DeltaEvent``s, ``DoneEvent``. Raises what breaks on the way, after it was
        kept."""
        self._is_read = True
        try:
            for event in self._events:
                self._note(event)
                yield event
        except ModelError:  # the reader has left: a model that fails is no error
            pass
        except AuskunftError as error:
            self._keep_broken("failed", error.code)
            raise
        except Exception:
            self._keep_broken("failed", FAILED)
            raise
        finally:
            self._end()

    def rendered(self, anchor: str = SOURCE_ANCHOR) -> Generator[tuple[Event, Iterable[str]], None, None]:
        """The events, each with the HTML of the blocks that it makes final (:class:`BlockRenderer`)."""
        renderer = BlockRenderer()
        with closing(self.events()) as events:
            for event in events:
                match event:
                    case DeltaEvent():
                        yield event, renderer.feed(event.text)
                    case DoneEvent():
                        yield event, renderer.close()
                    case _:
                        renderer = renderer_of(self.sources, anchor)
                        yield event, ()

    def close(self) -> None:
        """End an exchange whose events nobody has begun to read; nothing otherwise."""
        if not self._is_read:
            self._end()

    def _end(self) -> None:
        try:
            self._cancellation.request()
            self._events.close()
            self._keep_broken("interrupted")
        finally:
            self._release()

    def _note(self, event: Event) -> None:
        match event:
            case SourcesEvent():
                self._found, self.sources = event, source_documents(event.question, event)
            case DeltaEvent():
                self._text += event.text
            case DoneEvent():
                self._keep(answer_document(self.question, event, self.sources))

    def _keep_broken(self, status: Status, code: str = "") -> None:
        """What came until now, unless the answer was kept already; ``code``: what broke."""
        if self.document:
            return
        found = self._found
        done = DoneEvent(
            answer=self._text,
            status=status,
            mode=found.mode,
            time=found.time,
            degraded=found.degraded,
            model=None,
            sources=found.sources,
            citations=(),
        )
        self._keep(answer_document(self.question, done, self.sources) | ({"code": code} if code else {}))

    def _keep(self, document: Mapping[str, Any]) -> None:
        """Without the page store the answer goes on, but cannot be read again."""
        self.document = document
        for seconds in (*KEEPING_SECONDS, None):
            try:
                self._conversations.finish(self.begun.answer, document)
            except UnwritableError as error:  # which a reader need not wait for
                log.warning("answer_not_kept", message=str(error))
                return
            except (PageStoreUnavailableError, DataFolderError) as error:
                log.warning("answer_not_kept", message=str(error))
            else:
                return
            if seconds is None:
                return
            time.sleep(seconds)


def first_search(events: Generator[Event, None, None]) -> None:
    """Run to ``StartEvent``. Raises what makes an answer impossible."""
    first = next(events)
    if not isinstance(first, StartEvent):
        raise TypeError(f"the first event is {type(first).__name__}")
