"""The services that visitors use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.chat.answerers import Answerers, RagPipeline, make_model
from app.chat.concurrency_limit import ConcurrencyLimit
from app.chat.conversations import Conversations
from app.chat.feedback import Feedback
from app.chat.questions import Questions
from app.chat.service import EMBEDDED_SEARCHES, SERVER_SEARCHES, ChatService
from app.chat.sites import Sites
from app.law.retriever import LawRetriever
from app.lazy import lazy
from app.pages.store import utc_now
from app.presets import Preset
from app.services.core import CoreServices

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel


class ChatServices:
    """Sites, what answers their visitors, and what is kept of it. ``retriever_of``: the retriever of a
    preset."""

    def __init__(self, core: CoreServices, retriever_of: Callable[[Preset], LawRetriever]) -> None:
        self.lock = core.lock
        self._core = core
        self._retriever_of = retriever_of

    @lazy
    def sites(self) -> Sites:
        """The websites whose visitors may ask."""
        return Sites(self._core.settings)

    @lazy
    def model(self) -> ChatModel | None:
        """The language model, if the settings name one."""
        return make_model(self._core.settings)

    @lazy
    def answerers(self) -> Answerers:
        """Each site's RAG pipeline."""
        return Answerers(self._core.settings, self.model, self._retriever_of)

    @lazy
    def default(self) -> RagPipeline:
        """The RAG pipeline of the installation's preset."""
        return self.answerers.default()

    @lazy
    def conversations(self) -> Conversations:
        """Questions and answers, by conversation."""
        return Conversations(self._core.engine, utc_now)

    @lazy
    def feedback(self) -> Feedback:
        """Visitors' ratings of answers."""
        return Feedback(self._core.engine, utc_now)

    @lazy
    def questions(self) -> Questions:
        """Questions and answers, for those who keep the pages."""
        return Questions(self._core.engine, utc_now)

    @lazy
    def limit(self) -> ConcurrencyLimit:
        """How many answers may be written at once."""
        return ConcurrencyLimit(self._core.settings.concurrent_answers)

    @lazy
    def service(self) -> ChatService:
        """Answers visitors' questions."""
        embedded = self._core.settings.index == "embedded"
        return ChatService(
            sites=self.sites,
            answerers=self.answerers,
            conversations=self.conversations,
            limit=self.limit,
            has_model=self.model is not None,
            searches=EMBEDDED_SEARCHES if embedded else SERVER_SEARCHES,
        )

    def leave(self) -> None:
        """Let the answers that are being written end."""
        if "service" in self.__dict__:
            self.service.leave()
