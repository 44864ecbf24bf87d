"""Search in one generation, with vectors, words and pages of a single state of its file."""

import sqlite3
import sys
import threading
from collections.abc import Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final

from app.search.coverage import Term, coverages
from app.search.drafts import draft_candidate, lone_candidate
from app.search.embedded.database import Database
from app.search.embedded.keywords import (
    Totals,
    any_word,
    matches,
    matching_chunks,
    question_words,
    terms_of,
    totals,
    word_documents,
)
from app.search.embedded.pages import (
    PageMemory,
    contexts_by_number,
    matches_by_number,
    numbers_by_ref,
    refs_by_number,
    without_whole_rows,
)
from app.search.embedded.scope import Scope, ScopeMemory
from app.search.embedded.values import ValueMemory
from app.search.embedded.vectors import FieldScores, VectorMemory
from app.search.embedded.words import CHUNK_WORDS, PAGE_WORDS, Place, WordMemory
from app.search.fields import FieldTypes
from app.search.filters import check_indexed
from app.search.index import question_vector
from app.search.spelling import is_completed, within
from app.search.types import Candidate, ChunkCandidate, ChunkHit, PageMatch, QuerySpec, WordPages
from ingest.types import EmbeddedPage, FieldName, PageRef, Vectors

COMPLETIONS: Final = 200
"""A prefix is completed to at most this many words, the shortest ones."""

_SIMILAR: Final = "SELECT word FROM spellings WHERE initial = ? AND letters BETWEEN ? AND ?"
_COMPLETED: Final = """
    SELECT word FROM spellings WHERE initial = ? AND word >= ? AND word < ? ORDER BY letters, word LIMIT ?"""

Hits = tuple[ChunkHit, ...]
"""A page's best chunks in a field, best first, at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Results for a question from memory, and a transaction of the same state of the file."""

    connection: sqlite3.Connection
    totals: Totals
    terms: Sequence[Term]
    matching: frozenset[int]
    scores: Mapping[FieldName, FieldScores]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChunkState:
    """The best chunks for a question from memory, best first, and a transaction of the same state."""

    connection: sqlite3.Connection
    near: Mapping[Place, float]
    matching: Sequence[Place]


