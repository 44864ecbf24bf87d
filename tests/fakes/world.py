"""A small installation of real parts (page store, index, pipeline) with the hashing embedder."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from sqlalchemy import URL, Engine

from app.errors import PluginError
from app.indexing.enrichment import ChunkEnricher
from app.indexing.generations import Generations
from app.indexing.indexer import Indexer
from app.indexing.page_writer import PageWriter
from app.indexing.rebuild import Rebuilder
from app.indexing.rebuild_queue import RebuildQueue
from app.indexing.retry import Retry
from app.pages.builds import Builds
from app.pages.claims import HeldTable
from app.pages.database import open_engine, utc_now
from app.pages.page_list import PageList
from app.pages.rebuilds import RebuildLog
from app.pages.store import PageStore
from app.pages.vectors import SqlVectorCache
from app.pages.workers import WorkerRegistry
from app.presets import Preset, RerankPreset
from app.presets.collection import Presets
from app.search.embedded import EmbeddedIndex
from app.search.examples import OffTopic
from app.search.index import SearchIndex, live_generation
from app.search.retriever import Retriever
from app.search.types import Generation, GenerationRecipe
from ingest.chunkers.windows import WindowsChunker
from ingest.embedders.hashing import HashingEmbedder
from ingest.errors import EmbedderUnavailableError, RerankerUnavailableError
from ingest.pipeline import Pipeline
from ingest.protocols import Recipe
from ingest.types import FieldName, PageRef, RawField, RawPage, Save, Vectors
from ingest.vectors import MemoryVectorCache
from tests.fakes.databases import new_sqlite


class SwitchedEmbedder(HashingEmbedder):
    """The hashing embedder, noting what it embeds. Can be switched ``off`` like a server that is away, or be
    ``broken``: then its vectors are zero, which no index takes."""

    def __init__(self, dims: int = 512) -> None:
        super().__init__(dims)
        self.off = False
        self.broken = False
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Raises ``EmbedderUnavailableError`` while switched off."""
        if self.off:
            raise EmbedderUnavailableError("switched off")
        self.embedded += texts
        vectors = super().embed_documents(texts)
        return vectors * 0 if self.broken else vectors

    def embed_query(self, text: str) -> Vectors:
        """Raises ``EmbedderUnavailableError`` while switched off."""
        if self.off:
            raise EmbedderUnavailableError("switched off")
        return super().embed_query(text)


class SwitchedReranker:
    """Scores by how often a text has the word "best", noting what it is asked.
    Can be switched ``off`` like a server that is away."""

    def __init__(self) -> None:
        self.recipe: Recipe = {"name": "switched"}
        self.off = False
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Raises ``RerankerUnavailableError`` while switched off."""
        self.asked.append((question, list(texts)))
        if self.off:
            raise RerankerUnavailableError("switched off")
        return [float(text.count("best")) for text in texts]


class Translations:
    """Translations of words in memory."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Mapping[str, Sequence[str]]]] = {}

    def learn(self, language: str, other: str, words: Mapping[str, Sequence[str]]) -> None:
        """Know what these stems of a language are in another."""
        self._known.setdefault(language, {})[other] = words

    def translations(self, stems: Collection[str], language: str) -> dict[str, dict[str, Sequence[str]]]:
        """See :class:`app.search.translations.TermTable`."""
        known = {
            other: {stem: words[stem] for stem in stems if stem in words}
            for other, words in self._known.get(language, {}).items()
        }
        return {other: found for other, found in known.items() if found}


def raw_page(
    page_id: str, fields: Mapping[FieldName, str], *, source: str = "town", language: str = "en"
) -> RawPage:
    """A page whose fields are Markdown already."""
    return RawPage(
        ref=PageRef(source=source, id=page_id, language=language),
        document=page_id,
        url=f"https://town.example/{page_id}",
        fields={name: RawField(text=text, media_type="text/markdown") for name, text in fields.items()},
    )


def markdown(raw: RawPage) -> dict[FieldName, str]:
    """Conversion for pages that are Markdown already."""
    return {name: field.text for name, field in raw.fields.items() if field.text.strip()}


