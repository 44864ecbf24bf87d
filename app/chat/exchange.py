"""One question and its answer in a conversation: events as they come, and what is kept of them.

What was answered is kept before the reader learns that it is complete. A reader who leaves, and a service
that breaks, leave what came until then, as ``interrupted`` or ``failed``.
"""

from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

import structlog

from app.chat.cancelling import Cancellation
from app.chat.conversations import Begun, Conversations
from app.chat.events import Delta, Done, Event, Found, Searched, Status
from app.documents import Documents, answer_document, broken_document, source_documents
from app.errors import AuskunftError, ModelError, PageStoreUnavailableError

FAILED: Final = "error"

log = structlog.get_logger(__name__)


class Exchange:
    """Made by :meth:`app.visits.Visits.begin`. Its events are to be read to their end or closed,
    and itself in the end.

    ``begun``: the answer's id and its conversation's. ``sources``: once they were found, as documents.
    """

    def __init__(
        self,
        begun: Begun,
        question: str,
        events: Generator[Event, None, None],
        *,
        conversations: Conversations,
        cancellation: Cancellation,
        release: Callable[[], None],
    ) -> None:
        """``events``: the answer's, ``Searched`` has come; ``release``: called once it is over."""
        self.begun = begun
        self.sources: Documents = []
        self._found: Found | None = None
        self._text = ""
        self._begun = False
        self._question = question
        self._events = events
        self._conversations = conversations
        self._cancellation = cancellation
        self._release = release

    def leave(self) -> None:
        """Let the language model stop, from whatever thread; the events end soon after."""
        self._cancellation.request()

    def events(self) -> Generator[Event, None, None]:
        """``Found``, ``Delta``s, ``Done``. Raises what breaks on the way, after it was kept."""
        self._begun, kept = True, False
        try:
            for event in self._events:
                kept = self._note(event)
                yield event
        except ModelError:  # the reader has left: a model that fails is no error
            pass
        except AuskunftError as error:
            kept = self._keep_broken("failed", error.code)
            raise
        except Exception:
            kept = self._keep_broken("failed", FAILED)
            raise
        finally:
            self._end(kept=kept)

    def close(self) -> None:
        """End an exchange whose events nobody has begun to read; nothing otherwise."""
        if not self._begun:
            self._end(kept=False)

    def _end(self, *, kept: bool) -> None:
        try:
            self._events.close()
            if not kept:
                self._keep_broken("interrupted")
        finally:
            self._release()

    def _note(self, event: Event) -> bool:
        """Whether it ends the answer, which then is kept."""
        match event:
            case Found():
                self._found, self.sources = event, source_documents(event.question, event)
            case Delta():
                self._text += event.text
            case Done():
                self._keep(answer_document(self._question, event, self.sources))
                return True
        return False

    def _keep_broken(self, status: Status, code: str = "") -> bool:
        document = broken_document(
            self._question, self._text, self._found, self.sources, status=status, code=code
        )
        self._keep(document)
        return True

    def _keep(self, document: Mapping[str, Any]) -> None:
        """Without the page store the answer goes on, but cannot be read again."""
        try:
            self._conversations.finish(self.begun.answer, document)
        except PageStoreUnavailableError as error:
            log.warning("answer_not_kept", message=str(error))


def first_search(events: Generator[Event, None, None]) -> None:
    """Run to ``Searched``. Raises what makes an answer impossible."""
    first = next(events)
    if not isinstance(first, Searched):
        raise TypeError(f"the first event is {type(first).__name__}")
