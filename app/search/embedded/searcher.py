"""The search of one generation: vectors, words and pages of a single state of its file."""

import sqlite3
import threading
from collections.abc import Mapping, Set
from contextlib import ExitStack

from app.search.coverage import coverages
from app.search.embedded.database import Database
from app.search.embedded.keywords import matches, question_terms, totals
from app.search.embedded.matrix import FieldScores
from app.search.embedded.memory import VectorMemory
from app.search.embedded.pages import pages_by_number, without_whole_rows
from app.search.types import Candidate, ChunkHit, QuerySpec
from ingest.types import FieldName

Hits = tuple[ChunkHit, ...]
"""A page's best chunks in a field, best first, one at least."""


class Searcher:
    """Searches one generation, from any number of threads."""

    def __init__(self, database: Database, dims: int) -> None:
        self.database = database
        self._dims = dims
        self._memory = VectorMemory(dims)
        self._lock = threading.Lock()

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """As :meth:`app.search.index.SearchIndex.search`."""
        with ExitStack() as stack:
            connection, scores = self._scores(spec, stack)
            generation = totals(connection)
            terms = question_terms(connection, spec.words, generation)
            matching = set(matches(connection, terms, spec))
            nearest = {name: _nearest(found, name, spec) for name, found in scores.items()}
            wanted = matching.union(*nearest.values())
            stored = pages_by_number(connection, wanted)
        if unreadable := wanted - stored.keys():
            with self._lock:
                self._memory.damaged |= unreadable
        covered = coverages(terms, [found.tokens for found in stored.values()], generation.average_length)
        hits = {name: _similar(found.hits(stored), name, spec) for name, found in scores.items()}
        return [
            Candidate(
                page=found.page,
                chunks={name: pages[number] for name, pages in hits.items() if number in pages},
                near=frozenset(name for name, numbers in nearest.items() if number in numbers),
                keyword=number in matching,
                coverage=share,
            )
            for (number, found), share in zip(stored.items(), covered, strict=True)
        ]

    def damaged(self) -> int:
        """The number of pages with damaged vectors: those whose rows differ in length, and those that a
        search has found to be damaged."""
        with self._lock, self.database.reading() as connection:
            return len(self._memory.damaged | without_whole_rows(connection, self._dims))

    def _scores(
        self, spec: QuerySpec, stack: ExitStack
    ) -> tuple[sqlite3.Connection, Mapping[FieldName, FieldScores]]:
        """The fields' cosines, and the transaction (closed by ``stack``) of the same state.

        The transaction begins under the lock, so that transactions and the memory's states have one order
        and no thread uses vectors newer than the text that it reads.
        """
        if spec.vector is None:
            return stack.enter_context(self.database.reading()), {}
        with self._lock:
            connection = stack.enter_context(self.database.reading())
            self._memory.refresh(connection)
            return connection, self._memory.scores(spec.vector, spec)


def _nearest(scores: FieldScores, name: FieldName, spec: QuerySpec) -> Set[int]:
    """The pages that the field's kNN clause returns."""
    pages = scores.best_pages(spec.k[name])
    return _similar(scores.hits(pages), name, spec).keys() if name in spec.similarity else set(pages)


def _similar(pages: Mapping[int, Hits], name: FieldName, spec: QuerySpec) -> dict[int, Hits]:
    """The pages whose best cosine reaches the field's ``QuerySpec.similarity``."""
    least = spec.similarity.get(name, -1.0)
    return {page: hits for page, hits in pages.items() if hits[0].cosine >= least}
