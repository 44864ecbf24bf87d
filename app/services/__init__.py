"""The composition root: every service, built once from Settings, on first use.

Nothing is built at import time and nothing twice; ``close()`` ends child processes and releases locks. The
four groups of services are imported on use, because a command needs one or two, and importing all takes a
second.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Self, TypeVar

from app.errors import IndexUnavailableError
from app.feature import Feature, installed
from app.lazy import lazy
from app.presets import Preset
from app.queue.broker import Broker
from app.queue.tasks import CeleryQueue, Queue
from app.services.core import CoreServices
from app.settings.settings import Settings
from ingest import registry

if TYPE_CHECKING:
    from app.chat.offers import Offer
    from app.search.drafts import Objection
    from app.search.reranking import CircuitBreaker
    from app.search.site_retriever import SiteRetriever
    from app.search.translations import TermTable
    from app.search.types import IndexedPage
    from app.services.background import BackgroundServices
    from app.services.chat import ChatServices
    from app.services.indexing import IndexingServices
    from app.services.sources import SourceServices
    from app.settings.sites import SiteSettings


T = TypeVar("T")


class Services(CoreServices):
    """The services of one installation. Safe to use from several threads."""

    def __init__(self, settings: Settings, features: Sequence[Feature] | None = None) -> None:
        """``features``: the features to use; by default all installed ones. Raises ``PluginError``."""
        super().__init__(settings, installed() if features is None else features)
        self._of_features: dict[Callable[..., Any], Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End child processes, close files and sign off; the services cannot be used afterwards."""
        if "background" in self.__dict__:
            self.background.close()  # before the services that it uses, even those opened later
        self.opened.close()

    def start(self) -> None:
        """Run the start functions of features, in each process that serves or works."""
        for feature in self.features:
            if feature.start:
                resolve_name(feature.start)(self)

    def warm_up(self) -> None:
        """Let features prepare what a question would otherwise wait for."""
        for feature in self.features:
            if feature.warm_up:
                resolve_name(feature.warm_up)(self)

    def feature(self, kind: Callable[[Services], T]) -> T:
        """Return the services of a feature, built once by ``kind`` on first use."""
        if kind not in self._of_features:
            with self.lock:
                if kind not in self._of_features:
                    self._of_features[kind] = kind(self)
        built: T = self._of_features[kind]
        return built

    @lazy
    def indexing(self) -> IndexingServices:
        """The services that bring pages from the page store to the search index."""
        from app.services.indexing import IndexingServices  # noqa: PLC0415

        return IndexingServices(self)

    @lazy
    def sources(self) -> SourceServices:
        """The services of the configured sources, pushed or pulled."""
        from app.services.sources import SourceServices  # noqa: PLC0415

        return SourceServices(self)

    @lazy
    def chat(self) -> ChatServices:
        """The services that lead from a question to its answer."""
        from app.services.chat import ChatServices  # noqa: PLC0415

        return ChatServices(self)

    def offers(self, site: SiteSettings) -> list[Offer]:
        """Return the features' offers to visitors of a site whom an answer does not help."""
        named = (feature.offers for feature in self.features if feature.offers)
        made = (resolve_name(name)(self, site) for name in named)
        return [offer for offer in made if offer is not None]

    def objections(self, draft: IndexedPage, sources: Collection[str] | None) -> list[Objection]:
        """Return features' objections to a draft: pages of these sources (``None``: all) that contradict
        it."""
        named = (name for feature in self.features for name in feature.objections)
        return [each for name in named for each in resolve_name(name)(self, draft, sources)]

    @lazy
    def background(self) -> BackgroundServices:
        """The services that run in the background."""
        from app.services.background import BackgroundServices  # noqa: PLC0415

        return BackgroundServices(self)

    @lazy
    def queue(self) -> Queue:
        """The queue that wakes the indexing workers when pages come in."""
        broker = self.settings.broker_url.get_secret_value()
        if not broker:
            return self.background.worker
        queue = CeleryQueue(broker)
        self.opened.callback(queue.close)
        return queue

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        """Wake the indexing workers. Makes this object a :class:`app.queue.tasks.Queue`, for services that
        are built before the real one."""
        self.queue.wake(n_pages, interactive=interactive)

    @lazy
    def broker(self) -> Broker:
        """The broker through which workers are woken, if the settings name one."""
        broker = Broker(self.settings.broker_url.get_secret_value())
        self.opened.callback(broker.close)
        return broker

    @lazy
    def reranker(self) -> CircuitBreaker:
        """The settings' reranker, built when a preset first uses it. Raises ``UnknownPluginError``."""
        from app.search.reranking import CircuitBreaker  # noqa: PLC0415

        name = self.settings.reranker
        registry.factory("rerankers", name)  # an unknown name fails here
        options = self.settings.reranker_options(name)
        breaker = CircuitBreaker(lambda: registry.create("rerankers", name, **options))
        self.opened.callback(breaker.close)
        return breaker

    @lazy
    def terms(self) -> TermTable:
        """The translations of words: those that a feature has learned, if any, and a dictionary's."""
        from app.search.translations import KnownTerms  # noqa: PLC0415

        return KnownTerms(self.of_first_feature(feature.terms for feature in self.features))

    def retriever_of(self, preset: Preset) -> SiteRetriever:
        """Make the retriever of a preset. Raises ``SettingsError`` if the preset has no thresholds for the
        index's embedder, and ``UnknownPluginError`` if the reranker is unknown."""
        from app.services.retrieval import make_retriever  # noqa: PLC0415

        index, embedders = self.indexing.index, self.indexing.embedders
        with suppress(IndexUnavailableError):  # each question raises it again
            if live := index.live():
                preset.thresholds(live.recipe.embedder)
        return make_retriever(self, index, preset, embedders.for_questions)
