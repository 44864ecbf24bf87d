"""Writes an update in the caller's transaction: the page's row and chunks, and the totals."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.search.analysis import TokenIds, folded, page_tokens, token_ids, tokens, without_targets
from app.search.embedded.pages import array_of
from app.search.fields import FieldTypes, field_values
from app.search.index import normalised, ref_and_sequence, refusal
from app.search.spelling import is_spelt
from app.search.types import Remove, Update, WriteResult
from ingest.types import FIELDS, EmbeddedPage, FieldName, PageRef

_STORED = "SELECT number, sequence, tokens FROM documents WHERE source = ? AND id = ? AND language = ?"
_CONTENT: Final = (
    "sequence",
    "removed",
    "document",
    "url",
    "kind",
    "updated",
    *FIELDS,
    "tokens",
    "metadata",
)
_SAVE = f"""
    INSERT INTO documents (source, id, language, {", ".join(_CONTENT)})
    VALUES (?, ?, ?, {", ".join("?" for _ in _CONTENT)})
    ON CONFLICT (source, id, language) DO UPDATE SET {", ".join(f"{c} = excluded.{c}" for c in _CONTENT)}
    RETURNING number"""
_COUNT = """
    INSERT INTO totals VALUES (?, ?, ?, ?) ON CONFLICT (language) DO UPDATE SET
    pages = pages + excluded.pages,
    tokens = tokens + excluded.tokens,
    vectors = vectors + excluded.vectors"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _DocumentRow:
    number: int
    sequence: int
    tokens: TokenIds | None
    """``None`` if the page was removed."""


def apply(connection: sqlite3.Connection, update: Update, dims: int, fields: FieldTypes) -> WriteResult:
    """Write ``update`` unless the file has a higher sequence or the update cannot be indexed. ``fields``:
    the declared fields, whose values are stored for filters."""
    ref, sequence = ref_and_sequence(update)
    reason = refusal(update, dims)
    if reason:
        return WriteResult(ref=ref, sequence=sequence, status="failed", reason=reason)
    stored = _stored(connection, ref)
    if stored and stored.sequence > sequence:
        return WriteResult(ref=ref, sequence=sequence, status="superseded")
    if stored and stored.tokens is not None:
        _clear(connection, ref, stored.number, stored.tokens)
    if isinstance(update, Remove):
        number = _save_row(connection, ref, (sequence, True, *(None for _ in _CONTENT[2:])))
    else:
        number = _save_page(connection, update)
        _save_values(connection, number, update, fields)
    connection.execute("INSERT OR REPLACE INTO changes (document) VALUES (?)", (number,))
    return WriteResult(ref=ref, sequence=sequence, status="written")


def _stored(connection: sqlite3.Connection, ref: PageRef) -> _DocumentRow | None:
    row = connection.execute(_STORED, (ref.source, ref.id, ref.language)).fetchone()
    if row is None:
        return None
    blob = row[2]
    return _DocumentRow(
        number=row[0], sequence=row[1], tokens=None if blob is None else array_of(blob, "<u8")
    )


def _clear(connection: sqlite3.Connection, ref: PageRef, number: int, ids: TokenIds) -> None:
    """Delete everything of a served page but its row."""
    vectors = connection.execute(
        "SELECT coalesce(sum(length(starts)), 0) / 4 FROM chunks WHERE document = ?", (number,)
    ).fetchone()[0]
    connection.execute("DELETE FROM chunks WHERE document = ?", (number,))
    connection.execute("DELETE FROM chunk_words WHERE document = ?", (number,))
    connection.execute("DELETE FROM page_values WHERE document = ?", (number,))
    connection.execute(_COUNT, (ref.language, -1, -len(ids), -vectors))


def _save_page(connection: sqlite3.Connection, update: EmbeddedPage) -> int:
    page = update.page
    ids = page_tokens(page.fields, page.ref.language).astype("<u8")
    updated = page.updated.isoformat() if page.updated else None
    fields = (page.fields.get(name) for name in FIELDS)
    first = (page.sequence, False, page.document, page.url, page.kind, updated)
    content = (*first, *fields, ids.tobytes(), json.dumps(dict(page.metadata)))
    number = _save_row(connection, page.ref, content)
    for row in _chunk_rows(update):
        connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)", (number, *row))
    if words := _chunk_words(update):
        connection.execute(
            "INSERT OR REPLACE INTO chunk_words VALUES (?, ?, ?, ?, ?)", (number, page.sequence, *words)
        )
    connection.executemany("INSERT OR IGNORE INTO spellings VALUES (?, ?, ?)", _spelt(page.fields))
    connection.execute(_COUNT, (page.ref.language, 1, len(ids), len(update.vectors)))
    return number


def _save_values(
    connection: sqlite3.Connection, number: int, update: EmbeddedPage, fields: FieldTypes
) -> None:
    if values := field_values(update.page.metadata, fields):
        row = (number, update.page.sequence, json.dumps(values))
        connection.execute("INSERT OR REPLACE INTO page_values VALUES (?, ?, ?)", row)


def _spelt(fields: Mapping[FieldName, str]) -> Iterator[tuple[str, int, str]]:
    """Yield the first letter, the length and the word, for each word that a question may misspell."""
    found = {word for text in fields.values() for word in folded(without_targets(text))}
    return ((word[0], len(word), word) for word in found if is_spelt(word))


def _save_row(connection: sqlite3.Connection, ref: PageRef, content: tuple[object, ...]) -> int:
    row = connection.execute(_SAVE, (ref.source, ref.id, ref.language, *content)).fetchone()
    return int(row[0])


def _chunk_rows(update: EmbeddedPage) -> Iterator[tuple[FieldName, bytes, bytes, bytes, bytes]]:
    """Yield name, positions, starts, ends and vectors of each field that has chunks."""
    vectors = normalised(update.vectors)
    for name in FIELDS:
        rows = [number for number, chunk in enumerate(update.chunks) if chunk.field == name]
        if not rows:
            continue
        chunks = [update.chunks[row] for row in rows]
        numbers = np.array([(chunk.position, chunk.start, chunk.end) for chunk in chunks], "<i4")
        positions, starts, ends = (column.tobytes() for column in numbers.T)
        yield name, positions, starts, ends, vectors[rows].astype("<f4").tobytes()


def _chunk_words(update: EmbeddedPage) -> tuple[str, bytes, bytes] | None:
    """Return contexts, lengths and tokens of the content's chunks; ``None`` if they are not ranked."""
    chunks = [chunk for chunk in update.chunks if chunk.field == "content"]
    if not any(chunk.ranked for chunk in chunks):
        return None
    texts = (without_targets(chunk.embedded_text) for chunk in chunks)
    ids = [token_ids(tokens(text, update.page.ref.language)) for text in texts]
    lengths = np.array([len(some) for some in ids], "<i4")
    contexts = json.dumps([chunk.context for chunk in chunks])
    return contexts, lengths.tobytes(), np.concatenate(ids).astype("<u8").tobytes()
