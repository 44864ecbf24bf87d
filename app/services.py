"""The composition root: every part, built once from Settings, on first use.

Nothing is built at import time and nothing twice; ``close()`` ends child processes and releases locks.
"""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sqlalchemy import URL

from app.background.embedded_worker import EmbeddedWorker
from app.background.maintenance import Maintenance
from app.background.steps import BackgroundSteps
from app.chat.answer import Answerer
from app.chat.service import ChatService
from app.errors import DataFolderError, IndexUnavailableError
from app.indexing.chunkers import make_chunker
from app.indexing.embedders import Embedders
from app.indexing.generations import Generations, check_place
from app.indexing.indexer import Indexer, PageWriter
from app.indexing.rebuild import Rebuilder
from app.indexing.rebuild_queue import RebuildQueue
from app.indexing.retry import Retry
from app.indexing.stopping import Stop
from app.law.retriever import make_retriever
from app.lazy import part
from app.pages.counters import Counters
from app.pages.database import sqlite_url
from app.pages.rebuilds import RebuildLog
from app.pages.store import PageStore, utc_now
from app.pages.vectors import SqlVectorCache
from app.pages.workers import WorkerRegistry
from app.pages.writability import DiskCheck
from app.presets import Preset, load_preset
from app.queue.broker import Broker
from app.queue.tasks import CeleryQueue, Queue
from app.search.embedded import EmbeddedIndex
from app.search.index import SearchIndex
from app.search.retriever import Retriever
from app.search.types import Generation, GenerationRecipe
from app.settings.settings import Settings
from app.sources.rate_limit import RateLimiter
from app.sources.webhook import WebhookReceiver
from app.supply import Supply
from ingest.converters.process import ConverterProcess
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.pipeline import Pipeline
from ingest.protocols import Chunker, Embedder, Recipe

if TYPE_CHECKING:
    from app.search.elastic import ElasticIndex


