"""Narrows a search to sources and collections, which are kept in memory for all pages of a generation."""

import sqlite3
from array import array
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from app.search.embedded.schema import COLLECTION
from app.search.types import QuerySpec

Documents = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

Scope = Mask
"""A mask by document number of the pages in scope. No page has number 0, which is never in scope."""

_CHANGES: Final = "SELECT max(number) FROM changes"
_PAGES: Final = f"""
    SELECT documents.number, source, {COLLECTION}
    FROM changes JOIN documents ON documents.number = changes.document
    WHERE changes.number > ? AND NOT removed"""


class ScopeMemory:
    """Every page's source and collection, numbered from 1, as of the last refresh. Not thread-safe."""

    def __init__(self) -> None:
        self._source_numbers: dict[str, int] = {}
        self._collection_numbers: dict[str, int] = {}
        self._sources: Numbers = np.zeros(1, np.int32)
        self._collections: Numbers = np.zeros(1, np.int32)
        self._last_change = 0

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Load the state of ``connection``'s transaction, which must not be older than the last one."""
        documents, sources, collections = array("q"), array("i"), array("i")
        for document, source, collection in connection.execute(_PAGES, (self._last_change,)):
            documents.append(document)
            sources.append(_number(self._source_numbers, source))
            collections.append(_number(self._collection_numbers, collection))
        if documents:
            last = max(documents)
            self._sources = _long_enough(self._sources, last)
            self._collections = _long_enough(self._collections, last)
            self._sources[documents] = sources
            self._collections[documents] = collections
        self._last_change = connection.execute(_CHANGES).fetchone()[0] or 0

    def scope(self, spec: QuerySpec) -> Scope:
        """Return the scope of a question."""
        inside: Scope = _marked(self._source_numbers, spec.sources)[self._sources]
        if spec.without:
            inside &= ~_marked(self._collection_numbers, spec.without)[self._collections]
        if spec.within is not None:
            inside &= _marked(self._collection_numbers, spec.within)[self._collections]
        return inside


def _long_enough(numbers: Numbers, last: int) -> Numbers:
    """Grow the array until it has a place for ``last``, at least to double size so that growing is rare."""
    if last < len(numbers):
        return numbers
    return np.concatenate((numbers, np.zeros(max(last + 1 - len(numbers), len(numbers)), np.int32)))


def _number(known: dict[str, int], name: str) -> int:
    """Return the number of a name; the next free one for a new name."""
    return known.setdefault(name, len(known) + 1)


def _marked(known: dict[str, int], names: Iterable[str]) -> Mask:
    """Return a mask of the numbers of ``names``; 0 is never marked."""
    marks = np.zeros(len(known) + 1, np.bool_)
    marks[[known[name] for name in names if name in known]] = True
    return marks
