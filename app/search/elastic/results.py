"""Turns the server's responses into candidates. Pure functions, except for a cache of token identifiers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from app.search.analysis import TokenIds, folded, forms, page_tokens, token_ids
from app.search.coverage import Term, coverages, idf
from app.search.drafts import draft_candidate, lone_candidate
from app.search.elastic.documents import indexed_page, page_ref
from app.search.elastic.mapping import VALUES
from app.search.elastic.queries import KEYWORD, KNN_BOOST, MARKS, word_name
from app.search.fields import stored_values
from app.search.highlight import highlights
from app.search.index import cosine, normalised
from app.search.types import (
    Candidate,
    ChunkCandidate,
    ChunkHit,
    Highlight,
    IndexedPage,
    PageMatch,
    QuerySpec,
    WordPages,
)
from ingest.types import FIELDS, EmbeddedPage, FieldName, PageRef, Vectors

Response = Mapping[str, Any]
Chunks = Mapping[FieldName, tuple[ChunkHit, ...]]
"""A page's best chunks by field, best first."""

_CACHED_PAGES: Final = 4_096
"""Pages whose token identifiers are cached, about 10 kB each, because analysing a page takes a
millisecond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Statistics of all pages of a generation: number, mean length in tokens, and languages.

    ``frequencies``: the number of pages that contain each word of the question.
    """

    pages: int
    average_length: float
    frequencies: tuple[int, ...]
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _PageHit:
    page: IndexedPage
    hit: Response


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundChunk:
    page: IndexedPage
    chunk: Mapping[str, Any]
    score: float
    offset: int


def read_counts(response: Response) -> Counts:
    """Read the response to :func:`app.search.elastic.queries.counts_body`."""
    buckets = response["aggregations"].get("words", {}).get("buckets", {})
    return Counts(
        pages=response["hits"]["total"]["value"],
        average_length=response["aggregations"]["length"]["value"] or 0.0,
        frequencies=tuple(buckets[word_name(number)]["doc_count"] for number in range(len(buckets))),
        languages=tuple(bucket["key"] for bucket in response["aggregations"]["languages"]["buckets"]),
    )


def read_candidates(
    spec: QuerySpec, vector: Vectors | None, response: Response, counts: Counts
) -> list[Candidate]:
    """Return the pages that a clause returned. ``vector``: the question's, of length 1."""
    found = [_PageHit(indexed_page(hit["_source"]), hit) for hit in response["hits"]["hits"]]
    by_words = _best_by_words([item.hit for item in found], spec.keyword_limit)
    chunks = [_chunks(item, vector, spec) for item in found]
    nearest = {name: _best_pages(chunks, name, spec.k[name]) for name in spec.k}
    covered = _coverages(spec.words, found, counts)
    candidates = [
        Candidate(
            page=item.page,
            chunks=chunks[number],
            near_fields=frozenset(name for name, pages in nearest.items() if number in pages),
            keyword=item.hit["_id"] in by_words,
            coverage=share,
        )
        for number, (item, share) in enumerate(zip(found, covered, strict=True))
    ]
    return [candidate for candidate in candidates if candidate.near_fields or candidate.keyword]


def read_candidate(
    spec: QuerySpec, vector: Vectors | None, response: Response, counts: Counts
) -> Candidate | None:
    """Read the response to :func:`app.search.elastic.queries.page_body`; ``None`` if there is no page."""
    found = [_PageHit(indexed_page(hit["_source"]), hit) for hit in response["hits"]["hits"]]
    for item, coverage in zip(found, _coverages(spec.words, found, counts), strict=True):
        chunks = _chunks(item, vector, replace(spec, similarity={}))
        return lone_candidate(item.page, chunks, coverage)
    return None


def read_draft(page: EmbeddedPage, spec: QuerySpec, vector: Vectors | None, counts: Counts) -> Candidate:
    """Return the candidate of a page that is not in the index, with the words' weights in the index."""
    return draft_candidate(page, tuple(spec.k), vector, _terms(spec.words, counts), counts.average_length)


