"""The services of the chat."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from threading import Semaphore
from typing import TYPE_CHECKING

from app.chat.answer_steps import AddedStep
from app.chat.conversations import Conversations
from app.chat.decisions import Decisions
from app.chat.energy import NO_ENERGY, AnswerEnergy
from app.chat.feedback import Feedback
from app.chat.grading import Grading
from app.chat.model.prompt_check import load_prompts
from app.chat.model.prompts import Prompts
from app.chat.options import ChatOptions
from app.chat.pipelines import RagPipeline, RagPipelines, make_model
from app.chat.service import EMBEDDED_SEARCHES, SERVER_SEARCHES, ChatService, ConcurrencyLimit
from app.chat.site_search import NoDecisions
from app.chat.sites import Sites, examples_shown
from app.lazy import lazy
from app.pages.database import utc_now
from app.pages.site_texts import SiteTextRecord
from app.settings.sites import MOST_EXAMPLES, SiteSettings

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel
    from app.services import Services


class ChatServices:
    """The chat service and the services that it needs."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @lazy
    def sites(self) -> Sites:
        """The websites with a chat."""
        return Sites(self._services.settings, self._changed_texts)

    def _changed_texts(self) -> Mapping[str, SiteTextRecord]:
        """The texts that admins changed. A function, so that the page store is only opened when needed."""
        return self._services.site_texts.all()

    @lazy
    def model(self) -> ChatModel | None:
        """The language model; ``None`` if the settings name none."""
        return make_model(self._services.settings)

    @lazy
    def prompts(self) -> Prompts:
        """The prompts from the settings' folder and the package. Raises ``SettingsError``."""
        return load_prompts(self._services.settings.chat.prompts)

    @lazy
    def decisions(self) -> Decisions:
        """Editors' decisions about answers, from the first feature that has any."""
        features = self._services.features
        made: Decisions | None = self._services.of_first_feature(each.decisions for each in features)
        return made or NoDecisions()

    def added_steps(self, options: ChatOptions) -> list[AddedStep]:
        """Return the steps that features add to the answers of a site."""
        named = [each for feature in self._services.features for each in feature.answer_steps]
        made = (AddedStep(resolve_name(make)(self._services, options), *place) for make, *place in named)
        return [each for each in made if each.step is not None]

    @lazy
    def pipelines(self) -> RagPipelines:
        """The sites' RAG pipelines."""
        services = self._services
        return RagPipelines(
            services.settings,
            services.presets,
            self.model,
            self.prompts,
            retriever_of=services.retriever_of,
            decisions=self.decisions,
            added=self.added_steps,
        )

    def examples(self, site: SiteSettings, language: str) -> list[str]:
        """Return the example questions of a site's chat in ``language``, or all if none are in it."""
        return examples_shown(self.decisions.examples(site), language)[:MOST_EXAMPLES]

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
        return Conversations(self._services.engine, utc_now, self.energy.amounts)

    @lazy
    def feedback(self) -> Feedback:
        """Visitors' ratings of answers."""
        return Feedback(self._services.engine)

    @lazy
    def energy(self) -> AnswerEnergy:
        """The measurement of the energy that answers take, from a feature if one has it."""
        features = self._services.features
        known: AnswerEnergy | None = self._services.of_first_feature(each.energy for each in features)
        return known or NO_ENERGY

    @lazy
    def grading(self) -> Grading | None:
        """How answers are graded later, by the first feature that does it."""
        features = self._services.features
        known: Grading | None = self._services.of_first_feature(each.grading for each in features)
        return known

    @property
    def shows_energy(self) -> bool:
        """True if the answers of any site state the energy that they took."""
        return any(site.energy for site in self.sites.all())

    @lazy
    def limit(self) -> ConcurrencyLimit:
        """The limit on answers that are written at the same time."""
        return ConcurrencyLimit(self._services.settings.concurrent_answers)

    @lazy
    def service(self) -> ChatService:
        """The service that answers visitors' questions."""
        settings = self._services.settings
        embedded = settings.index == "embedded"
        return ChatService(
            sites=self.sites,
            pipelines=self.pipelines,
            conversations=self.conversations,
            limit=self.limit,
            has_model=self.model is not None,
            searches=Semaphore(EMBEDDED_SEARCHES if embedded else SERVER_SEARCHES),
            meter=self.energy.meter if self.shows_energy else None,
            keeps_contexts=self.grading is not None,
        )

    def is_answering(self) -> bool:
        """Return True while this process writes an answer."""
        return "limit" in self.__dict__ and self.limit.is_used

    def cancel_answers(self) -> None:
        """Cancel the answers that are being written."""
        if "service" in self.__dict__:
            self.service.cancel_answers()
