"""RawPage -> Markdown -> chunks -> vectors.

``prepare`` takes one page, so that a failure (``PageError``) concerns that page only. ``embed`` takes many
prepared pages, because embedding is 99 % of the time and its batches span pages.
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
"""Names and titles are cut to this length; those of law have up to a thousand characters."""

Convert = Callable[[RawPage], Mapping[FieldName, str]]
"""Converts the fields of a page to Markdown and leaves out empty ones; raises ``PageError``."""


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
        """Take one page from raw to embedded. Raises ``PageError`` and ``EmbedderUnavailableError``."""
        return self.embed([self.prepare(raw, sequence)])[0]

    def prepare(self, raw: RawPage, sequence: int) -> PreparedPage:
        """Convert and chunk. Raises ``PageError``: empty, too many chunks, or the converter's."""
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
        metadata.pop(JSON_LD, None)  # only the page's own HTML may set it, never its sender
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
                "{count:,} chunks, but at most {limit:,} are allowed: split the page or raise max_chunks",
                count=len(chunks),
                limit=self._max_chunks,
            )
        return PreparedPage(page=page, chunks=chunks)

    def embed(
        self,
        prepared: Sequence[PreparedPage],
        progress: Callable[[int, int], None] = lambda _embedded, _chunks: None,
    ) -> list[EmbeddedPage]:
        """Embed the chunks that the cache lacks. ``progress`` is called with the number of embedded chunks
        and that of all: first after the look into the cache, then after every batch."""
        texts = (chunk.embedded_text for item in prepared for chunk in item.chunks)
        vectors = self._embedder.vectors(texts, progress)
        return [self._embedded(item, vectors) for item in prepared]

    def _embedded(self, item: PreparedPage, vectors: Mapping[str, Vectors]) -> EmbeddedPage:
        rows = [vectors[text_hash(chunk.embedded_text)] for chunk in item.chunks]
        matrix = np.array(rows, dtype=np.float32).reshape(len(rows), self._embedder.dims)
        return EmbeddedPage(page=item.page, chunks=item.chunks, vectors=matrix)


def published_on(raw: RawPage) -> dict[str, str]:
    """Return ``published``: the day from which the page was visible; empty if that is not known."""
    return {PUBLISHED: raw.publish_from.date().isoformat()} if raw.publish_from else {}


def _said_in_json(raw: RawPage) -> str:
    """Return the JSON-LD in a page's HTML; empty for other pages."""
    content = raw.fields.get("content")
    return json_ld(content.text, raw.ref.id) if content and content.is_html else ""


def _is_file(raw: RawPage) -> bool:
    """Return True if the content is a file: the CMS that sent it may not know the title inside it."""
    content = raw.fields.get("content")
    return content is not None and content.media_type in FILE_TYPES
