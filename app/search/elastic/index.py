"""The search index on Elasticsearch: generations, writing and searching over one client."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from elasticsearch import Elasticsearch

from app.errors import GenerationChangedError, IndexUnavailableError, NotFoundError
from app.search.elastic.bulk import BulkWriter, operation
from app.search.elastic.catalog import Catalog, LiveIndex
from app.search.elastic.client import ElasticOptions, connect, server_version, translated_errors
from app.search.elastic.documents import document_id, indexed_page, page_ref
from app.search.elastic.listing import listing
from app.search.elastic.mapping import Body, advice_on
from app.search.elastic.queries import (
    Languages,
    cosines_body,
    counts_body,
    highlights_body,
    matches_body,
    matching_chunks_body,
    near_chunks_body,
    page_body,
    pages_body,
    similar_words_body,
    without_vectors_query,
    word_pages_body,
)
from app.search.elastic.results import (
    read_candidate,
    read_candidates,
    read_chunks,
    read_cosines,
    read_counts,
    read_draft,
    read_highlights,
    read_matches,
    read_word_pages,
    read_words,
)
from app.search.elastic.searches import Searches
from app.search.fields import fields_of
from app.search.filters import Filters, check_indexed
from app.search.index import question_vector, ref_and_sequence, refusal
from app.search.spelling import within
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


class ElasticIndex:
    """A ``SearchIndex`` on a server that other processes use too. Connects on the first call."""

    def __init__(self, options: ElasticOptions) -> None:
        """Raise ``SettingsError`` if the certificate cannot be read."""
        self._options = options
        self._client = connect(options)
        self._catalog = Catalog(self._client, options)
        self._searches = Searches(self._client, self._catalog)
        self._slow_client = self._client.options(request_timeout=options.bulk_seconds)
        self._bulk = BulkWriter(self._slow_client, options.bulk_bytes)
        self._checked = False

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        with self._server():
            live = self._live(spec.generation, spec.filters)
            if live is None:
                return []
            spec, vector = live.askable(spec), None
            if spec.vector is not None and spec.k:
                vector = question_vector(spec.vector, live.generation.recipe.dims)
            if not spec.sources or (vector is None and (spec.keyword == "none" or not spec.words)):
                return []

            def bodies(languages: Languages) -> list[Body]:
                return [pages_body(spec, vector, languages, scoring=live.scoring)]

            [found], counts = self._searches.counted(live, spec.words, bodies)
            return read_candidates(spec, vector, found, counts)

    def candidate(self, page: PageRef | EmbeddedPage, spec: QuerySpec) -> Candidate | None:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        with self._server():
            live = self._live(spec.generation)
            if live is None:
                return None
            vector = None
            if spec.vector is not None:
                vector = question_vector(spec.vector, live.generation.recipe.dims)
            languages = Languages(analysed=live.languages, served=self._searches.languages(live))
            counts = counts_body(spec.words, languages)
            if isinstance(page, EmbeddedPage):
                [counted] = self._searches.responses(live, counts)
                return read_draft(page, spec, vector, read_counts(counted))
            body = page_body(document_id(page), spec, vector, languages, scoring=live.scoring)
            found, counted = self._searches.responses(live, body, counts)
            return read_candidate(spec, vector, found, read_counts(counted))

    def search_chunks(self, spec: QuerySpec, limit: int) -> list[ChunkCandidate]:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        with self._server():
            live = self._live(spec.generation, spec.filters)
            if live is None or not spec.sources:
                return []
            spec, vector, near = live.askable(spec), None, list[Body]()
            if spec.vector is not None:
                vector = question_vector(spec.vector, live.generation.recipe.dims)
                near = [near_chunks_body(spec, vector, limit, scoring=live.scoring)]

            def bodies(languages: Languages) -> list[Body]:
                return near + ([matching_chunks_body(spec, limit, languages)] if spec.words else [])

            found, _ = self._searches.counted(live, (), bodies)
            return read_chunks(found[0] if near else None, found[-1] if spec.words else None, vector, limit)

    def cosines(self, refs: Sequence[PageRef], vector: Vectors, generation: int) -> dict[PageRef, float]:
        """See :class:`app.search.index.SearchIndex`. Raises ``InputError`` for a vector without a cosine."""
        with self._server():
            live = self._live(generation)
            if live is None:
                return {}
            unit = question_vector(vector, live.generation.recipe.dims)
            if not refs:
                return {}
            ids = [document_id(ref) for ref in refs]
            [answer] = self._searches.responses(live, cosines_body(ids, unit, scoring=live.scoring))
            return read_cosines(answer, unit)

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        with self._server() as client:
            live = self._catalog.live()
            if live is None or not refs:
                return []
            answers = client.mget(index=live.index, ids=[document_id(ref) for ref in refs])["docs"]
            if error := next((answer["error"] for answer in answers if "error" in answer), None):
                raise IndexUnavailableError(
                    f"index {live.index} cannot be read ({error['reason']}): try again, or rebuild it with "
                    "`auskunft reindex`"
                )
            return [indexed_page(answer["_source"]) for answer in answers if answer["found"]]

    def matching_pages(self, spec: QuerySpec, prefix: str = "") -> list[PageMatch]:
        """See :class:`app.search.index.SearchIndex`. The server's synonyms count too."""
        with self._server():
            live = self._live(None, spec.filters)
            if live is None or not spec.sources or not (spec.words or prefix):
                return []
            [found], _ = self._searches.counted(
                live, (), lambda languages: [matches_body(spec, prefix, languages)]
            )
            return read_matches(found)

    def highlights(self, refs: Sequence[PageRef], words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
        """See :class:`app.search.index.SearchIndex`. The server's synonyms count too."""
        with self._server():
            live = self._catalog.live()
            if live is None or not refs or not words:
                return {}
            body = highlights_body([document_id(ref) for ref in refs], words, live.languages)
            [answer] = self._searches.responses(live, body)
            return read_highlights(answer, words)

    def word_pages(self, spec: QuerySpec, most: int) -> list[WordPages]:
        """See :class:`app.search.index.SearchIndex`. The server's synonyms count too."""
        with self._server():
            live = self._live(None, spec.filters)
            if live is None or not spec.words:
                return [WordPages(count=0, refs=())] * len(spec.words)
            [found], _ = self._searches.counted(
                live, (), lambda languages: [word_pages_body(spec, most, languages)]
            )
            return read_word_pages(found)

    def languages(self) -> list[str]:
        """See :class:`app.search.index.SearchIndex`. As of the previous question."""
        with self._server():
            live = self._catalog.live()
            return [] if live is None else list(self._searches.languages(live))

    def similar_words(self, word: str, edits: int) -> set[str]:
        """See :class:`app.search.index.SearchIndex`. If there are many, only the most frequent ones."""
        with self._server():
            live = self._catalog.live()
            if live is None:
                return set()
            [answer] = self._searches.responses(live, similar_words_body(word, edits))
            return within(word, read_words(answer), edits)

    def create(self, recipe: GenerationRecipe, owner: str = "") -> Generation:
        """See :class:`app.search.index.SearchIndex`. Sized for as many vectors as the live one has."""
        with self._server():
            return self._catalog.create(recipe, owner, self._expected_vectors())

    def write(self, generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        """See :class:`app.search.index.SearchIndex`. Safe to repeat after any error."""
        with self._server():
            recipe = self._catalog.prepare(generation)
            reasons = ((number, refusal(update, recipe.dims)) for number, update in enumerate(updates))
            refused = {number: reason for number, reason in reasons if reason}
            kept = [update for number, update in enumerate(updates) if number not in refused]
            fields = fields_of(recipe.build)
            sent = [operation(update, fields) for update in kept]
            written = iter(self._write(generation, sent))
        return [
            _failed(update, refused[number]) if number in refused else next(written)
            for number, update in enumerate(updates)
        ]

    def refresh(self) -> None:
        with self._server():
            self._slow_client.indices.refresh(index=self._catalog.index_pattern, ignore_unavailable=True)

    def refs(self, generation: int) -> Iterator[tuple[PageRef, int]]:
        """See :class:`app.search.index.SearchIndex`. One state, that of the last refresh."""
        with self._server():
            self._catalog.get(generation)
        listed = listing(self._server, self._slow_client, self._catalog.index(generation))
        return ((page_ref(fields), fields["sequence"]) for fields in listed)

    def without_vectors(self, generation: int) -> Iterator[PageRef]:
        """See :class:`app.search.index.SearchIndex`. One state, that of the last refresh."""
        with self._server():
            self._catalog.get(generation)
        index = self._catalog.index(generation)
        return map(page_ref, listing(self._server, self._slow_client, index, without_vectors_query()))

    def damaged(self) -> int:
        """See :class:`app.search.index.SearchIndex`. The server itself keeps vectors whole."""
        return 0

    def count(self, generation: int) -> int:
        with self._server() as client:
            self._catalog.get(generation)
            return int(client.count(index=self._catalog.index(generation))["count"])

    def promote(self, generation: int) -> None:
        with self._server():
            self._catalog.promote(generation)

    def drop(self, generation: int) -> None:
        with self._server():
            self._catalog.drop(generation)

    def generations(self) -> list[Generation]:
        with self._server():
            return self._catalog.all()

    def live(self) -> Generation | None:
        """See :class:`app.search.index.SearchIndex`. As of at most half a second ago.

        Raises ``IndexUnavailableError`` if several are live, or none although one was.
        """
        with self._server():
            live = self._catalog.live()
        return live.generation if live else None

    def advice(self) -> str | None:
        with self._server():
            live, vectors, oldest = self._catalog.live(), self._vectors(), self._catalog.oldest_node()
        if live is None:
            return None
        return advice_on(live.metadata, self._options, vectors, oldest)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @contextmanager
    def _server(self) -> Iterator[Elasticsearch]:
        try:
            with translated_errors(self._options.server):
                if not self._checked:
                    server_version(self._client, self._options.server)
                    self._checked = True
                yield self._client
        except (IndexUnavailableError, NotFoundError):
            self._catalog.invalidate()  # because the cached live generation may be the cause
            raise

    def _live(self, expected: int | None, filters: Filters = ()) -> LiveIndex | None:
        """Return the live generation, which must be the ``expected`` one if given, and have the fields of the
        ``filters``."""
        live = self._catalog.live()
        if live and expected not in (None, live.generation.number):
            raise GenerationChangedError(expected, live.generation.number)
        if live and filters:
            check_indexed(filters, fields_of(live.generation.recipe.build))
        return live

    def _write(self, generation: int, operations: Sequence[Any]) -> list[WriteResult]:
        try:
            return self._bulk.write(self._catalog.write_alias(generation), operations)
        except IndexUnavailableError:
            self._catalog.get(generation)  # raises NotFoundError if it was dropped meanwhile
            raise

    def _expected_vectors(self) -> int:
        """Return the live generation's number of vectors; 0 if it cannot be read, which must not stop a
        rebuild."""
        try:
            with self._server():
                return self._vectors()
        except IndexUnavailableError:
            return 0

    def _vectors(self) -> int:
        """Return the number of vectors in the live generation: its nested documents, one for each chunk."""
        live = self._catalog.live()
        if live is None:
            return 0
        pages = self._client.count(index=live.index)["count"]
        documents = self._client.indices.stats(index=live.index, metric="docs")["_all"]["primaries"]["docs"]
        return int(documents["count"]) - int(pages)


def _failed(update: Update, reason: str) -> WriteResult:
    ref, sequence = ref_and_sequence(update)
    return WriteResult(ref=ref, sequence=sequence, status="failed", reason=reason)
