"""The services of the chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Semaphore
from typing import TYPE_CHECKING

from app.chat.answer_steps import AddedStep
from app.chat.conversations import Conversations
from app.chat.decisions import Decisions
from app.chat.energy import AnswerEnergy
from app.chat.feedback import Feedback
from app.chat.model.prompt_check import load_prompts
from app.chat.model.prompts import Prompts
from app.chat.options import ChatOptions
from app.chat.pipelines import RagPipeline, RagPipelines, make_model
from app.chat.service import EMBEDDED_SEARCHES, SERVER_SEARCHES, ChatService, ConcurrencyLimit
from app.chat.sites import Sites, examples_shown
from app.lazy import lazy
from app.pages.database import utc_now
from app.pages.site_texts import SiteTextRecord
from app.presets import Preset
from app.search.index import SearchIndex
from app.search.site_retriever import SiteRetriever
from app.services.core import CoreServices
from app.settings.sites import MOST_EXAMPLES, SiteSettings

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel


class ChatServices:
    """Builds the chat service and what it needs. ``retriever_of``: gives a preset's retriever;
    ``decisions``: those of editors about answers; ``index``: opens the search index; ``energy``: gives what
    is known of the energy of answers; ``added_steps``: those of features for the answers of a site."""

    def __init__(
        self,
        core: CoreServices,
        *,
        retriever_of: Callable[[Preset], SiteRetriever],
        decisions: Decisions,
        index: Callable[[], SearchIndex],
        energy: Callable[[], AnswerEnergy],
        added_steps: Callable[[ChatOptions], list[AddedStep]],
    ) -> None:
        self.lock = core.lock
        self._core = core
        self._retriever_of = retriever_of
        self._decisions = decisions
        self._index = index
        self._energy = energy
        self.added_steps = added_steps

    @lazy
    def sites(self) -> Sites:
        """The websites with a chat."""
        return Sites(self._core.settings, self._changed_texts)

    def _changed_texts(self) -> Mapping[str, SiteTextRecord]:
        """What admins changed; the page store is not opened before somebody asks."""
        return self._core.site_texts.all()

    @lazy
    def model(self) -> ChatModel | None:
        """The language model; ``None`` if the settings name none."""
        return make_model(self._core.settings)

    @lazy
    def prompts(self) -> Prompts:
        """The prompts, of the settings' folder and the package. Raises ``SettingsError``."""
        return load_prompts(self._core.settings.chat.prompts)

    @lazy
    def pipelines(self) -> RagPipelines:
        """The sites' RAG pipelines."""
        core = self._core
        return RagPipelines(
            core.settings,
            core.presets,
            self.model,
            self.prompts,
            retriever_of=self._retriever_of,
            decisions=self._decisions,
            added=self.added_steps,
        )

    def examples(self, site: SiteSettings, language: str) -> list[str]:
        """The example questions of a site's chat in ``language``, else all."""
        return examples_shown(self._decisions.examples(site), language)[:MOST_EXAMPLES]

    def check_presets(self) -> None:
        """Raise for the first site that cannot answer, as :meth:`RagPipelines.check` does."""
        for site in self.sites.all():
            for variant in site.variants():
                self.pipelines.check(variant)

    @lazy
    def default(self) -> RagPipeline:
        """The RAG pipeline of the installation's preset."""
        return self.pipelines.default()

    @lazy
    def conversations(self) -> Conversations:
        """The stored conversations."""
        return Conversations(self._core.engine, utc_now, self.energy.amounts)

    @lazy
    def feedback(self) -> Feedback:
        """Visitors' ratings of answers."""
        return Feedback(self._core.engine)

    @lazy
    def energy(self) -> AnswerEnergy:
        """What is known of the energy that answers take."""
        return self._energy()

    @property
    def shows_energy(self) -> bool:
        """True if a site's answers say what energy they took."""
        return any(site.energy for site in self.sites.all())

    @lazy
    def limit(self) -> ConcurrencyLimit:
        """The limit of answers that are written at the same time."""
        return ConcurrencyLimit(self._core.settings.concurrent_answers)

    @lazy
    def service(self) -> ChatService:
        """The service that answers visitors' questions."""
        settings = self._core.settings
        embedded = settings.index == "embedded"
        return ChatService(
            sites=self.sites,
            pipelines=self.pipelines,
            conversations=self.conversations,
            limit=self.limit,
            has_model=self.model is not None,
            searches=Semaphore(EMBEDDED_SEARCHES if embedded else SERVER_SEARCHES),
            meter=self.energy.meter if self.shows_energy else None,
            keeps_contexts=settings.judge.live_answers > 0,
        )

    def is_answering(self) -> bool:
        """True while this process writes an answer."""
        return "limit" in self.__dict__ and self.limit.is_used

    def cancel_answers(self) -> None:
        """Cancel the answers that are being written."""
        if "service" in self.__dict__:
            self.service.cancel_answers()
