"""One question and its answer: streams the events, and stores the answer.

The answer is stored before its ``DoneEvent`` is sent. If the visitor leaves, or the service fails, the text
so far is stored as ``interrupted`` or ``failed``.
"""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

import structlog

from app.chat.conversations import AnswerRecord, Conversations, PendingAnswer
from app.chat.documents import AnswerDocument, SourcesJson, source_documents
from app.chat.energy import Energy, Measurement
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.model.cancellation import Cancellation
from app.chat.provenance import AnswerSetup, provenance_of, storable_vector
from app.chat.source_items import read_texts
from app.chat.text.citations import cited_in
from app.chat.text.draft import draft
from app.chat.text.render import SOURCE_ANCHOR, BlockRenderer, renderer_of
from app.errors import AuskunftError, DataFolderError, ModelError, PageStoreUnavailableError, UnwritableError

FAILED: Final = "error"
STORE_RETRY_SECONDS: Final = (0.2, 1.0)
"""Pauses between attempts to store an answer while the page store is unavailable."""

log = structlog.get_logger(__name__)


class Exchange:
    """One question and its answer, made by :meth:`app.chat.service.ChatService.begin`.

    Callers iterate over the events to their end or close them, and finally call :meth:`close`. ``pending``:
    the ids of the answer and its conversation. ``question``: as stored. ``sources``: documents, after the
    ``SourcesEvent``. ``document``: the stored answer, after the last event.
    """

    def __init__(
        self,
        pending: PendingAnswer,
        question: str,
        events: Generator[Event, None, None],
        *,
        conversations: Conversations,
        cancellation: Cancellation,
        measurement: Measurement | None,
        release: Callable[[], None],
        setup: AnswerSetup,
        started: float,
        keeps_context: bool = False,
    ) -> None:
        """``events``: those after ``StartEvent``. ``measurement``: of the answer's energy, if it is shown.
        ``release``: called once at the end. ``keeps_context``: True if the sources' texts in the prompt are
        stored, too. ``setup``: stored with the answer. ``started``: the question's arrival, by the monotonic
        clock."""
        self.pending = pending
        self.question = question
        self.sources: SourcesJson = []
        self.document: Mapping[str, Any] = {}
        self._sources_event = SourcesEvent(question=question)
        self._text = ""
        self._started = started
        self._first_text: float | None = None
        self._is_read = False
        self._events = events
        self._conversations = conversations
        self._cancellation = cancellation
        self._measurement = measurement
        self._release = release
        self._keeps_context = keeps_context
        self._setup = setup

    def cancel(self) -> None:
        """Stop the language model, from any thread; the events end soon after."""
        self._cancellation.request()

    def events(self) -> Generator[Event, None, None]:
        """Yield ``SourcesEvent``, ``DeltaEvent``s, ``DoneEvent``. Errors are raised after the answer was
        stored as failed."""
        self._is_read = True
        try:
            for event in map(self._with_energy, self._events):
                self._record(event)
                yield event
        except ModelError:  # cancelled: the visitor has left, or the server stops
            pass
        except AuskunftError as error:
            self._store_partial("failed", error.code)
            raise
        except Exception:
            self._store_partial("failed", FAILED)
            raise
        finally:
            self._end()

    def rendered_events(
        self, anchor: str = SOURCE_ANCHOR
    ) -> Generator[tuple[Event, Sequence[str], str], None, None]:
        """Yield the events, each with the HTML of the blocks that it completes (:class:`BlockRenderer`) and
        the plain text of the block that is still being written."""
        renderer = BlockRenderer()
        with closing(self.events()) as events:
            for event in events:
                match event:
                    case DeltaEvent():
                        blocks = list(renderer.feed(event.text))
                        yield event, blocks, draft(renderer.pending)
                    case DoneEvent():
                        yield event, list(renderer.close()), ""
                    case _:
                        renderer = renderer_of(self.sources, anchor, all_links=self._is_editors_text)
                        yield event, (), ""

    def close(self) -> None:
        """End an exchange whose events were never iterated over. Otherwise do nothing."""
        if not self._is_read:
            self._end()

    def _end(self) -> None:
        try:
            self._cancellation.request()
            self._events.close()
            self._store_partial("interrupted")
        finally:
            self._release()

    def _with_energy(self, event: Event) -> Event:
        """Return the event; a ``DoneEvent`` with the energy of the answer."""
        return replace(event, energy=self._energy()) if isinstance(event, DoneEvent) else event

    @property
    def _is_editors_text(self) -> bool:
        curated = self._sources_event.curated
        return curated is not None and curated.is_text

    def _energy(self) -> Energy | None:
        return None if self._measurement is None else self._measurement.end()

    def _record(self, event: Event) -> None:
        match event:
            case SourcesEvent():
                self._sources_event, self.sources = event, source_documents(event.question, event)
            case DeltaEvent():
                if self._first_text is None:
                    self._first_text = time.monotonic() - self._started
                self._text += event.text
            case DoneEvent():
                document = AnswerDocument.of(self.question, event, self.sources)
                self._store(document, event, self._context(event))

    def _context(self, done: DoneEvent) -> Sequence[str] | None:
        """Return the sources' texts in the prompt if they are kept, otherwise None. They are kept for grades,
        and an answer that editors wrote is not graded."""
        is_written = done.curated is not None and done.curated.is_text
        return read_texts(done.sources) if self._keeps_context and not is_written else None

    def _store_partial(self, status: Status, code: str = "") -> None:
        """Store the text so far, unless the answer is stored already. ``code``: the error's."""
        if self.document:
            return
        searched = self._sources_event
        numbers = {source.number for source in searched.sources if source.number is not None}
        done = DoneEvent(
            answer=self._text,
            status=status,
            mode=searched.mode,
            time=searched.time,
            degraded=searched.degraded,
            sources=searched.sources,
            citations=cited_in(self._text, numbers),
            energy=self._energy(),
            curated=searched.curated,
            retrieval=searched.retrieval,
            language=searched.language,
        )
        self._store(AnswerDocument.of(self.question, done, self.sources, code), done)

    def _store(self, document: AnswerDocument, done: DoneEvent, context: Sequence[str] | None = None) -> None:
        """Store the document. If that fails, the answer still reaches the visitor, but is lost afterwards."""
        self.document = document.to_json()
        record = replace(_record(done, self._setup), first_text=self._first_text)
        for seconds in (*STORE_RETRY_SECONDS, None):
            try:
                self._conversations.finish(self.pending.answer, self.document, context, record=record)
            except UnwritableError as error:  # another attempt would only delay the visitor
                log.warning("answer_not_stored", message=str(error))
                return
            except (PageStoreUnavailableError, DataFolderError) as error:
                log.warning("answer_not_stored", message=str(error))
            else:
                return
            if seconds is None:
                return
            time.sleep(seconds)


def _record(done: DoneEvent, setup: AnswerSetup) -> AnswerRecord:
    recipe, vector = storable_vector(done.retrieval)
    return AnswerRecord(
        language=done.language,
        recipe=recipe,
        vector=vector,
        provenance=provenance_of(done, setup),
    )


def run_first_search(events: Generator[Event, None, None]) -> None:
    """Run the events up to ``StartEvent``. Raises the errors of the question and of the first search."""
    first = next(events)
    if not isinstance(first, StartEvent):
        raise TypeError(f"the first event is {type(first).__name__}")
