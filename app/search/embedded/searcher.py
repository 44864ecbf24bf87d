"""A question to one generation: vectors, words and pages of a single state of its file."""

import sqlite3
import threading
from collections.abc import Mapping, Set
from contextlib import ExitStack

from app.search.coverage import coverages
from app.search.embedded.database import Database
from app.search.embedded.keywords import matches, question_terms, totals
from app.search.embedded.memory import Nearest, VectorMemory
from app.search.embedded.reading import pages_by_number
from app.search.types import Candidate, QuerySpec
from ingest.types import FieldName


class Searcher:
    """Searches one generation, from any number of threads."""

    def __init__(self, database: Database, dims: int) -> None:
        self.database = database
        self._memory = VectorMemory(dims)
        self._lock = threading.Lock()

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """As :meth:`app.search.index.SearchIndex.search`."""
        with ExitStack() as stack:
            connection, near = self._nearest(spec, stack)
            known = totals(connection)
            terms = question_terms(connection, spec.words, known)
            matching = set(matches(connection, terms, spec))
            stored = pages_by_number(connection, _numbers(near) | matching)
        covered = coverages(terms, [found.tokens for found in stored.values()], known.average_length)
        return [
            Candidate(
                page=found.page,
                chunks={name: pages[number] for name, pages in near.items() if number in pages},
                keyword=number in matching,
                coverage=share,
            )
            for (number, found), share in zip(stored.items(), covered, strict=True)
        ]

    def _nearest(self, spec: QuerySpec, stack: ExitStack) -> tuple[sqlite3.Connection, Nearest]:
        """The kNN clauses' pages, and the transaction (left to ``stack``) whose state they are of.

        The transaction begins under the lock, so that transactions and the memory's states have one order
        and a thread never meets vectors newer than the text it reads.
        """
        if spec.vector is None:
            return stack.enter_context(self.database.reading()), {}
        with self._lock:
            connection = stack.enter_context(self.database.reading())
            self._memory.refresh(connection)
            near = self._memory.nearest(spec.vector, spec)
        return connection, _reaching(near, spec.similarity)


def _reaching(near: Nearest, similarity: Mapping[FieldName, float]) -> Nearest:
    """The pages whose best cosine reaches their field's least one."""
    return {
        name: {page: hits for page, hits in pages.items() if hits[0].cosine >= similarity.get(name, -1.0)}
        for name, pages in near.items()
    }


def _numbers(near: Nearest) -> Set[int]:
    return {number for pages in near.values() for number in pages}
