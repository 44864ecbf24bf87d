"""The words of a generation's pages, or of their chunks, in memory: an inverted index, as of the last
refresh.

It consists of segments, as in Lucene: a segment has the words of some pages and only ever loses pages. Pages
that change go to a new segment, and small segments are merged, so that saving is cheap and a search reads
few segments. A page is one text, or one text per chunk.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

import numpy as np
import numpy.typing as npt

from app.search.analysis import TokenIds
from app.search.coverage import K1, B
from app.search.embedded.pages import array_of, changes_after
from app.search.embedded.scope import Documents, Mask, Numbers, Scope

SEGMENT_TEXTS: Final = 8_192
"""The most texts of a merged segment: larger ones would slow down merging, smaller ones searching."""

TOKEN_BYTES: Final = 8

_SERVED = "changes.number > ? AND NOT removed ORDER BY changes.number"

Scores = npt.NDArray[np.float64]
Place = tuple[int, int]
"""A document number and a chunk's position in it; 0 for a page as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTable:
    """The source of the words. ``tokens``: the query for every page that changed: its document number, its
    token identifiers and the lengths of its texts (``NULL`` if it is one text). ``pages``: the number of
    pages read at once."""

    tokens: str
    pages: int


PAGE_WORDS: Final = WordTable(
    tokens=f"""
    SELECT documents.number, tokens, NULL FROM changes JOIN documents ON documents.number = changes.document
    WHERE {_SERVED}""",
    pages=SEGMENT_TEXTS,
)
CHUNK_WORDS: Final = WordTable(
    tokens=f"""
    SELECT documents.number, chunk_words.tokens, lengths FROM changes
    JOIN documents ON documents.number = changes.document
    JOIN chunk_words ON chunk_words.document = documents.number
        AND chunk_words.sequence = documents.sequence
    WHERE {_SERVED}""",
    pages=SEGMENT_TEXTS // 16,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedWord:
    """The forms of a question's word, shape ``(n,)``, and the weight of each."""

    tokens: TokenIds
    weights: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """Columns of a segment's texts, arrays of shape ``(n,)``. ``lengths``: in tokens."""

    documents: Documents
    positions: Numbers
    lengths: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Postings:
    """Words, the rows of the texts that have them, and how often: arrays of shape ``(m,)``."""

    tokens: TokenIds
    rows: Numbers
    counts: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """Pages as read from the file: document numbers, tokens, and the lengths of their texts."""

    documents: list[int]
    tokens: list[bytes]
    lengths: list[bytes | None]


class WordMemory:
    """The words of all served pages, by token identifiers. Not thread-safe."""

    def __init__(self, table: WordTable) -> None:
        self._table = table
        self._segments: list[_Segment] = []
        self._last_change = 0

    def refresh(self, connection: sqlite3.Connection) -> int:
        """Load the state of ``connection``'s transaction. Return the number of pages that changed.

        That state must not be older than the last one. After an error the next call repeats the work.
        """
        changes = changes_after(self._last_change, connection)
        if not changes.count:
            return 0
        if self._last_change:
            documents = np.array(changes.documents(), np.int64)
            for segment in self._segments:
                segment.remove(documents)
        else:
            self._segments = []  # left by an earlier load that failed
        rows = connection.execute(self._table.tokens, (self._last_change,))
        while some := _read(rows, self._table.pages):
            self._segments.append(_segment(some))
        self._merge()
        self._last_change = changes.last
        return changes.count

    def lengths(self) -> tuple[int, float]:
        """Return the number of texts, and their mean length in tokens."""
        texts = sum(segment.size for segment in self._segments)
        tokens = sum(segment.length for segment in self._segments)
        return texts, tokens / texts if texts else 0.0

    def frequencies(self, tokens: TokenIds) -> list[int]:
        """Return the number of texts that have each token."""
        counts = np.zeros(len(tokens), np.int64)
        for segment in self._segments:
            counts += segment.frequencies(tokens)
        found: list[int] = counts.tolist()
        return found

    def documents(self, tokens: TokenIds, scope: Scope) -> Documents:
        """Return the pages in ``scope`` that have any of the tokens, in no particular order, shape
        ``(n,)``."""
        found = [segment.documents(tokens, scope) for segment in self._segments]
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def best(
        self,
        words: Sequence[WeightedWord],
        *,
        least: int,
        scope: Scope,
        average_length: float,
        limit: int,
    ) -> list[Place]:
        """Return the ``limit`` best texts in ``scope`` that have at least ``least`` of the ``words`` in some
        form, by BM25, ties by document number and position. ``average_length``: of all texts, in tokens; 0 if
        no served text has any, although segments may still have tokens of removed pages."""
        if not average_length:
            return []
        found = [segment.scored(words, least, scope, average_length) for segment in self._segments]
        if not found:
            return []
        documents, positions, scores = (np.concatenate(each) for each in zip(*found, strict=True))
        if len(scores) > limit:
            near = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
            documents, positions, scores = documents[near], positions[near], scores[near]
        best = np.lexsort((positions, documents, -scores))[:limit]
        return list(zip(documents[best].tolist(), positions[best].tolist(), strict=True))

    def _merge(self) -> None:
        """Drop empty segments and merge the newest ones, until each is at least twice as large as the next or
        merging would exceed ``SEGMENT_TEXTS``."""
        self._segments = [segment for segment in self._segments if segment.size]
        while len(self._segments) > 1:
            older, newer = self._segments[-2:]
            if older.size >= 2 * newer.size or older.size + newer.size > SEGMENT_TEXTS:
                return
            self._segments[-2:] = [_merged(older, newer)]


class _Segment:
    """The words of some pages."""

    def __init__(self, columns: _Columns, postings: _Postings) -> None:
        self.columns = columns
        self.served: Mask = np.ones(len(columns.documents), np.bool_)
        order = np.argsort(postings.tokens, kind="stable")
        tokens = postings.tokens[order]
        firsts = np.flatnonzero(_changes_at(tokens))
        self._rows, self._counts = postings.rows[order], postings.counts[order]
        self._tokens, self._bounds = tokens[firsts], np.append(firsts, len(tokens))

    @property
    def size(self) -> int:
        """The number of served texts."""
        return int(np.count_nonzero(self.served))

    @property
    def length(self) -> int:
        """The total length of the served texts, in tokens."""
        return int(self.columns.lengths[self.served].sum())

    def remove(self, documents: Documents) -> None:
        """Remove pages; those of other segments are ignored."""
        self.served &= np.isin(self.columns.documents, documents, invert=True)

    def frequencies(self, tokens: TokenIds) -> Documents:
        """Return the number of texts that have each token, shape ``(n,)``."""
        found = [np.count_nonzero(self.served[self._rows[postings]]) for postings in self._postings(tokens)]
        return np.array(found, np.int64)

    def documents(self, tokens: TokenIds, scope: Scope) -> Documents:
        """See :meth:`WordMemory.documents`."""
        found = np.zeros(len(self.columns.documents), np.bool_)
        for here in self._postings(tokens):
            found[self._rows[here]] = True
        documents = self.columns.documents
        return documents[found & self.served & scope[documents]]

    def scored(
        self, words: Sequence[WeightedWord], least: int, scope: Scope, average_length: float
    ) -> tuple[Documents, Numbers, Scores]:
        """Return the texts that :meth:`WordMemory.best` chooses from: documents, positions, BM25 scores."""
        columns = self.columns
        scores = np.zeros(len(columns.documents))
        having = np.zeros(len(columns.documents), np.int32)
        postings = iter(self._postings(np.concatenate([word.tokens for word in words])))
        for word in words:
            found = np.zeros(len(columns.documents), np.bool_)
            for weight, here in zip(word.weights, postings, strict=False):
                texts, counts = self._rows[here], self._counts[here]
                norms = K1 * (1 - B + B * columns.lengths[texts] / average_length)
                scores[texts] += weight * counts * (K1 + 1) / (counts + norms)
                found[texts] = True
            having += found
        rows = np.flatnonzero((having >= least) & self.served & scope[columns.documents])
        return columns.documents[rows], columns.positions[rows], scores[rows]

    def rest(self) -> tuple[_Columns, _Postings]:
        """Return the served texts, and their words."""
        columns, tokens = self.columns, np.repeat(self._tokens, np.diff(self._bounds))
        kept = self.served[self._rows]
        renumbered = np.cumsum(self.served, dtype=np.int32) - 1
        return (
            _Columns(
                documents=columns.documents[self.served],
                positions=columns.positions[self.served],
                lengths=columns.lengths[self.served],
            ),
            _Postings(
                tokens=tokens[kept],
                rows=renumbered[self._rows[kept]].astype(np.int32),
                counts=self._counts[kept],
            ),
        )

    def _postings(self, tokens: TokenIds) -> list[slice]:
        """Return the postings of each token; an empty slice for an unknown one."""
        rows = np.searchsorted(self._tokens, tokens)
        known = rows < len(self._tokens)
        known[known] = self._tokens[rows[known]] == tokens[known]
        return [
            slice(int(self._bounds[row]), int(self._bounds[row + 1])) if is_known else slice(0)
            for row, is_known in zip(rows.tolist(), known.tolist(), strict=True)
        ]


def _read(rows: Iterable[tuple[int, bytes, bytes | None]], pages: int) -> _Stored | None:
    """Read the next pages; ``None`` after the last. Rows are unpacked at once, because keeping many new
    tuples would make Python collect garbage in the whole process."""
    stored = _Stored(documents=[], tokens=[], lengths=[])
    for document, tokens, lengths in islice(rows, pages):
        stored.documents.append(document)
        stored.tokens.append(tokens)
        stored.lengths.append(lengths)
    return stored if stored.documents else None


def _segment(stored: _Stored) -> _Segment:
    """Build a segment of these pages."""
    documents, blobs, lengths = stored.documents, stored.tokens, stored.lengths
    of_pages = [len(blob) // TOKEN_BYTES for blob in blobs]
    if any(lengths):
        of_texts = [_lengths(*each) for each in zip(lengths, of_pages, strict=True)]
        texts = [len(each) for each in of_texts]
        columns = _Columns(
            documents=np.repeat(np.array(documents, np.int64), texts),
            positions=np.fromiter(chain.from_iterable(map(range, texts)), np.int32),
            lengths=np.fromiter(chain.from_iterable(of_texts), np.int32),
        )
    else:
        columns = _Columns(
            documents=np.array(documents, np.int64),
            positions=np.zeros(len(documents), np.int32),
            lengths=np.array(of_pages, np.int32),
        )
    whole = (blob[: TOKEN_BYTES * count] for blob, count in zip(blobs, of_pages, strict=True))
    return _Segment(columns, _counted(np.frombuffer(b"".join(whole), "<u8"), columns.lengths))


def _lengths(stored: bytes | None, tokens: int) -> list[int]:
    """Return the lengths of a page's texts, which have ``tokens`` in all; a damaged page is one text."""
    if stored is None:
        return [tokens]
    lengths: list[int] = array_of(stored, "<i4").tolist()
    return lengths if sum(lengths) == tokens else [tokens]


def _counted(tokens: TokenIds, lengths: Numbers) -> _Postings:
    """Count the words of texts of these lengths, whose ``tokens`` are concatenated."""
    rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    order = np.argsort(tokens, kind="stable")
    tokens, rows = tokens[order], rows[order]
    firsts = np.flatnonzero(_changes_at(tokens) | _changes_at(rows))
    counts = np.diff(firsts, append=len(tokens)).astype(np.int32)
    return _Postings(tokens=tokens[firsts], rows=rows[firsts], counts=counts)


def _merged(one: _Segment, other: _Segment) -> _Segment:
    (columns, postings), (more, others) = one.rest(), other.rest()
    return _Segment(
        _Columns(
            documents=np.concatenate((columns.documents, more.documents)),
            positions=np.concatenate((columns.positions, more.positions)),
            lengths=np.concatenate((columns.lengths, more.lengths)),
        ),
        _Postings(
            tokens=np.concatenate((postings.tokens, others.tokens)),
            rows=np.concatenate((postings.rows, others.rows + np.int32(len(columns.documents)))),
            counts=np.concatenate((postings.counts, others.counts)),
        ),
    )


def _changes_at(values: npt.NDArray[np.generic]) -> Mask:
    """Mark each value that differs from the one before; the first always does."""
    return np.concatenate((np.ones(min(1, len(values)), np.bool_), values[1:] != values[:-1]))