def read_chunks(
    near: Response | None, matching: Response | None, vector: Vectors | None, limit: int
) -> list[ChunkCandidate]:
    """Return the chunks that the two searches found. ``vector``: the question's, of length 1."""
    nearest = _best_chunks(near, lambda hit: _cosine(hit, vector) if vector is not None else 0.0, limit)
    best = _best_chunks(matching, lambda hit: float(hit["_score"]), limit)
    ranks = {key: rank for rank, key in enumerate(nearest, start=1)}
    matches = {key: rank for rank, key in enumerate(best, start=1)}
    return [
        ChunkCandidate(
            page=found.page,
            position=found.chunk["position"],
            start=found.chunk["start"],
            end=found.chunk["end"],
            context=found.chunk.get("context", ""),
            cosine=nearest[key].score if key in nearest else None,
            near=ranks.get(key),
            matching=matches.get(key),
        )
        for key, found in {**best, **nearest}.items()
    ]


def _best_chunks(
    response: Response | None, score: Callable[[Response], float], limit: int
) -> dict[tuple[PageRef, int], _FoundChunk]:
    """Return the best chunks by page and offset, best first."""
    found = [
        _FoundChunk(
            page=page, chunk=hit["_source"]["content"]["chunks"][offset], score=score(inner), offset=offset
        )
        for hit in (response["hits"]["hits"] if response else ())
        for page in [indexed_page(hit["_source"])]
        for inner in next(iter(hit["inner_hits"].values()))["hits"]["hits"]
        for offset in [inner["_nested"]["offset"]]
    ]
    found.sort(key=lambda each: (-each.score, each.page.ref, each.offset))
    return {(each.page.ref, each.offset): each for each in found[:limit]}


def read_cosines(response: Response, vector: Vectors) -> dict[PageRef, float]:
    """Return the best cosine of each page. ``vector``: the question's, of length 1."""
    return {
        page_ref(hit["_source"]): max(
            _cosine(chunk, vector) for chunk in hit["inner_hits"]["content"]["hits"]["hits"]
        )
        for hit in response["hits"]["hits"]
    }


def read_word_pages(response: Response) -> list[WordPages]:
    """Read the response to :func:`app.search.elastic.queries.word_pages_body`, word by word."""
    buckets = response["aggregations"]["words"]["buckets"]
    found = (buckets[word_name(number)] for number in range(len(buckets)))
    return [
        WordPages(
            count=bucket["doc_count"],
            refs=[page_ref(hit["_source"]) for hit in bucket["some"]["hits"]["hits"]],
        )
        for bucket in found
    ]


def read_words(response: Response) -> list[str]:
    """Read the response to :func:`app.search.elastic.queries.similar_words_body`."""
    entries = (entry for found in response.get("suggest", {}).values() for entry in found)
    texts = (option["text"] for entry in entries for option in entry["options"])
    return sorted({word for text in texts for word in folded(text)})


def read_matches(response: Response) -> list[PageMatch]:
    """Read the response to :func:`app.search.elastic.queries.matches_body`, best first."""
    return [
        PageMatch(
            ref=page_ref(source),
            kind=source["kind"],
            headline=" ".join(filter(None, (source.get(name, {}).get("text") for name in ("name", "title")))),
            values=stored_values(source.get(VALUES, {})),
        )
        for source in (hit["_source"] for hit in response["hits"]["hits"])
    ]