class World:
    """Store, index, indexer, rebuilder and retriever over one folder.

    ``index``: an empty one, opened and closed by the caller; without it an embedded one in ``folder``.
    ``database``: where the page store lives, if not in ``folder``.
    ``embedder`` and ``reranker`` are what the settings would name. ``candidates``: that the preset reranks.
    ``held``: gives tables of features whose rows workers hold.
    """

    def __init__(
        self,
        folder: Path,
        preset: str = "default",
        index: SearchIndex | None = None,
        *,
        lease_seconds: float = 300,
        location: str = "embedded",
        database: str | URL | Engine | None = None,
        candidates: int | None = None,
        held: Callable[[], Sequence[HeldTable]] = tuple,
    ) -> None:
        self.embedder = SwitchedEmbedder()
        self.reranker = SwitchedReranker()
        database = database or new_sqlite(folder / "pages.sqlite")
        self.engine = database if isinstance(database, Engine) else open_engine(database)
        self.store = PageStore(self.engine, lease_seconds=lease_seconds, held=held)
        self.page_list = PageList(self.engine)
        self.terms = Translations()
        self.builds = Builds(self.engine, utc_now, lease_seconds=lease_seconds)
        self._open = ExitStack()
        if index is None:
            index = self._open.enter_context(closing(EmbeddedIndex(folder / "index")))
        self.index = index
        self.pauses: list[float] = []
        self.during_pause: Callable[[], None] = lambda: None
        self.workers = WorkerRegistry(folder / "workers")
        self.pipeline = self._pipeline(self.embedder)
        self._embedders = {self.embedder.dims: self.embedder}
        self._pipelines = {self.embedder.dims: self.pipeline}
        self.writer = PageWriter(index=self.index, pipeline_of=self.pipeline_of, enrichers=self._enrichers())
        self.indexer = Indexer(
            store=self.store,
            index=self.index,
            writer=self.writer,
            workers=self.workers,
            retry_seconds=0.0,
            location=location,
        )
        self.generations = Generations(
            store=self.store, builds=self.builds, index=self.index, workers=self.workers, location=location
        )
        self.rebuilder = Rebuilder(
            store=self.store,
            index=self.index,
            writer=self.writer,
            generations=self.generations,
            recipe=self.recipe,
            retry=Retry(self._pause),
        )
        self.retriever = Retriever(
            index=self.index,
            visibility=self.store,
            embedder_of=self._embedder_of,
            preset=_reranking(Presets().load(preset), candidates),
            off_topic=OffTopic(MemoryVectorCache()),
            reranker=self.reranker,
            terms=self.terms,
            owner=self.store.id,
        )
        self.woken: list[int] = []
        self.generations.create_first(self.recipe)

    def rebuild_queue(self, worker: str = "worker") -> RebuildQueue:
        """Rebuilds through the queue, as this worker does them."""
        return RebuildQueue(
            rebuilds=RebuildLog(self.engine, utc_now),
            store=self.store,
            builds=self.builds,
            index=self.index,
            writer=self.writer,
            generations=self.generations,
            rebuilder=Rebuilder(
                store=self.store,
                index=self.index,
                writer=self.writer,
                generations=self.generations,
                recipe=self.recipe,
                retry=Retry(pauses=0),
            ),
            recipe=self.recipe,
            worker=worker,
            wake=self.woken.append,
            retry_seconds=0.0,
        )

    def _enrichers(self) -> Sequence[ChunkEnricher]:
        """What adds to chunks."""
        return ()

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.during_pause()

    def recipe(self) -> GenerationRecipe:
        """What a generation made now is made with."""
        return GenerationRecipe(embedder=self.embedder.recipe, build={"chunker": "windows"})

    def pipeline_of(self, generation: Generation) -> Pipeline:
        """The pipeline with the generation's embedder. Raises ``PluginError``."""
        return self._pipelines[self._embedder_of(generation).dims]

    def uninstall_embedder(self, dims: int = 512) -> None:
        """As if the package of this embedder were gone."""
        del self._embedders[dims]

    def change_embedder(self, dims: int) -> None:
        """As if the settings named another; the earlier ones can still be built."""
        self.embedder = SwitchedEmbedder(dims)
        self._embedders[dims] = self.embedder
        self._pipelines[dims] = self._pipeline(self.embedder)

    def save(self, *pages: RawPage) -> None:
        """Accept and index."""
        self.store.accept([Save(page=page) for page in pages])
        self.drain()

    def drain(self) -> None:
        """Index all that is due."""
        while self.indexer.sync_pages():
            pass

    def served(self, generation: int | None = None) -> dict[str, int]:
        """What a generation (the live one by default) serves: page ids with their sequences."""
        if generation is None:
            generation = live_generation(self.index, self.store.id).number
        self.index.refresh()
        return {ref.id: sequence for ref, sequence in self.index.refs(generation)}

    def wanted(self) -> dict[str, int]:
        """What the page store says that an index should serve."""
        return {version.ref.id: version.sequence for version in self.store.versions() if version.served}

    def states(self) -> list[str]:
        """The states of all generations, by number."""
        return [generation.state for generation in self.index.generations()]

    def close(self) -> None:
        """Release files and locks."""
        self._open.close()
        self.workers.close()
        self.engine.dispose()

    def _embedder_of(self, generation: Generation) -> SwitchedEmbedder:
        dims = generation.recipe.dims
        if dims not in self._embedders:
            raise PluginError(f"the embedder with {dims} dimensions cannot be built")
        return self._embedders[dims]

    def _pipeline(self, embedder: SwitchedEmbedder) -> Pipeline:
        return Pipeline(
            convert=markdown,
            chunker=WindowsChunker(),
            embedder=embedder,
            cache=SqlVectorCache(self.engine),
        )


def _reranking(preset: Preset, candidates: int | None) -> Preset:
    if candidates is None:
        return preset
    question = preset.question.model_copy(update={"rerank": RerankPreset(candidates=candidates)})
    return preset.model_copy(update={"question": question})
