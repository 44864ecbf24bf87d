"""RawPage -> Markdown -> chunks -> vectors.

``prepare`` fails for one page alone (``PageError``); ``embed`` works on many prepared pages at once, because
embedding is 99 % of the time and goes in batches across pages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ingest.chunkers.context import first_heading
from ingest.documents import FILE_TYPES, PAGE_STARTS, unpaged
from ingest.embedding import CachedEmbedder
from ingest.errors import PageError
from ingest.fingerprints import text_hash
from ingest.html import json_ld
from ingest.protocols import Chunker, Embedder, VectorCache
from ingest.spans import span
from ingest.text import shortened
from ingest.types import JSON_LD, PUBLISHED, Chunk, EmbeddedPage, FieldName, Page, RawPage, Vectors

MAX_CHUNKS: Final = 2_000

MAX_TITLE_CHARACTERS: Final = 2_000
"""More of a name or title is neither embedded nor shown; those of law have up to a thousand."""

Convert = Callable[[RawPage], Mapping[FieldName, str]]
"""All fields of a page as Markdown, the non-empty ones; raises ``PageError``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedPage:
    """A page in Markdown with its chunks, not yet embedded."""

    page: Page
    chunks: tuple[Chunk, ...]


class Pipeline:
    """Builds pages with one chunker and one embedder."""

    def __init__(
        self,
        *,
        convert: Convert,
        chunker: Chunker,
        embedder: Embedder,
        cache: VectorCache,
        max_chunks: int = MAX_CHUNKS,
    ) -> None:
        self._convert = convert
        self._chunker = chunker
        self._embedder = CachedEmbedder(embedder, cache)
        self._max_chunks = max_chunks

    def build(self, raw: RawPage, sequence: int) -> EmbeddedPage:
        """One page from raw to embedded. Raises ``PageError`` and ``EmbedderUnavailableError``."""
        return self.embed([self.prepare(raw, sequence)])[0]

    def prepare(self, raw: RawPage, sequence: int) -> PreparedPage:
        """Convert and cut. Raises ``PageError``: empty, too many chunks, or what the converter says."""
        with span("convert"):
            converted = self._convert(raw)
        fields = {
            name: shortened(text, MAX_TITLE_CHARACTERS) if name in ("name", "title") else text
            for name, text in converted.items()
        }
        if not fields:
            raise PageError("empty", "the page has no visible text in any field")
        if "title" not in fields and _is_file(raw) and (heading := first_heading(fields.get("content", ""))):
            fields["title"] = shortened(heading, MAX_TITLE_CHARACTERS)
        content, starts = unpaged(fields.get("content", ""))
        metadata = {**published_on(raw), **raw.metadata}
        metadata.pop(JSON_LD, None)  # of the page as it is, never a sender's
        if starts:
            fields["content"], metadata[PAGE_STARTS] = content, starts
        if said := _said_in_json(raw):
            metadata[JSON_LD] = said
        page = Page(
            ref=raw.ref,
            document=raw.document,
            sequence=sequence,
            url=raw.url,
            fields=fields,
            updated=raw.updated,
            kind=raw.kind,
            metadata=metadata,
        )
        with span("chunk"):
            chunks = tuple(self._chunker.chunk(page))
        if len(chunks) > self._max_chunks:
            raise PageError(
                "too_large",
                "{count:,} chunks where {limit:,} are allowed: split the page or raise max_chunks",
                count=len(chunks),
                limit=self._max_chunks,
            )
        return PreparedPage(page=page, chunks=chunks)

    def embed(
        self,
        prepared: Sequence[PreparedPage],
        progress: Callable[[int, int], None] = lambda _embedded, _chunks: None,
    ) -> list[EmbeddedPage]:
        """Embed what the cache lacks. ``progress`` is called with the number of chunks that are embedded, and
        of all: first with those that the cache had, then after every batch."""
        texts = (chunk.embedded_text for item in prepared for chunk in item.chunks)
        vectors = self._embedder.vectors(texts, progress)
        return [self._embedded(item, vectors) for item in prepared]

    def _embedded(self, item: PreparedPage, vectors: Mapping[str, Vectors]) -> EmbeddedPage:
        rows = [vectors[text_hash(chunk.embedded_text)] for chunk in item.chunks]
        matrix = np.array(rows, dtype=np.float32).reshape(len(rows), self._embedder.dims)
        return EmbeddedPage(page=item.page, chunks=item.chunks, vectors=matrix)


def published_on(raw: RawPage) -> dict[str, str]:
    """The day from which a page was to be seen, as ``published``; empty if that is not known."""
    return {PUBLISHED: raw.publish_from.date().isoformat()} if raw.publish_from else {}


def _said_in_json(raw: RawPage) -> str:
    """The JSON-LD in a page's HTML; empty for other pages."""
    content = raw.fields.get("content")
    return json_ld(content.text, raw.ref.id) if content and content.is_html else ""


def _is_file(raw: RawPage) -> bool:
    """True if the content is a file, as it was sent by a CMS that may not know the title in it."""
    content = raw.fields.get("content")
    return content is not None and content.media_type in FILE_TYPES
