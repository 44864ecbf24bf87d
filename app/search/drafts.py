"""Drafts, which are pages that are not in the index, as candidates of a search. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.search import analysis
from app.search.coverage import Term, coverages
from app.search.index import HITS_PER_PAGE
from app.search.types import Candidate, ChunkHit, IndexedPage
from ingest.types import EmbeddedPage, FieldName, Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """A page that contradicts a draft. ``own``: the draft's statement; ``other``: the page's; ``kind``: of
    the values that differ."""

    page: IndexedPage
    own: str
    other: str
    kind: str


def draft_candidate(
    page: EmbeddedPage,
    fields: Sequence[FieldName],
    vector: Vectors | None,
    terms: Sequence[Term],
    average_length: float,
) -> Candidate:
    """Return the page with its best chunks in these fields.

    ``vector``: the question's, shape ``(dims,)``, length 1; ``None`` for a search by words. ``terms``: the
    question's words with their weights in the index. ``average_length``: of the index's pages, in tokens.
    """
    served = served_page(page)
    tokens = analysis.page_tokens(served.fields, served.ref.language)
    [coverage] = coverages(terms, [tokens], average_length)
    found = {} if vector is None else {name: _hits(page, name, vector) for name in fields}
    chunks = {name: hits for name, hits in found.items() if hits}
    return Candidate(
        page=served, chunks=chunks, near_fields=frozenset(chunks), keyword=coverage > 0, coverage=coverage
    )


def served_page(page: EmbeddedPage) -> IndexedPage:
    """Return the page as an index would serve it."""
    source = page.page
    return IndexedPage(
        ref=source.ref,
        document=source.document,
        sequence=source.sequence,
        url=source.url,
        kind=source.kind,
        updated=source.updated,
        fields=source.fields,
        content_spans=tuple((each.start, each.end) for each in page.chunks if each.field == "content"),
        metadata=source.metadata,
    )


def _hits(page: EmbeddedPage, field: FieldName, vector: Vectors) -> tuple[ChunkHit, ...]:
    cosines = (page.vectors @ vector).tolist()
    hits = [
        ChunkHit(
            position=chunk.position,
            start=chunk.start,
            end=chunk.end,
            cosine=min(1.0, max(-1.0, cosine)),
        )
        for chunk, cosine in zip(page.chunks, cosines, strict=True)
        if chunk.field == field
    ]
    hits.sort(key=lambda hit: (-hit.cosine, hit.position))
    return tuple(hits[:HITS_PER_PAGE])
