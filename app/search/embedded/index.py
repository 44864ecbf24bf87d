"""The embedded search index: generations in a folder, without a server.

A small SQLite file is their catalog; each generation has a file of its own next to it.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeVar

from app.errors import (
    DataFolderError,
    GenerationChangedError,
    IndexDamagedError,
    IndexUnavailableError,
    InputError,
    NotFoundError,
)
from app.search.embedded import schema
from app.search.embedded.database import Database, add_columns, add_table, create, upgrade
from app.search.embedded.pages import pages_by_ref, pages_served, served, vectors_served, without_vectors
from app.search.embedded.searcher import Searcher
from app.search.embedded.updates import apply
from app.search.fields import fields_of
from app.search.highlight import highlights
from app.search.types import (
    Candidate,
    ChunkCandidate,
    Generation,
    GenerationRecipe,
    GenerationState,
    Highlight,
    IndexedPage,
    PageMatch,
    QuerySpec,
    Update,
    WordPages,
    WriteResult,
)
from ingest.said import Said
from ingest.types import EmbeddedPage, PageRef, Vectors

MANY_VECTORS: Final = 200_000
"""Above this, a matrix product per question is too slow on one machine."""

CACHED_ROWS: Final = 16

_COLUMNS: Final = "number, state, recipe, created, owner"

T = TypeVar("T")


class Catalog:
    """The generations in a folder. Every change is one transaction, seen at once by other processes.

    A generation's file is created or deleted within that transaction. A process that is killed meanwhile
    leaves at most a file without an entry, which the next :meth:`create` replaces.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder; create a new one. Raises ``DataFolderError``, ``IndexUnavailableError``."""
        self._folder = folder
        _prepare(folder)
        self._file = Database(folder / schema.CATALOG_FILE, schema.CATALOG_VERSION)
        self.generations()

    def path(self, number: int) -> Path:
        """Return the path of the generation's file."""
        return self._folder / f"generation-{number:06d}.sqlite"

    def generations(self) -> list[Generation]:
        """Return all generations, by number."""
        with self._file.reading() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM generations ORDER BY number")
            return [_generation(row) for row in rows]

    def live(self) -> Generation | None:
        """Return the generation that questions use."""
        with self._file.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM generations WHERE state = 'live'").fetchone()
        return _generation(row) if row else None

    def get(self, number: int) -> Generation:
        """Return the generation with that number. Raises ``NotFoundError``."""
        with self._file.reading() as connection:
            return _get(connection, number)

    def create(self, recipe: GenerationRecipe, owner: str = "") -> Generation:
        """Create a generation in state ``building``, with its empty file."""
        if recipe.dims < 1:
            raise InputError(f"an embedder with {recipe.dims} dimensions cannot be indexed: use at least 1")
        stored = json.dumps({"embedder": dict(recipe.embedder), "build": dict(recipe.build)})
        with self._file.writing() as connection:
            number = connection.execute(
                "INSERT INTO generations (state, recipe, created, owner) VALUES ('building', ?, ?, ?) "
                "RETURNING number",
                (stored, datetime.now(UTC).isoformat(), owner),
            ).fetchone()[0]
            self._delete_file(number)
            tables = (*schema.GENERATION, schema.uneven_index(recipe.dims))
            create(self.path(number), tables, version=schema.GENERATION_VERSION, journal="WAL")
            return _get(connection, number)

    def promote(self, generation: int) -> None:
        """Make the generation live and retire the previous live one. Raises ``NotFoundError``,
        ``IndexUnavailableError``."""
        with self._file.writing() as connection:
            _get(connection, generation)
            if not self.path(generation).exists():
                raise IndexDamagedError(
                    f"generation {generation} lacks its file {self.path(generation)}: restore it, "
                    "or build another"
                )
            connection.execute("UPDATE generations SET state = 'retired' WHERE state = 'live'")
            connection.execute("UPDATE generations SET state = 'live' WHERE number = ?", (generation,))

    def drop(self, generation: int) -> None:
        """Delete the generation and its file. Raises ``NotFoundError``, and ``InputError`` if it is live."""
        with self._file.writing() as connection:
            if _get(connection, generation).state == "live":
                raise InputError(f"generation {generation} is live: promote another one before dropping it")
            connection.execute("DELETE FROM generations WHERE number = ?", (generation,))
            self._delete_file(generation)

    def close(self) -> None:
        """Close the catalog's file."""
        self._file.close()

    def _delete_file(self, number: int) -> None:
        path = self.path(number)
        for suffix in ("", "-wal", "-shm"):
            try:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            except OSError as error:
                raise DataFolderError(
                    f"{path} cannot be deleted ({error.strerror}): check its permissions"
                ) from error


