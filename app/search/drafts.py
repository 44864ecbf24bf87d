"""Candidates that no clause need have returned: one page of the index, or a draft, which is not in the index.
Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.search import analysis
from app.search.coverage import Term, coverages
from app.search.index import HITS_PER_PAGE, cosine
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
    return lone_candidate(served, chunks, coverage)


def lone_candidate(
    page: IndexedPage, chunks: Mapping[FieldName, tuple[ChunkHit, ...]], coverage: float
) -> Candidate:
    """Return the page as if every clause had returned it."""
    return Candidate(
        page=page, chunks=chunks, near_fields=frozenset(chunks), keyword=coverage > 0, coverage=coverage
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
    products = (page.vectors @ vector).tolist()
    hits = [
        ChunkHit(position=chunk.position, start=chunk.start, end=chunk.end, cosine=cosine(product))
        for chunk, product in zip(page.chunks, products, strict=True)
        if chunk.field == field
    ]
    hits.sort(key=lambda hit: (-hit.cosine, hit.position))
    return tuple(hits[:HITS_PER_PAGE])