class Services:
    """The parts of one installation. Safe to use from several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End child processes, close files and sign off; the services cannot be used afterwards."""
        if "embedded_worker" in self.__dict__:
            self.embedded_worker.close()  # before the parts it works with, which may be younger
        self._open.close()

    @part
    def data(self) -> Path:
        """The data folder, made if needed."""
        folder = self.settings.data
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = f"{error.strerror}: choose another by AUSKUNFT_DATA"
            raise DataFolderError(f"data folder {folder} cannot be made: {reason}") from error
        return folder

    @part
    def preset(self) -> Preset:
        """The installation's preset."""
        return load_preset(self.settings.preset).with_thresholds(self.settings.thresholds)

    @property
    def database(self) -> str | URL:
        """Where the page store lives: on the settings' server, else in the data folder."""
        return self.settings.database_url.get_secret_value() or sqlite_url(self.data / "pages.sqlite")

    @part
    def store(self) -> PageStore:
        """The page store."""
        store = PageStore(self.database, lease_seconds=self.settings.lease_seconds)
        self._open.callback(store.engine.dispose)
        return store

    @part
    def disk(self) -> DiskCheck:
        """What asks whether anything can be written."""
        return DiskCheck(self.data, lambda: self.store.engine)

    @part
    def index(self) -> SearchIndex:
        """The search index, with the pages in it: a new installation gets an empty live generation.

        Raises ``IndexUnavailableError`` where the pages are in another index than the settings name.
        """
        # An installation in use opens its index although the server is away: what asks says so.
        if self.generations.is_new():
            with self._exclusively("index.lock"):
                self.generations.create_first(lambda: self.recipe)
        check_place(self.store, self.generations.place)
        return self.opened_index

    @part
    def generations(self) -> Generations:
        """What makes and drops the index's generations."""
        name = self.settings.index
        place = name if name == "embedded" else f"{name} {self.settings.elasticsearch_prefix}"
        return Generations(store=self.store, index=self.opened_index, workers=self.workers, place=place)

    @part
    def opened_index(self) -> SearchIndex:
        """The search index that the settings name, whatever is in it."""
        index = self._make_index()
        self._open.callback(index.close)
        return index

    def _make_index(self) -> EmbeddedIndex | ElasticIndex:
        if self.settings.index == "embedded":
            return EmbeddedIndex(self.data / "index")
        from app.search.elastic import ElasticIndex  # noqa: PLC0415 - its client takes long to import

        return ElasticIndex(self.settings)

    @part
    def workers(self) -> WorkerRegistry:
        """This process among those that write."""
        workers = WorkerRegistry(self.data / "workers")
        self._open.callback(workers.close)
        return workers

    def release_dead(self) -> None:
        """Take back what workers of this machine held when they died."""
        self.workers.release_dead(self.store.release)

    @part
    def embedders(self) -> Embedders:
        """The settings' embedder, and those of older generations."""
        return Embedders(self.settings, self._open.callback)

    @property
    def embedder(self) -> Embedder:
        """The embedder that the settings name."""
        return self.embedders.current

    @part
    def chunker(self) -> Chunker:
        """What cuts each source's pages."""
        return make_chunker(self.settings, self.preset.index)

    @part
    def converter(self) -> ConverterProcess:
        """The child process that converts pages; starts with the first page."""
        converter = ConverterProcess(
            timeout=self.settings.conversion_seconds, memory_bytes=self.settings.conversion_bytes
        )
        self._open.callback(converter.close)
        return converter

    @part
    def build(self) -> Recipe:
        """What the present settings make of pages; needs no server."""
        return {
            "embedder": recipe_hash(self.embedder.recipe),
            "chunker": recipe_hash(self.chunker.recipe),
            "converters": recipe_hash(self.converter.versions),
        }

    @part
    def recipe(self) -> GenerationRecipe:
        """What a generation made now would be made with.

        Raises ``EmbedderUnavailableError``, and ``SettingsError`` where no thresholds are known for it.
        """
        self.preset.thresholds(self.embedder.recipe)
        return GenerationRecipe(embedder=embedder_recipe(self.embedder), build=self.build)

    @part
    def indexer(self) -> Indexer:
        """Brings pages that are due to the index."""
        return Indexer(
            store=self.store,
            index=self.index,
            writer=self.writer,
            workers=self.workers,
            place=self.generations.place,
            retry_seconds=self.settings.retry_seconds,
            work_seconds=self.settings.work_seconds,
        )

    @part
    def queue(self) -> Queue:
        """What wakes the indexing of pages that came in."""
        broker = self.settings.broker_url.get_secret_value()
        if not broker:
            return self.embedded_worker
        queue = CeleryQueue(broker)
        self._open.callback(queue.close)
        return queue

    @part
    def broker(self) -> Broker:
        """What workers are woken through, where the settings name one."""
        broker = Broker(self.settings.broker_url.get_secret_value())
        self._open.callback(broker.close)
        return broker

    @part
    def embedded_worker(self) -> EmbeddedWorker:
        """The thread that indexes where there is no broker, and the one that fetches, which may have to wait
        for others' servers; whoever serves starts them."""
        pause = self.settings.retry_seconds
        fetching = EmbeddedWorker(lock=self.data / "fetch.lock", turn=self._turn_beside, retry_seconds=pause)
        return EmbeddedWorker(
            lock=self.data / "drain.lock",
            turn=self.background_steps.run_once,
            retry_seconds=pause,
            beside=fetching,
        )

    def _turn_beside(self, stop: Stop) -> bool:
        worked = self.supply.fetch_scheduler.run_once(stop)
        return self.maintenance.run_once(stop) or worked

    @part
    def background_steps(self) -> BackgroundSteps:
        """What has to be done in the background."""
        return BackgroundSteps(
            store=lambda: self.store,
            indexer=lambda: self.indexer,
            rebuilding=lambda: self.rebuild_queue,
            rest_seconds=self._rest_seconds,
        )

    @property
    def _rest_seconds(self) -> float:
        """How long a duty rests after an error. A worker ends its task, and begins again when it is woken."""
        return 0 if self.settings.broker_url else self.settings.retry_seconds

    @part
    def webhook_receiver(self) -> WebhookReceiver:
        """What takes messages of a CMS."""
        return WebhookReceiver(
            store=self.store, queue=self.queue, sources=self.settings.sources, gate=RateLimiter()
        )

    @part
    def supply(self) -> Supply:
        """What brings pages in from sources."""
        supply = Supply(
            self.settings,
            store=lambda: self.store,
            worker=lambda: self.workers.id,
            queue=lambda: self.queue,
            rest_seconds=self._rest_seconds,
        )
        self._open.callback(supply.close)
        return supply

    @part
    def maintenance(self) -> Maintenance:
        """What looks after the installation at night."""
        return Maintenance(self, rest_seconds=self._rest_seconds)

    @part
    def rebuilder(self) -> Rebuilder:
        """Rebuilds the index and rolls it back."""
        return self._make_reindexer(Retry())

    def _make_reindexer(self, patience: Retry) -> Rebuilder:
        return Rebuilder(
            store=self.store,
            index=self.opened_index,
            writer=self.writer,
            generations=self.generations,
            recipe=lambda: self.recipe,
            patience=patience,
        )

    @part
    def rebuild_queue(self) -> RebuildQueue:
        """Rebuilds through the queue."""
        log = RebuildLog(self.store.engine, utc_now, lease_seconds=self.settings.lease_seconds)
        return RebuildQueue(
            log=log,
            store=self.store,
            index=self.opened_index,
            writer=self.writer,
            generations=self.generations,
            reindexer=self._make_reindexer(Retry(pauses=0)),
            recipe=lambda: self.recipe,
            worker=self.workers.id,
            wake=lambda pages: self.queue.wake(pages, interactive=False),
            retry_seconds=self.settings.retry_seconds,
            work_seconds=self.settings.work_seconds,
        )

    @part
    def writer(self) -> PageWriter:
        """The only writer of the index."""
        count = Counters(self.store.engine).add
        return PageWriter(index=self.opened_index, pipeline_of=self.pipeline_of, count=count)

    @part
    def vector_cache(self) -> SqlVectorCache:
        """What was embedded before."""
        return SqlVectorCache(self.store.engine)

    def pipeline_of(self, generation: Generation) -> Pipeline:
        """The present settings' pipeline with a generation's own embedder. Raises ``PluginError``."""
        return Pipeline(
            convert=self.converter.convert,
            chunker=self.chunker,
            embedder=self.embedders.of(generation),
            cache=self.vector_cache,
            max_chunks=self.settings.max_chunks,
        )

    def retriever_of(self, preset: Preset) -> Retriever:
        """What finds pages by a preset. Raises ``SettingsError`` where it has no thresholds for the index's
        embedder."""
        with suppress(IndexUnavailableError):  # what asks says so
            if live := self.index.live():
                preset.thresholds(live.recipe.embedder)
        return make_retriever(
            index=self.index, store=self.store, embedder_of=self.embedders.of, preset=preset
        )

    @part
    def chat(self) -> ChatService:
        """What visitors use."""
        return ChatService(self)

    @property
    def retriever(self) -> Retriever:
        """The path from a question to pages, of the installation's preset."""
        return self.chat.common.retriever

    @property
    def answerer(self) -> Answerer:
        """Answers questions by the installation's preset."""
        return self.chat.common.answerer

    @contextmanager
    def _exclusively(self, name: str) -> Iterator[None]:
        """Only one process of this machine at a time."""
        with (self.data / name).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