class EmbeddedIndex(Catalog):
    """A ``SearchIndex`` of SQLite files and vectors in memory, shared by threads and processes.

    Every call reads the catalog, so another process's promotion applies from the next call. Every search
    loads what other processes have written since the last one. The live generation's vectors are loaded by
    the first search that needs them.
    """

    def __init__(self, folder: Path) -> None:
        """Open ``folder``; create a new one. Raises ``DataFolderError``, ``IndexUnavailableError``."""
        super().__init__(folder)
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
        def read(searcher: Searcher) -> list[IndexedPage]:
            with searcher.database.reading() as connection:
                return pages_by_ref(connection, refs)

        return self._with_live(read) or []

    def highlights(self, refs: Sequence[PageRef], words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
        found = {
            page.ref: highlights(page.fields.get("content", ""), words, page.ref.language)
            for page in self.pages(refs)
        }
        return {ref: fragments for ref, fragments in found.items() if fragments}

    def matching_pages(self, spec: QuerySpec, prefix: str = "") -> list[PageMatch]:
        return self._with_live(lambda searcher: searcher.matching_pages(spec, prefix)) or []

    def word_pages(self, spec: QuerySpec, most: int) -> list[WordPages]:
        found = self._with_live(lambda searcher: searcher.word_pages(spec, most))
        return [WordPages(count=0, refs=())] * len(spec.words) if found is None else found

    def languages(self) -> list[str]:
        return self._with_live(lambda searcher: searcher.languages()) or []

    def similar_words(self, word: str, edits: int) -> set[str]:
        return self._with_live(lambda searcher: searcher.similar_words(word, edits)) or set()

    def write(self, generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        """See :class:`app.search.index.SearchIndex`. All updates are committed together, or none."""
        known = self.get(generation)
        with self._database(known).writing() as connection:
            fields = fields_of(known.recipe.build)
            return [apply(connection, update, known.recipe.dims, fields) for update in updates]

    def refresh(self) -> None:
        """See :class:`app.search.index.SearchIndex`. Does nothing: searches see everything committed."""

    def refs(self, generation: int) -> Iterator[tuple[PageRef, int]]:
        """See :class:`app.search.index.SearchIndex`. From one state, by source, id and language."""
        with self._database(self.get(generation)).reading() as connection:
            return iter(served(connection))

    def without_vectors(self, generation: int) -> Iterator[PageRef]:
        known = self.get(generation)
        with self._database(known).reading() as connection:
            return iter(without_vectors(connection, known.recipe.dims))

    def damaged(self) -> int:
        return self._with_live(lambda searcher: searcher.damaged()) or 0

    def count(self, generation: int) -> int:
        with self._database(self.get(generation)).reading() as connection:
            return pages_served(connection)

    def advice(self) -> str | None:
        def count(searcher: Searcher) -> int:
            with searcher.database.reading() as connection:
                return vectors_served(connection)

        vectors = self._with_live(count) or 0
        if vectors <= MANY_VECTORS:
            return None
        return Said(
            "the index holds {count:,} vectors, more than {most:,}: use Elasticsearch",
            count=vectors,
            most=MANY_VECTORS,
        )

    def close(self) -> None:
        """Close all files and release the vectors."""
        with self._lock:
            for database in self._databases.values():
                database.close()
            self._databases.clear()
            self._searcher = None
        super().close()

    def _with_live(self, work: Callable[[Searcher], T], expected: int | None = None) -> T | None:
        """Run ``work`` on the live generation, which must be the ``expected`` one if given. Return ``None``
        if none is live.

        If another process replaces and drops the generation meanwhile, run ``work`` again on the new one.
        """
        while live := self.live():
            if expected not in (None, live.number):
                raise GenerationChangedError(expected, live.number)
            try:
                return work(self._live_searcher(live))
            except IndexUnavailableError:
                if self.live() == live:
                    raise
        return None

    def _live_searcher(self, live: Generation) -> Searcher:
        database = self._database(live)
        with self._lock:
            if self._searcher is None or self._searcher.database is not database:
                fields = fields_of(live.recipe.build)
                self._searcher = Searcher(database, live.recipe.dims, fields)
            return self._searcher

    def _database(self, generation: Generation) -> Database:
        """Open the generation's file, or return it if it is open. Files that were deleted or replaced
        meanwhile are closed first, which frees their space and drops what is cached of them."""
        with self._lock:
            for number in [n for n, known in self._databases.items() if not known.is_current()]:
                self._databases.pop(number).close()
            if generation.number not in self._databases:
                path, version = self.path(generation.number), schema.GENERATION_VERSION
                statements = (*schema.WITHOUT_FULL_TEXT, schema.uneven_index(generation.recipe.dims))
                upgrade(path, statements, version=version)
                add_columns(path, "documents", schema.DOCUMENTS_ADDED, version=version)
                add_table(path, "chunk_words", schema.CHUNK_WORDS, version=version)
                add_table(path, "spellings", schema.SPELLINGS, version=version)
                add_table(path, "page_values", schema.PAGE_VALUES, version=version)
                self._databases[generation.number] = Database(path, version)
            return self._databases[generation.number]


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(
            f"{folder} cannot be created ({error.strerror}): check the data folder"
        ) from error
    catalog = folder / schema.CATALOG_FILE
    if not catalog.exists() and any(folder.glob("generation-*.sqlite")):
        raise IndexDamagedError(
            "{path} is missing beside its generations: restore it, or delete {folder} and run "
            "`auskunft reindex`",
            path=str(catalog),
            folder=str(folder),
        )
    # A rollback journal, not WAL: the file is tiny and rarely written, and can be read without other files.
    create(catalog, schema.CATALOG, version=schema.CATALOG_VERSION, journal="DELETE")
    add_columns(catalog, "generations", schema.CATALOG_ADDED, version=schema.CATALOG_VERSION)


def _get(connection: sqlite3.Connection, number: int) -> Generation:
    row = connection.execute(f"SELECT {_COLUMNS} FROM generations WHERE number = ?", (number,)).fetchone()
    if row is None:
        known = [str(row[0]) for row in connection.execute("SELECT number FROM generations ORDER BY number")]
        raise NotFoundError(f"there is no generation {number}; known: {', '.join(known) or 'none'}")
    return _generation(row)


@lru_cache(maxsize=CACHED_ROWS)
def _generation(row: tuple[int, GenerationState, str, str, str]) -> Generation:
    """The generation of a row. Cached, because every call reads the catalog."""
    number, state, recipe, created, owner = row
    return Generation(
        number=number,
        state=state,
        recipe=GenerationRecipe(**json.loads(recipe)),
        created=datetime.fromisoformat(created),
        owner=owner,
    )
