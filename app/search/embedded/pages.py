"""Reads pages from a generation's file, and lists those that changed since an earlier state, within the
caller's transaction."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from app.search.analysis import TokenIds
from app.search.embedded.schema import uneven
from app.search.embedded.scope import Mask
from app.search.fields import stored_values
from app.search.page_blocks import LruCache
from app.search.types import IndexedPage, PageMatch
from ingest.types import FIELDS, FieldName, PageRef
from ingest.vectors import valid_rows

KEPT_CHARACTERS: Final = 8_000_000
"""Room for the pages read last, which stay in memory because questions find the same ones again and again."""

PAGE_CHARACTERS: Final = 500
"""Room that a page takes in addition to its text."""

_PAGE = f"""source, id, language, documents.document, sequence, url, kind, updated, metadata, starts, ends,
    {", ".join(FIELDS)}"""
_TABLES = """documents LEFT JOIN chunks ON chunks.document = number AND field = 'content'"""
_BY_NUMBER = f"""
    SELECT number, tokens, {_PAGE} FROM {_TABLES} WHERE number IN (SELECT value FROM json_each(?))"""
_BY_REF = f"SELECT {_PAGE} FROM {_TABLES} WHERE source = ? AND id = ? AND language = ? AND NOT removed"
_MATCHES = """
    SELECT number, source, id, language, kind, name, title, stored
    FROM documents LEFT JOIN page_values
    ON page_values.document = number AND page_values.sequence = documents.sequence
    WHERE number IN (SELECT value FROM json_each(?))"""
_REFS_BY_NUMBER = """
    SELECT number, source, id, language FROM documents WHERE number IN (SELECT value FROM json_each(?))"""
_CONTEXTS = """
    SELECT chunk_words.document, contexts FROM chunk_words
    JOIN documents ON number = chunk_words.document AND documents.sequence = chunk_words.sequence
    WHERE number IN (SELECT value FROM json_each(?))"""
_NUMBER = "SELECT number FROM documents WHERE source = ? AND id = ? AND language = ? AND NOT removed"
_REFS = "SELECT source, id, language, sequence FROM documents WHERE NOT removed ORDER BY source, id, language"
_WITHOUT_VECTORS = """
    SELECT source, id, language FROM documents
    WHERE NOT removed AND length(tokens) AND number NOT IN (SELECT document FROM chunks)"""
_CHUNKS = """
    SELECT source, id, language, positions, starts, ends, vectors
    FROM documents JOIN chunks ON chunks.document = number WHERE NOT removed"""
_DETAILS = "SELECT source, id, language, updated, metadata FROM documents WHERE NOT removed"
_UNEVEN = "SELECT DISTINCT document FROM chunks INDEXED BY chunks_uneven WHERE {uneven}"
_CHANGES = "SELECT coalesce(max(number), 0), count(*) FROM changes WHERE number > ?"
_CHANGED = "SELECT document FROM changes WHERE number > ? ORDER BY number"
_LAST_CHANGES = """SELECT changes.document, changes.number, sequence
    FROM changes JOIN documents ON documents.number = changes.document
    WHERE changes.document IN (SELECT value FROM json_each(?))"""

StoredChunks = tuple[FieldName, int, bytes, bytes, bytes, bytes]
"""A page's chunks in one field: field, document, positions, starts, ends, vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A page, and its token identifiers in text order."""

    page: IndexedPage
    tokens: TokenIds


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes ``after`` a number: the number of the ``last`` one, and their ``count``."""

    connection: sqlite3.Connection
    after: int
    last: int
    count: int

    def documents(self) -> list[int]:
        """The document numbers of the pages, in the order of the changes."""
        return [document for (document,) in self.connection.execute(_CHANGED, (self.after,))]


def changes_after(number: int, connection: sqlite3.Connection) -> Changes:
    """Return the changes after ``number`` in the state of ``connection``'s transaction."""
    last, count = connection.execute(_CHANGES, (number,)).fetchone()
    return Changes(connection=connection, after=number, last=last, count=count)


class PageMemory:
    """A cache of the pages read last, by document number, last change and sequence. A page that changes gets
    a new key, so every page returned is of the transaction's state. Thread-safe."""

    def __init__(self) -> None:
        self._pages: LruCache[tuple[int, int, int], StoredPage] = LruCache(KEPT_CHARACTERS)

    def pages(self, connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, StoredPage]:
        """Return the pages with these document numbers, without damaged ones."""
        rows = connection.execute(_LAST_CHANGES, (json.dumps(list(numbers)),))
        states: dict[int, tuple[int, int, int]] = {state[0]: state for state in rows}
        known = {number: self._pages.get(state) for number, state in states.items()}
        found = {number: page for number, page in known.items() if page}
        if missing := states.keys() - found:
            for number, page in _pages_by_number(connection, missing).items():
                found[number] = page
                size = PAGE_CHARACTERS + sum(map(len, page.page.fields.values()))
                self._pages.put(states[number], page, size)
        return found


def _pages_by_number(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, StoredPage]:
    rows = connection.execute(_BY_NUMBER, (json.dumps(list(numbers)),))
    read = ((number, tokens, _page(row)) for number, tokens, *row in rows)
    return {
        number: StoredPage(page=page, tokens=array_of(tokens, "<u8"))
        for number, tokens, page in read
        if page is not None
    }


