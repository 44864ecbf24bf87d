"""A small installation of real parts (page store, index, pipeline) with the hashing embedder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.indexing import Indexer
from app.pages.database import sqlite_url
from app.pages.store import PageStore
from app.pages.vectors import SqlVectorCache
from app.pages.workers import WorkerRegistry
from app.presets import load_preset
from app.search.embedded import EmbeddedIndex
from app.search.retrieve import Retriever
from app.search.types import GenerationRecipe
from ingest.chunkers.windows import WindowsChunker
from ingest.embedders.hashing import HashingEmbedder
from ingest.errors import EmbedderUnavailableError
from ingest.pipeline import Pipeline
from ingest.types import FieldName, PageRef, RawField, RawPage, Save, Vectors


class SwitchedEmbedder(HashingEmbedder):
    """The hashing embedder, counting what it embeds; can be switched off like a server that is away."""

    def __init__(self) -> None:
        super().__init__()
        self.off = False
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Raises ``EmbedderUnavailableError`` while switched off."""
        if self.off:
            raise EmbedderUnavailableError("switched off")
        self.embedded += texts
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        """Raises ``EmbedderUnavailableError`` while switched off."""
        if self.off:
            raise EmbedderUnavailableError("switched off")
        return super().embed_query(text)


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
    """Store, index, indexer and retriever over one folder."""

    def __init__(self, folder: Path, preset: str = "default") -> None:
        self.embedder = SwitchedEmbedder()
        self.store = PageStore(sqlite_url(folder / "pages.sqlite"))
        self.index = EmbeddedIndex(folder / "index")
        recipe = GenerationRecipe(embedder=self.embedder.recipe, build={"chunker": "windows"})
        self.index.promote(self.index.create(recipe).number)
        self.workers = WorkerRegistry(folder / "workers")
        self.pipeline = Pipeline(
            convert=markdown,
            chunker=WindowsChunker(),
            embedder=self.embedder,
            cache=SqlVectorCache(self.store.engine),
        )
        self.indexer = Indexer(
            store=self.store,
            index=self.index,
            pipeline=self.pipeline,
            workers=self.workers,
            retry_seconds=0.0,
        )
        self.retriever = Retriever(
            index=self.index,
            visibility=self.store,
            embedder_of=lambda _generation: self.embedder,
            preset=load_preset(preset),
        )

    def save(self, *pages: RawPage) -> None:
        """Accept and index."""
        self.store.accept([Save(page=page) for page in pages])
        self.drain()

    def drain(self) -> None:
        """Index all that is due."""
        while self.indexer.sync_pages():
            pass

    def close(self) -> None:
        """Release files and locks."""
        self.index.close()
        self.workers.close()