def read_highlights(response: Response, words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
    """Return the fragments of each page that has any: by our stems, otherwise by the server's analysis
    (synonyms)."""
    found = {page_ref(hit["_source"]): _highlights(hit, words) for hit in response["hits"]["hits"]}
    return {ref: fragments for ref, fragments in found.items() if fragments}


def _highlights(hit: Response, words: Sequence[str]) -> list[Highlight]:
    source = hit["_source"]
    ours = highlights(source.get("content", {}).get("text", ""), words, source["language"])
    return ours or [_highlight(fragment) for fragment in hit.get("highlight", {}).get("content.text", ())]


def _highlight(fragment: str) -> Highlight:
    before, after = MARKS
    head, *marked = fragment.split(before)
    text, marks = head.replace(after, ""), []
    for section in marked:
        word, _, rest = section.partition(after)
        marks.append((len(text), len(text) + len(word)))
        text += word + rest.replace(after, "")
    return Highlight(text=text, marks=tuple(marks))


def _best_by_words(hits: Sequence[Response], limit: int) -> set[str]:
    """Return the ids of the pages that the keyword clause returned: the best ``limit`` that match it."""
    scores = {hit["_id"]: hit["matched_queries"][KEYWORD] for hit in hits if KEYWORD in _matched(hit)}
    return set(sorted(scores, key=lambda name: (-scores[name], name))[:limit])


def _matched(hit: Response) -> Mapping[str, float]:
    matched: Mapping[str, float] = hit.get("matched_queries", {})
    return matched


def _best_pages(pages: Sequence[Chunks], name: FieldName, k: int) -> set[int]:
    """Return the numbers of the pages that the field's kNN clause returned.

    The server returns chunks of every clause for each page, so a clause's own pages are the best ``k`` by the
    field's cosine.
    """
    cosines = {number: page[name][0].cosine for number, page in enumerate(pages) if name in page}
    return set(sorted(cosines, key=lambda number: (-cosines[number], number))[:k])


def _chunks(item: _PageHit, vector: Vectors | None, spec: QuerySpec) -> Chunks:
    """Return the page's chunks by field, if the best one reaches the field's ``QuerySpec.similarity``."""
    if vector is None:
        return {}
    inner = item.hit.get("inner_hits", {})
    found = {name: inner[name]["hits"]["hits"] for name in FIELDS if name in inner}
    ranked = {name: _ranked(name, hits, item, vector) for name, hits in found.items() if hits}
    return {name: hits for name, hits in ranked.items() if hits[0].cosine >= spec.similarity.get(name, -1.0)}


def _ranked(
    field: FieldName, hits: Sequence[Response], item: _PageHit, vector: Vectors
) -> tuple[ChunkHit, ...]:
    stored = item.hit["_source"][field]["chunks"]
    chunks = []
    for hit in hits:
        chunk = stored[hit["_nested"]["offset"]]
        chunks.append(ChunkHit(chunk["position"], chunk["start"], chunk["end"], _cosine(hit, vector)))
    return tuple(sorted(chunks, key=lambda chunk: (-chunk.cosine, chunk.position)))


def _cosine(hit: Response, vector: Vectors) -> float:
    """Return the exact cosine, computed from the vector if it was requested: then the score is that of its
    quantised form."""
    stored = next(iter(hit.get("fields", {}).values()), None)
    if stored is None:
        return cosine(2 * float(hit["_score"]) / KNN_BOOST - 1)
    return cosine(normalised(np.asarray(stored, np.float32))[0] @ vector)


def _coverages(words: Sequence[str], found: Sequence[_PageHit], counts: Counts) -> list[float]:
    terms = _terms(words, counts)
    return coverages(terms, [_tokens(item, terms) for item in found], counts.average_length)


def _terms(words: Sequence[str], counts: Counts) -> list[Term]:
    return [
        Term(
            token_ids(sorted(forms(word, counts.languages))), idf(counts.pages, min(frequency, counts.pages))
        )
        for word, frequency in zip(words, counts.frequencies, strict=True)
    ]


def _tokens(item: _PageHit, terms: Sequence[Term]) -> TokenIds:
    """Return the page's tokens. A word that only the server's analysis finds (a synonym, half of a compound)
    is added once, at the end."""
    known = _known_tokens(tuple(item.page.fields.items()), item.page.ref.language)
    matched = _matched(item.hit)
    more = [
        term.ids[0]
        for number, term in enumerate(terms)
        if word_name(number) in matched and len(term.ids) and not (term.ids[:, None] == known).any()
    ]
    return np.append(known, np.array(more, np.uint64)) if more else known


@lru_cache(maxsize=_CACHED_PAGES)
def _known_tokens(fields: tuple[tuple[FieldName, str], ...], language: str) -> TokenIds:
    return page_tokens(dict(fields), language)
