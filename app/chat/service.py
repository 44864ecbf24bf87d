"""The chat service: answers visitors' questions, a limited number at a time, and stores the answers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock, Semaphore
from typing import Final

import structlog

from app.chat.conversations import Conversations, PendingAnswer
from app.chat.energy import Measurement, Meter
from app.chat.exchange import Exchange, run_first_search
from app.chat.model.cancellation import Cancellation
from app.chat.pipelines import RagPipelines
from app.chat.redaction import redacted
from app.chat.sites import Sites
from app.chat.types import Turn
from app.errors import AuskunftError, FloodError, UnwritableError
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Degradation, TimeFilter
from app.settings.sites import SiteSettings
from ingest.spans import spanned

log = structlog.get_logger(__name__)

EMBEDDED_SEARCHES: Final = 2
SERVER_SEARCHES: Final = 16
"""Limits of first searches that run at the same time. With the embedded index more of them slow each other
down (docs/performance.md); with a server they only wait."""

RETENTION: Final = timedelta(days=30)
"""The retention of conversations of sites that are no longer in the settings."""

RETRY_SECONDS: Final = 5
VISITOR_SHARE: Final = 4
"""One visitor may have at most 1/4 of the capacity, but always one answer."""


class ConcurrencyLimit:
    """A semaphore for answers with ``capacity`` slots, of which each visitor has a share. Thread-safe."""

    def __init__(self, capacity: int) -> None:
        self._lock = Lock()
        self._free = capacity
        self._per_visitor = max(1, capacity // VISITOR_SHARE)
        self._used: Counter[str] = Counter()

    def acquire(self, visitor: str = "") -> Callable[[], None]:
        """Take a slot, and return the function that releases it. Further calls of that function do nothing.

        Raises ``FloodError`` if no slot is free or the ``visitor`` has used up their share. An unnamed
        visitor is not limited by a share.
        """
        with self._lock:
            if not self._free or (visitor and self._used[visitor] >= self._per_visitor):
                raise FloodError(RETRY_SECONDS)
            self._free -= 1
            self._used[visitor] += 1
        visitors = [visitor]

        def release() -> None:
            with self._lock:
                while visitors:
                    self._free += 1
                    self._used -= Counter([visitors.pop()])

        return release

    @property
    def is_used(self) -> bool:
        """True while any answer is being written."""
        with self._lock:
            return self._used.total() > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorQuestion:
    """A visitor's question. ``language``: ISO 639-1, detected if not given. ``sources``: the sources to
    search. ``time``: the time whose law is searched. ``filters``: on fields, for this question only.
    ``history``: the earlier turns, if the calling program keeps the conversation instead of us."""

    question: str
    conversation: str | None = None
    language: str | None = None
    sources: frozenset[str] = frozenset()
    time: TimeFilter = ANY_TIME
    filters: Filters = ()
    history: tuple[Turn, ...] = ()


@dataclass(kw_only=True, eq=False)
class ChatService:
    """Answers the questions of each site's visitors. ``searches``: limits the first searches that run at the
    same time. ``meter``: measures the energy of answers. ``keeps_contexts``: True if the sources' texts in
    prompts are stored for grades. Thread-safe."""

    sites: Sites
    pipelines: RagPipelines
    conversations: Conversations
    limit: ConcurrencyLimit
    has_model: bool
    searches: Semaphore
    meter: Meter | None = None
    keeps_contexts: bool = False
    _running: set[Cancellation] = field(default_factory=set, init=False)

    def begin(self, site: SiteSettings, request: VisitorQuestion, visitor: str = "") -> Exchange:
        """Begin an answer: validate the question, store it, and run the first search.

        ``visitor``: uses a share of the concurrency limit; empty for a client without a share.
        Raises ``FloodError``, ``QuestionError``, ``NotFoundError`` and ``ConflictError`` (the conversation),
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        release = self.limit.acquire(visitor)
        measurement = None if self.meter is None else self.meter.begin()

        def end() -> None:
            if measurement is not None:
                measurement.end()
            release()

        try:
            return self._begin_answer(site, request, end, measurement if site.energy else None)
        except BaseException:
            end()
            raise

    def _begin_answer(
        self,
        site: SiteSettings,
        request: VisitorQuestion,
        release: Callable[[], None],
        measurement: Measurement | None,
    ) -> Exchange:
        started = time.monotonic()
        answerer = self.pipelines.of(site).answerer
        question = answerer.check(request.question)
        stored_text = redacted(question)
        pending = self._store_question(site, stored_text, request.conversation)
        setup = self.pipelines.setup_of(
            site,
            sources=request.sources,
            language=request.language,
            time=request.time,
            filters=request.filters,
        )
        cancellation = Cancellation()
        answering = answerer.stream(
            question,
            history=pending.history or request.history,
            language=request.language,
            sources=request.sources,
            time=request.time,
            filters=request.filters,
            model_disabled=self._model_disabled(site, pending),
            cancellation=cancellation,
            tokens=None if measurement is None else measurement.tokens,
        )
        events = spanned("question", answering, site=site.key, preset=setup.preset)
        try:
            with self.searches:
                run_first_search(events)
        except BaseException:
            cancellation.request()
            events.close()
            self._discard(pending)
            raise
        self._running.add(cancellation)

        def end() -> None:
            self._running.discard(cancellation)
            release()

        return Exchange(
            pending,
            stored_text,
            events,
            conversations=self.conversations,
            cancellation=cancellation,
            measurement=measurement,
            setup=setup,
            started=started,
            release=end,
            keeps_context=self.keeps_contexts,
        )

    def _store_question(self, site: SiteSettings, question: str, conversation: str | None) -> PendingAnswer:
        """Store the question. If that fails, it is still answered."""
        try:
            return self.conversations.begin(site.key, question, conversation)
        except UnwritableError as error:
            log.warning("answer_not_stored", message=str(error))
            return self.conversations.begin_unstored(site.key, conversation)

    def _discard(self, pending: PendingAnswer) -> None:
        try:
            self.conversations.discard(pending)
        except AuskunftError as error:  # the caller raises the error that came before
            log.warning("answer_not_discarded", message=str(error))

    def cancel_answers(self) -> None:
        """Cancel the answers that are being written, because the server stops."""
        for cancellation in self._running.copy():
            cancellation.request()

    def _model_disabled(self, site: SiteSettings, pending: PendingAnswer) -> Degradation | None:
        """Return the reason why the model must not be called, or None if it may be called."""
        return "daily_limit" if self.has_model and pending.questions_today > site.daily_answers else None

    def delete_expired(self) -> None:
        """Delete the conversations that are older than their site's retention."""
        retentions = {site.key: timedelta(days=site.retention_days) for site in self.sites.all()}
        self.conversations.expire(retentions, otherwise=RETENTION)
