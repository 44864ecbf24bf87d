"""What visitors use: their sites, what answers them and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from threading import Semaphore
from typing import Final

import structlog

from app.chat.answerers import Answerers
from app.chat.concurrency_limit import ConcurrencyLimit
from app.chat.conversations import Conversations, PendingAnswer
from app.chat.exchange import Exchange, first_search
from app.chat.model.cancellation import Cancellation
from app.chat.redaction import redacted
from app.chat.sites import Sites
from app.errors import AuskunftError, UnwritableError
from app.search.types import ANY_TIME, Degradation, TimeFilter
from app.settings.sites import SiteSettings

log = structlog.get_logger(__name__)

EMBEDDED_SEARCHES: Final = 2
SERVER_SEARCHES: Final = 16
"""First searches at once: more of them hold each other up (docs/performance.md); those of a server wait for
it, not for the processor."""

RETENTION: Final = timedelta(days=30)
"""Of conversations of sites that are not in the settings any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorQuestion:
    """A visitor's question. ``language``: ISO 639-1, guessed if not given. ``sources``: to answer from."""

    question: str
    conversation: str | None = None
    language: str | None = None
    sources: frozenset[str] = frozenset()
    time: TimeFilter = ANY_TIME


class ChatService:
    """Answers the questions of each site's visitors. ``searches``: how many first searches may run at once.
    Safe to use from several threads."""

    def __init__(
        self,
        *,
        sites: Sites,
        answerers: Answerers,
        conversations: Conversations,
        limit: ConcurrencyLimit,
        has_model: bool,
        searches: int,
    ) -> None:
        self._sites = sites
        self._answerers = answerers
        self._conversations = conversations
        self._limit = limit
        self._has_model = has_model
        self._searches = Semaphore(searches)
        self._running: set[Cancellation] = set()

    def begin(self, site: SiteSettings, asked: VisitorQuestion, visitor: str = "") -> Exchange:
        """Begin to answer: everything that can be wrong with the question, and a first search, are over.

        ``visitor``: who must leave places to others; nobody if empty.
        Raises ``FloodError``, ``QuestionError``, ``NotFoundError`` and ``ConflictError`` (the conversation),
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        release = self._limit.take(visitor)
        try:
            return self._begun(site, asked, release)
        except BaseException:
            release()
            raise

    def _begun(self, site: SiteSettings, asked: VisitorQuestion, release: Callable[[], None]) -> Exchange:
        answerer = self._answerers.of(site).answerer
        question = answerer.check(asked.question)
        kept = redacted(question)
        begun = self._remembered(site, kept, asked.conversation)
        cancellation = Cancellation()
        events = answerer.stream(
            question,
            history=begun.history,
            language=asked.language,
            sources=asked.sources,
            time=asked.time,
            withheld=self._withheld(site, begun),
            cancellation=cancellation,
        )
        try:
            with self._searches:
                first_search(events)
        except BaseException:
            cancellation.request()
            events.close()
            self._discard(begun)
            raise
        self._running.add(cancellation)

        def end() -> None:
            self._running.discard(cancellation)
            release()

        return Exchange(
            begun,
            kept,
            events,
            conversations=self._conversations,
            cancellation=cancellation,
            release=end,
        )

    def _remembered(self, site: SiteSettings, question: str, conversation: str | None) -> PendingAnswer:
        """What cannot be kept is answered all the same."""
        try:
            return self._conversations.begin(site.key, question, conversation)
        except UnwritableError as error:
            log.warning("answer_not_kept", message=str(error))
            return self._conversations.recall(site.key, conversation)

    def _discard(self, begun: PendingAnswer) -> None:
        try:
            self._conversations.discard(begun)
        except AuskunftError as error:  # of two errors the first counts
            log.warning("answer_not_discarded", message=str(error))

    def leave(self) -> None:
        """Let the answers that are being written end, as the server does."""
        for cancellation in self._running.copy():
            cancellation.request()

    def _withheld(self, site: SiteSettings, begun: PendingAnswer) -> Degradation | None:
        """Why the model must not be asked."""
        return "daily_limit" if self._has_model and begun.today > site.daily_answers else None

    def forget(self) -> None:
        """Delete the conversations that are older than their sites keep them."""
        retentions = {site.key: timedelta(days=site.retention_days) for site in self._sites.all()}
        self._conversations.expire(retentions, otherwise=RETENTION)