class Searcher:
    """Searches one generation, from any number of threads, by the methods of
    :class:`app.search.index.SearchIndex`."""

    def __init__(self, database: Database, dims: int, fields: FieldTypes) -> None:
        """``fields``: the declared fields that the generation was built with."""
        self.database = database
        self._dims = dims
        self._fields = fields
        self._pages = PageMemory()
        self._scopes = ScopeMemory()
        self._values = ValueMemory(fields)
        self._vectors = VectorMemory(dims)
        self._words = WordMemory(PAGE_WORDS)
        self._chunk_words = WordMemory(CHUNK_WORDS)
        self._lock = threading.Lock()

    def search(self, spec: QuerySpec) -> list[Candidate]:
        with ExitStack() as stack:
            state = self._state(spec, stack)
            nearest = {name: _nearest(found, name, spec) for name, found in state.scores.items()}
            wanted = state.matching.union(*nearest.values())
            stored = self._pages.pages(state.connection, wanted)
        if unreadable := wanted - stored.keys():
            with self._lock:
                self._vectors.damaged |= unreadable
        covered = coverages(
            state.terms, [found.tokens for found in stored.values()], state.totals.average_length
        )
        hits = {name: _similar(found.hits(stored), name, spec) for name, found in state.scores.items()}
        return [
            Candidate(
                page=found.page,
                chunks={name: pages[number] for name, pages in hits.items() if number in pages},
                near_fields=frozenset(name for name, numbers in nearest.items() if number in numbers),
                keyword=number in state.matching,
                coverage=share,
            )
            for (number, found), share in zip(stored.items(), covered, strict=True)
        ]

    def candidate(self, page: PageRef | EmbeddedPage, spec: QuerySpec) -> Candidate | None:
        return self._draft(page, spec) if isinstance(page, EmbeddedPage) else self._served(page, spec)

    def _draft(self, page: EmbeddedPage, spec: QuerySpec) -> Candidate:
        unit = None if spec.vector is None else question_vector(spec.vector, self._dims)
        with self._lock, self.database.reading() as connection:
            known = totals(connection)
            self._words.refresh(connection)
            terms = terms_of(question_words(self._words, spec.words, known), known)
        return draft_candidate(page, tuple(spec.k), unit, terms, known.average_length)

    def _served(self, ref: PageRef, spec: QuerySpec) -> Candidate | None:
        scope = replace(spec, sources=frozenset((ref.source,)), without=frozenset(), within=None, filters=())
        with ExitStack() as stack:
            state = self._state(scope, stack)
            numbers = numbers_by_ref(state.connection, [ref]).values()
            stored = self._pages.pages(state.connection, numbers)
        for number, found in stored.items():
            [coverage] = coverages(state.terms, [found.tokens], state.totals.average_length)
            hits = {name: scores.hits([number]) for name, scores in state.scores.items()}
            chunks = {name: pages[number] for name, pages in hits.items() if number in pages}
            return lone_candidate(found.page, chunks, coverage)
        return None

    def search_chunks(self, spec: QuerySpec, limit: int) -> list[ChunkCandidate]:
        with ExitStack() as stack:
            state = self._chunk_state(spec, limit, stack)
            numbers = {document for document, _ in (*state.near, *state.matching)}
            pages = self._pages.pages(state.connection, numbers)
            contexts = contexts_by_number(state.connection, numbers)
        near = {place: rank for rank, place in enumerate(state.near, start=1)}
        matching = {place: rank for rank, place in enumerate(state.matching, start=1)}
        return [
            ChunkCandidate(
                page=page,
                position=position,
                start=page.content_spans[position][0],
                end=page.content_spans[position][1],
                context=contexts.get((document, position), ""),
                cosine=state.near.get((document, position)),
                near=near.get((document, position)),
                matching=matching.get((document, position)),
            )
            for document, position in dict.fromkeys((*near, *matching))
            if document in pages and position < len((page := pages[document].page).content_spans)
        ]

    def cosines(self, refs: Sequence[PageRef], vector: Vectors) -> dict[PageRef, float]:
        with self._lock, self.database.reading() as connection:
            self._vectors.refresh(connection)
            numbers = numbers_by_ref(connection, refs)
            best = self._vectors.best_cosines(vector, "content", numbers.values())
        return {ref: best[number] for ref, number in numbers.items() if number in best}

    def matching_pages(self, spec: QuerySpec, prefix: str) -> list[PageMatch]:
        spec = replace(spec, keyword="all")
        with self._lock, self.database.reading() as connection:
            known = totals(connection)
            scope = self._scope(spec, connection)
            self._words.refresh(connection)
            words = question_words(self._words, spec.words, known)
            if prefix:
                words.append(any_word(self._words, [prefix, *_completions(connection, prefix)], known))
            found = matches(self._words, words, known, spec, scope)
            return matches_by_number(connection, found)

    def word_pages(self, spec: QuerySpec, most: int) -> list[WordPages]:
        with self._lock, self.database.reading() as connection:
            scope = self._scope(spec, connection)
            self._words.refresh(connection)
            words = question_words(self._words, spec.words, totals(connection))
            found = [word_documents(self._words, word, scope) for word in words]
            some = [documents[:most].tolist() for documents in found]
            refs = refs_by_number(connection, {number for numbers in some for number in numbers})
        return [
            WordPages(count=len(documents), refs=[refs[number] for number in numbers if number in refs])
            for documents, numbers in zip(found, some, strict=True)
        ]

    def languages(self) -> list[str]:
        with self.database.reading() as connection:
            return list(totals(connection).languages)

    def similar_words(self, word: str, edits: int) -> set[str]:
        with self.database.reading() as connection:
            rows = connection.execute(_SIMILAR, (word[:1], len(word) - edits, len(word) + edits))
            return within(word, [row[0] for row in rows], edits)

    def damaged(self) -> int:
        """Return the number of pages with damaged vectors: those whose columns differ in length, and those
        that a search has found to be damaged."""
        with self._lock, self.database.reading() as connection:
            return len(self._vectors.damaged | without_whole_rows(connection, self._dims))

    def _scope(self, spec: QuerySpec, connection: sqlite3.Connection) -> Scope:
        """Return the pages to search, in the state of ``connection``'s transaction. Call under the lock."""
        self._scopes.refresh(connection)
        scope = self._scopes.scope(spec)
        if spec.filters:
            check_indexed(spec.filters, self._fields)
            self._values.refresh(connection)
            scope &= self._values.passing(spec.filters, len(scope))
        return scope

    def _state(self, spec: QuerySpec, stack: ExitStack) -> _State:
        """Load what changed in the file and search the memory. ``stack`` closes the transaction.

        The transaction begins under the lock, so that transactions and states of the memory have the same
        order, and no thread uses words or vectors newer than the text that it reads.
        """
        with self._lock:
            connection = stack.enter_context(self.database.reading())
            known = totals(connection)
            scope = self._scope(spec, connection)
            if spec.words:
                self._words.refresh(connection)
            if spec.vector is not None:
                self._vectors.refresh(connection)
            words = question_words(self._words, spec.words, known)
            return _State(
                connection=connection,
                totals=known,
                terms=terms_of(words, known),
                matching=frozenset(matches(self._words, words, known, spec, scope)),
                scores={} if spec.vector is None else self._vectors.scores(spec.vector, spec.k, scope),
            )

    def _chunk_state(self, spec: QuerySpec, limit: int, stack: ExitStack) -> _ChunkState:
        with self._lock:
            connection = stack.enter_context(self.database.reading())
            scope = self._scope(spec, connection)
            near: dict[Place, float] = {}
            if spec.vector is not None:
                self._vectors.refresh(connection)
                scores = self._vectors.scores(spec.vector, ("content",), scope)["content"]
                near = {(page, hit.position): hit.cosine for page, hit in scores.best_chunks(limit)}
            self._chunk_words.refresh(connection)
            languages = totals(connection).languages
            matching = matching_chunks(self._chunk_words, spec.words, languages, scope, limit)
            return _ChunkState(connection=connection, near=near, matching=matching)


def _completions(connection: sqlite3.Connection, prefix: str) -> list[str]:
    if not is_completed(prefix):
        return []
    last = f"{prefix}{chr(sys.maxunicode)}"
    return [row[0] for row in connection.execute(_COMPLETED, (prefix[:1], prefix, last, COMPLETIONS))]


def _nearest(scores: FieldScores, name: FieldName, spec: QuerySpec) -> Set[int]:
    """Return the pages that the field's kNN clause returns."""
    pages = scores.best_pages(spec.k[name])
    return _similar(scores.hits(pages), name, spec).keys() if name in spec.similarity else set(pages)


def _similar(pages: Mapping[int, Hits], name: FieldName, spec: QuerySpec) -> dict[int, Hits]:
    """Return the pages whose best cosine reaches the field's ``QuerySpec.similarity``."""
    least = spec.similarity.get(name, -1.0)
    return {page: hits for page, hits in pages.items() if hits[0].cosine >= least}
