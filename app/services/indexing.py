"""The services that bring pages into the search index."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from app.indexing.chunkers import make_chunker
from app.indexing.embedders import Embedders
from app.indexing.enrichment import ChunkEnricher
from app.indexing.generations import Generations, check_location
from app.indexing.indexer import Indexer
from app.indexing.page_desk import PageDesk
from app.indexing.page_writer import PageWriter
from app.indexing.rebuild import Rebuilder
from app.indexing.rebuild_queue import RebuildQueue
from app.indexing.retry import Retry
from app.law.annotated_chunker import AnnotatedChunker
from app.law.annotations import UnitAnnotations, none_now
from app.lazy import lazy
from app.pages.counters import Counters
from app.pages.database import utc_now
from app.pages.rebuilds import RebuildLog
from app.pages.store import PageStore
from app.pages.vectors import SqlVectorCache
from app.search.block_comparison import BlockComparison
from app.search.embedded import EmbeddedIndex
from app.search.examples import OffTopic
from app.search.fields import fields_recipe
from app.search.index import SearchIndex, live_generation
from app.search.intents import Intents
from app.search.types import Generation, GenerationRecipe
from ingest.converters.process import ConverterProcess
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.pipeline import Pipeline, PreparedPage
from ingest.protocols import Chunker, Embedder, Recipe
from ingest.types import RawPage
from ingest.vectors import MemoryVectorCache

if TYPE_CHECKING:
    from app.search.elastic import ElasticIndex
    from app.services import Services


class IndexingServices:
    """The services between page store and search index."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @property
    def store(self) -> PageStore:
        """The page store."""
        return self._services.store

    @lazy
    def index(self) -> SearchIndex:
        """The search index with the pages; a new installation gets an empty live generation.

        Raises ``IndexUnavailableError`` if the pages are in another index than the settings name, or if this
        one has another installation's pages.
        """
        # An installation in use opens its index even if the server is unavailable; then each request raises.
        if self.generations.is_new():
            with self._services.exclusively("index.lock"):
                self.generations.create_first(lambda: self.recipe)
            self.generations.check_live()
        check_location(self.store, self.generations.location)
        return self.opened_index

    @lazy
    def opened_index(self) -> SearchIndex:
        """The search index that the settings name, whether it has this installation's pages or not."""
        index = self._make_index()
        self._services.opened.callback(index.close)
        return index

    def _make_index(self) -> EmbeddedIndex | ElasticIndex:
        if self._services.settings.index == "embedded":
            return EmbeddedIndex(self._services.data / "index")
        # Elasticsearch's client takes long to import.
        from app.search.elastic import ElasticIndex  # noqa: PLC0415
        from app.services.elastic import elastic_options  # noqa: PLC0415

        return ElasticIndex(elastic_options(self._services.settings))

    @lazy
    def generations(self) -> Generations:
        """The index's generations."""
        settings = self._services.settings
        location = (
            settings.index
            if settings.index == "embedded"
            else f"{settings.index} {settings.elasticsearch_prefix}"
        )
        return Generations(
            store=self.store,
            builds=self._services.builds,
            index=self.opened_index,
            workers=self._services.workers,
            location=location,
        )

    @lazy
    def embedders(self) -> Embedders:
        """The settings' embedder, and those of older generations."""
        return Embedders(self._services.settings, self._services.opened.callback)

    @property
    def embedder(self) -> Embedder:
        """The embedder that the settings name."""
        return self.embedders.current

    @lazy
    def chunker(self) -> Chunker:
        """The chunker of all pages, which follows people's annotations."""
        chunker = make_chunker(self._services.settings, self._services.presets)
        return AnnotatedChunker(chunker, self.annotations)

    @lazy
    def annotations(self) -> Callable[[], UnitAnnotations]:
        """A function that returns people's present annotations of pages and units of law, from the first
        feature that has any."""
        services = self._services
        now: Callable[[], UnitAnnotations] | None = services.of_first_feature(
            feature.annotations for feature in services.features
        )
        return now or none_now

    @lazy
    def converter(self) -> ConverterProcess:
        """The child process that converts pages; it starts with the first page."""
        return self._make_converter()

    @lazy
    def draft_converter(self) -> ConverterProcess:
        """The child process that converts drafts, so that a hostile draft delays no page."""
        return self._make_converter()

    def _make_converter(self) -> ConverterProcess:
        settings = self._services.settings
        converter = ConverterProcess(
            timeout=settings.conversion_seconds, memory_bytes=settings.conversion_bytes
        )
        self._services.opened.callback(converter.close)
        return converter

    @lazy
    def build_recipe(self) -> Recipe:
        """The fingerprints of embedder, chunker and converters, and the fields; computed without a server."""
        recipe: dict[str, str | int | bool] = {
            "embedder": recipe_hash(self.embedder.recipe),
            "chunker": recipe_hash(self.chunker.recipe),
            "converters": recipe_hash(self.converter.versions),
            **fields_recipe(self._services.fields),
        }
        for enricher in self.enrichers:
            recipe |= enricher.build_recipe
        return recipe

    @lazy
    def recipe(self) -> GenerationRecipe:
        """The recipe of a generation made now.

        Raises ``EmbedderUnavailableError``, and ``SettingsError`` if the preset has no thresholds for the
        embedder.
        """
        self._services.preset.thresholds(self.embedder.recipe)
        return GenerationRecipe(embedder=embedder_recipe(self.embedder), build=self.build_recipe)

    @lazy
    def enrichers(self) -> tuple[ChunkEnricher, ...]:
        """The features' additions to chunks; empty if no preset uses any."""
        names = (feature.enricher for feature in self._services.features if feature.enricher)
        made = (resolve_name(name)(self._services) for name in names)
        return tuple(enricher for enricher in made if enricher is not None)

    @lazy
    def vector_cache(self) -> SqlVectorCache:
        """The vectors of texts that were embedded before."""
        return SqlVectorCache(self._services.engine)

    @lazy
    def block_comparison(self) -> BlockComparison:
        """The comparison of blocks with questions; all sites share its vectors."""
        return BlockComparison(self.vector_cache, off_topic=self.off_topic)

    @lazy
    def off_topic(self) -> OffTopic:
        """The comparison of questions with off-topic ones."""
        return OffTopic(self.vector_cache)

    @lazy
    def intents(self) -> Intents:
        """The comparison of questions with wishes that no page answers."""
        return Intents(self.vector_cache)

    def pipeline_of(self, generation: Generation, chunker: Chunker | None = None) -> Pipeline:
        """Make the pipeline of the present settings with a generation's own embedder, and perhaps another
        chunker. Raises ``PluginError``."""
        return self._pipeline(self.embedders.of(generation), chunker)

    def _pipeline(self, embedder: Embedder, chunker: Chunker | None = None) -> Pipeline:
        return Pipeline(
            convert=self.converter.convert,
            chunker=chunker or self.chunker,
            embedder=embedder,
            cache=self.vector_cache,
            max_chunks=self._services.settings.max_chunks,
        )

    def draft_pipeline(self) -> Pipeline:
        """Make a pipeline for the live generation that stores nothing: vectors are kept in memory, and pages
        are converted in a separate child process. Raises ``IndexUnavailableError``."""
        return Pipeline(
            convert=self.draft_converter.convert,
            chunker=self.chunker,
            embedder=self.embedders.of(live_generation(self.index, self.store.id)),
            cache=MemoryVectorCache(),
            max_chunks=self._services.settings.max_chunks,
        )

    def prepare(self, page: RawPage, sequence: int) -> PreparedPage:
        """Convert and cut a page as it is done for the index. Raises ``PageError`` and ``PluginError``."""
        return self._pipeline(self.embedder).prepare(page, sequence)

    @lazy
    def writer(self) -> PageWriter:
        """The write loop of the index."""
        return PageWriter(
            index=self.opened_index,
            pipeline_of=self.pipeline_of,
            count=Counters(self._services.engine).add,
            enrichers=self.enrichers,
        )

    @lazy
    def indexer(self) -> Indexer:
        """The indexing of due pages."""
        return Indexer(
            store=self.store,
            index=self.index,
            writer=self.writer,
            workers=self._services.workers,
            location=self.generations.location,
            retry_seconds=self._services.settings.retry_seconds,
            work_seconds=self._services.settings.work_seconds,
        )

    @lazy
    def page_desk(self) -> PageDesk:
        """The view and change of single pages by editors."""
        services = self._services
        return PageDesk(
            store=services.store,
            pages=services.page_list,
            deliveries=services.deliveries,
            audit=services.audit_log,
            index=lambda: self.index,
            wake=self._services.wake,
        )

    @lazy
    def rebuilder(self) -> Rebuilder:
        """The rebuilding and rolling back of the index in this process."""
        return self._make_rebuilder(Retry())

    def _make_rebuilder(self, retry: Retry) -> Rebuilder:
        return Rebuilder(
            store=self.store,
            index=self.opened_index,
            writer=self.writer,
            generations=self.generations,
            recipe=lambda: self.recipe,
            retry=retry,
        )

    @lazy
    def rebuild_queue(self) -> RebuildQueue:
        """The rebuilding of the index step by step, in all workers."""
        settings = self._services.settings
        return RebuildQueue(
            rebuilds=RebuildLog(self._services.engine, utc_now, lease_seconds=settings.lease_seconds),
            store=self.store,
            builds=self._services.builds,
            index=self.opened_index,
            writer=self.writer,
            generations=self.generations,
            rebuilder=self._make_rebuilder(Retry(pauses=0)),
            recipe=lambda: self.recipe,
            worker=self._services.workers.id,
            wake=partial(self._services.wake, interactive=False),
            retry_seconds=settings.retry_seconds,
            work_seconds=settings.work_seconds,
        )