def matches_by_number(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[PageMatch]:
    """Return the pages with these document numbers, in their order."""
    rows = connection.execute(_MATCHES, (json.dumps(numbers),))
    found = {
        number: PageMatch(
            ref=PageRef(source=source, id=page_id, language=language),
            kind=kind,
            headline=f"{name or ''} {title or ''}".strip(),
            values=stored_values(json.loads(stored or "{}")),
        )
        for number, source, page_id, language, kind, name, title, stored in rows
    }
    return [found[number] for number in numbers if number in found]


def refs_by_number(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, PageRef]:
    """Return the references of the pages with these document numbers."""
    rows = connection.execute(_REFS_BY_NUMBER, (json.dumps(list(numbers)),))
    return {
        number: PageRef(source=source, id=page_id, language=language)
        for number, source, page_id, language in rows
    }


def pages_by_ref(connection: sqlite3.Connection, refs: Sequence[PageRef]) -> list[IndexedPage]:
    """Return the served pages among ``refs``, in their order, without damaged ones."""
    rows = (connection.execute(_BY_REF, (ref.source, ref.id, ref.language)).fetchone() for ref in refs)
    return [page for row in rows if row and (page := _page(row)) is not None]


def numbers_by_ref(connection: sqlite3.Connection, refs: Sequence[PageRef]) -> dict[PageRef, int]:
    """Return the document numbers of the served pages among ``refs``."""
    rows = {ref: connection.execute(_NUMBER, (ref.source, ref.id, ref.language)).fetchone() for ref in refs}
    return {ref: row[0] for ref, row in rows.items() if row}


def contexts_by_number(
    connection: sqlite3.Connection, numbers: Collection[int]
) -> dict[tuple[int, int], str]:
    """Return the contexts of these documents' chunks, by document number and position."""
    rows = connection.execute(_CONTEXTS, (json.dumps(list(numbers)),))
    return {
        (number, position): context
        for number, contexts in rows
        for position, context in enumerate(_contexts(contexts))
    }


def served(connection: sqlite3.Connection) -> list[tuple[PageRef, int]]:
    """Return every served page with its sequence, ordered by source, id and language."""
    rows = connection.execute(_REFS)
    return [(PageRef(source=row[0], id=row[1], language=row[2]), row[3]) for row in rows]


def without_vectors(connection: sqlite3.Connection, dims: int) -> list[PageRef]:
    """Return the served pages that have words but no vectors, and damaged ones."""
    bare = connection.execute(_WITHOUT_VECTORS).fetchall()
    damaged = {
        (source, page_id, language)
        for source, page_id, language, *blobs in connection.execute(_CHUNKS)
        if not is_sound(dims, *blobs)
    }
    damaged |= {
        (source, page_id, language)
        for source, page_id, language, *details in connection.execute(_DETAILS)
        if _details(*details) is None
    }
    found = [*bare, *sorted(damaged.difference(bare))]
    return [PageRef(source=source, id=page_id, language=language) for source, page_id, language in found]


def is_sound(dims: int, positions: bytes, starts: bytes, ends: bytes, vectors: bytes) -> bool:
    """Return True if a row of ``chunks`` is not damaged."""
    if not whole_rows(dims, [("content", 0, positions, starts, ends, vectors)]).all():
        return False
    return bool(valid_rows(np.frombuffer(vectors, "<f4").reshape(-1, dims)).all())


def whole_rows(dims: int, stored: Sequence[StoredChunks]) -> Mask:
    """Return a mask, shape ``(n,)``, of the rows whose columns have matching lengths."""
    columns = tuple(zip(*stored, strict=True))[2:]
    positions, starts, ends, vectors = (np.fromiter(map(len, each), np.int64) for each in columns)
    whole: Mask = (starts == positions) & (starts == ends) & (starts % 4 == 0) & (vectors == dims * starts)
    return whole


def without_whole_rows(connection: sqlite3.Connection, dims: int) -> set[int]:
    """Return the numbers of documents whose chunks' columns differ in length, without reading the columns."""
    return {number for (number,) in connection.execute(_UNEVEN.format(uneven=uneven(dims)))}


def array_of(blob: bytes, kind: str) -> Any:
    """Return the array in ``blob``, without an incomplete last item."""
    size = np.dtype(kind).itemsize
    return np.frombuffer(blob[: len(blob) // size * size], kind)


def pages_served(connection: sqlite3.Connection) -> int:
    """Return the number of pages that the generation serves."""
    return int(connection.execute("SELECT coalesce(sum(pages), 0) FROM totals").fetchone()[0])


def vectors_served(connection: sqlite3.Connection) -> int:
    """Return the number of vectors in the generation."""
    return int(connection.execute("SELECT coalesce(sum(vectors), 0) FROM totals").fetchone()[0])


def _page(row: Sequence[Any]) -> IndexedPage | None:
    """Return the page of a row; ``None`` if it is damaged."""
    source, page_id, language, document, sequence, url, kind, updated, metadata, starts, ends, *texts = row
    details = _details(updated, metadata)
    if details is None:
        return None
    return IndexedPage(
        ref=PageRef(source=source, id=page_id, language=language),
        document=document,
        sequence=sequence,
        url=url,
        kind=kind,
        updated=details[0],
        fields={name: text for name, text in zip(FIELDS, texts, strict=True) if text},
        content_spans=tuple(zip(_offsets(starts), _offsets(ends), strict=False)),
        metadata=details[1],
    )


def _contexts(stored: str) -> list[str]:
    try:
        return [str(context) for context in json.loads(stored)]
    except (TypeError, ValueError):
        return []


def _details(updated: str | None, metadata: str | None) -> tuple[datetime | None, dict[str, str]] | None:
    try:
        known = json.loads(metadata or "{}")
        return (datetime.fromisoformat(updated) if updated else None), dict(known)
    except (TypeError, ValueError):
        return None


def _offsets(blob: bytes | None) -> list[int]:
    offsets: list[int] = array_of(blob or b"", "<i4").tolist()
    return offsets
