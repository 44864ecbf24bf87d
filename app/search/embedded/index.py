"""The embedded search index: generations in a folder, without a server."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from app.errors import GenerationChangedError, IndexUnavailableError
from app.search.embedded import schema
from app.search.embedded.catalog import Catalog
from app.search.embedded.database import Database, add_columns, add_table, upgrade
from app.search.embedded.pages import (
    pages_by_ref,
    pages_served,
    served,
    vectors_served,
    without_vectors,
)
from app.search.embedded.searcher import Searcher
from app.search.embedded.updates import apply
from app.search.highlight import highlights
from app.search.types import (
    Candidate,
    ChunkCandidate,
    Generation,
    GenerationRecipe,
    Highlight,
    IndexedPage,
    PageMatch,
    QuerySpec,
    Update,
    WordPages,
    WriteResult,
)
from ingest.types import EmbeddedPage, PageRef, Vectors

MANY_VECTORS: Final = 200_000
"""Above this, a matrix product per question is too slow on one machine."""

T = TypeVar("T")


class EmbeddedIndex:
    """A ``SearchIndex`` of SQLite files and vectors in memory, shared by threads and processes.

    Every call reads the catalog, so that another process's promotion applies from the next call on; every
    search loads what other processes have written since the last one. The first search that needs the vectors
    of the live generation loads them.
    """

    def __init__(self, folder: Path) -> None:
        """Open ``folder``; create a new one. Raises ``DataFolderError``, ``IndexUnavailableError``."""
        self._catalog = Catalog(folder)
        self._lock = threading.Lock()
        self._databases: dict[int, Database] = {}
        self._searcher: Searcher | None = None

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        return self._with_live(lambda searcher: searcher.search(spec), spec.generation) or []

    def candidate(self, page: PageRef | EmbeddedPage, spec: QuerySpec) -> Candidate | None:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        return self._with_live(lambda searcher: searcher.candidate(page, spec), spec.generation)

    def search_chunks(self, spec: QuerySpec, limit: int) -> list[ChunkCandidate]:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        return self._with_live(lambda searcher: searcher.search_chunks(spec, limit), spec.generation) or []

    def cosines(self, refs: Sequence[PageRef], vector: Vectors, generation: int) -> dict[PageRef, float]:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        return self._with_live(lambda searcher: searcher.cosines(refs, vector), generation) or {}

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        """See :class:`app.search.index.SearchIndex`."""

        def read(searcher: Searcher) -> list[IndexedPage]:
            with searcher.database.reading() as connection:
                return pages_by_ref(connection, refs)

        return self._with_live(read) or []

    def highlights(self, refs: Sequence[PageRef], words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
        """See :class:`app.search.index.SearchIndex`."""
        found = {
            page.ref: highlights(page.fields.get("content", ""), words, page.ref.language)
            for page in self.pages(refs)
        }
        return {ref: fragments for ref, fragments in found.items() if fragments}

    def matching_pages(self, spec: QuerySpec, prefix: str = "") -> list[PageMatch]:
        """See :class:`app.search.index.SearchIndex`."""
        return self._with_live(lambda searcher: searcher.matching_pages(spec, prefix)) or []

    def word_pages(self, spec: QuerySpec, most: int) -> list[WordPages]:
        """See :class:`app.search.index.SearchIndex`."""
        found = self._with_live(lambda searcher: searcher.word_pages(spec, most))
        return [WordPages(count=0, refs=())] * len(spec.words) if found is None else found

    def languages(self) -> list[str]:
        """See :class:`app.search.index.SearchIndex`."""
        return self._with_live(lambda searcher: searcher.languages()) or []

    def similar_words(self, word: str, edits: int) -> set[str]:
        """See :class:`app.search.index.SearchIndex`."""
        return self._with_live(lambda searcher: searcher.similar_words(word, edits)) or set()

    def create(self, recipe: GenerationRecipe, owner: str = "") -> Generation:
        """See :class:`app.search.index.SearchIndex`."""
        return self._catalog.create(recipe, owner)

    def write(self, generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        """See :class:`app.search.index.SearchIndex`. All updates are committed together, or none."""
        known = self._catalog.get(generation)
        with self._database(known).writing() as connection:
            return [apply(connection, update, known.recipe.dims) for update in updates]

    def refresh(self) -> None:
        """See :class:`app.search.index.SearchIndex`. Every search reads what was committed before it."""

    def refs(self, generation: int) -> Iterator[tuple[PageRef, int]]:
        """See :class:`app.search.index.SearchIndex`. One state, by source, id and language."""
        with self._database(self._catalog.get(generation)).reading() as connection:
            return iter(served(connection))

    def without_vectors(self, generation: int) -> Iterator[PageRef]:
        """See :class:`app.search.index.SearchIndex`."""
        known = self._catalog.get(generation)
        with self._database(known).reading() as connection:
            return iter(without_vectors(connection, known.recipe.dims))

    def damaged(self) -> int:
        """See :class:`app.search.index.SearchIndex`."""
        return self._with_live(lambda searcher: searcher.damaged()) or 0

    def count(self, generation: int) -> int:
        """See :class:`app.search.index.SearchIndex`."""
        with self._database(self._catalog.get(generation)).reading() as connection:
            return pages_served(connection)

    def promote(self, generation: int) -> None:
        """See :class:`app.search.index.SearchIndex`."""
        self._catalog.promote(generation)

    def drop(self, generation: int) -> None:
        """See :class:`app.search.index.SearchIndex`."""
        self._catalog.drop(generation)

    def generations(self) -> list[Generation]:
        """See :class:`app.search.index.SearchIndex`."""
        return self._catalog.all()

    def live(self) -> Generation | None:
        """See :class:`app.search.index.SearchIndex`."""
        return self._catalog.live()

    def advice(self) -> str | None:
        """See :class:`app.search.index.SearchIndex`."""

        def count(searcher: Searcher) -> int:
            with searcher.database.reading() as connection:
                return vectors_served(connection)

        vectors = self._with_live(count) or 0
        if vectors <= MANY_VECTORS:
            return None
        return f"the index holds {vectors:,} vectors, more than {MANY_VECTORS:,}: use Elasticsearch"

    def close(self) -> None:
        """Close all files and release the vectors."""
        with self._lock:
            for database in self._databases.values():
                database.close()
            self._databases.clear()
            self._searcher = None
        self._catalog.close()

    def _with_live(self, work: Callable[[Searcher], T], expected: int | None = None) -> T | None:
        """Run ``work`` on the live generation, which must be the ``expected`` one if given; ``None`` without
        one.

        If another process promotes and drops in between, run it again on the new one.
        """
        while live := self._catalog.live():
            if expected not in (None, live.number):
                raise GenerationChangedError(expected, live.number)
            try:
                return work(self._live_searcher(live))
            except IndexUnavailableError:
                if self._catalog.live() == live:
                    raise
        return None

    def _live_searcher(self, live: Generation) -> Searcher:
        database = self._database(live)
        with self._lock:
            if self._searcher is None or self._searcher.database is not database:
                self._searcher = Searcher(database, live.recipe.dims)
            return self._searcher

    def _database(self, generation: Generation) -> Database:
        """The generation's file. Closes files that were deleted or replaced meanwhile, so that their space is
        freed and nothing cached of the old file is used for the new one."""
        with self._lock:
            for number in [n for n, known in self._databases.items() if not known.is_current()]:
                self._databases.pop(number).close()
            if generation.number not in self._databases:
                path, version = self._catalog.path(generation.number), schema.GENERATION_VERSION
                statements = (*schema.WITHOUT_FULL_TEXT, schema.uneven_index(generation.recipe.dims))
                upgrade(path, statements, version=version)
                add_columns(path, "documents", schema.DOCUMENTS_ADDED, version=version)
                add_table(path, "chunk_words", schema.CHUNK_WORDS, version=version)
                add_table(path, "spellings", schema.SPELLINGS, version=version)
                self._databases[generation.number] = Database(path, version)
            return self._databases[generation.number]
