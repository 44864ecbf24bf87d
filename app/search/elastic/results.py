"""From the server's answers to candidates. Pure functions, but for a cache of token identifiers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from app.search.analysis import TokenIds, forms, page_tokens, token_ids
from app.search.coverage import Term, coverages, idf
from app.search.elastic.documents import indexed_page, page_ref
from app.search.elastic.queries import KEYWORD, KNN_BOOST, MARKS, word_name
from app.search.highlight import highlights
from app.search.types import Candidate, ChunkHit, Highlight, IndexedPage, QuerySpec
from app.search.validation import normalised
from ingest.types import FIELDS, FieldName, PageRef, Vectors

Answer = Mapping[str, Any]
Chunks = Mapping[FieldName, tuple[ChunkHit, ...]]
"""A page's best chunks by field, best first."""

_CACHED_PAGES: Final = 4_096
"""Pages whose token identifiers are kept, some 10 kB each: analysing them anew takes a millisecond each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Over all pages of a generation: how many there are, hold each word, their mean length and languages."""

    pages: int
    average_length: float
    holding: tuple[int, ...]
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    page: IndexedPage
    hit: Answer


def read_counts(answer: Answer) -> Counts:
    """The counts, one for each word asked for."""
    buckets = answer["aggregations"].get("words", {}).get("buckets", {})
    return Counts(
        pages=answer["hits"]["total"]["value"],
        average_length=answer["aggregations"]["length"]["value"] or 0.0,
        holding=tuple(buckets[word_name(number)]["doc_count"] for number in range(len(buckets))),
        languages=tuple(bucket["key"] for bucket in answer["aggregations"]["languages"]["buckets"]),
    )


def read_candidates(
    spec: QuerySpec, vector: Vectors | None, answer: Answer, counts: Counts
) -> list[Candidate]:
    """The pages that a clause brought. ``vector``: the question's, in unit form."""
    found = [_Found(indexed_page(hit["_source"]), hit) for hit in answer["hits"]["hits"]]
    by_words = _best_by_words([item.hit for item in found], spec.keyword_limit)
    chunks = [_chunks(item, vector, spec) for item in found]
    nearest = {name: _best_pages(chunks, name, spec.k[name]) for name in spec.k}
    covered = _coverages(spec.words, found, counts)
    candidates = [
        Candidate(
            page=item.page,
            chunks=chunks[number],
            near=frozenset(name for name, pages in nearest.items() if number in pages),
            keyword=item.hit["_id"] in by_words,
            coverage=share,
        )
        for number, (item, share) in enumerate(zip(found, covered, strict=True))
    ]
    return [candidate for candidate in candidates if candidate.near or candidate.keyword]


def read_highlights(answer: Answer, words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
    """The pieces of each page that has some: by our stems, else by the server's analysis (synonyms)."""
    found = {page_ref(hit["_source"]): _highlights(hit, words) for hit in answer["hits"]["hits"]}
    return {ref: pieces for ref, pieces in found.items() if pieces}


def _highlights(hit: Answer, words: Sequence[str]) -> list[Highlight]:
    source = hit["_source"]
    ours = highlights(source.get("content", {}).get("text", ""), words, source["language"])
    return ours or [_highlight(piece) for piece in hit.get("highlight", {}).get("content.text", ())]


def _highlight(piece: str) -> Highlight:
    before, after = MARKS
    head, *marked = piece.split(before)
    text, marks = head.replace(after, ""), []
    for part in marked:
        word, _, rest = part.partition(after)
        marks.append((len(text), len(text) + len(word)))
        text += word + rest.replace(after, "")
    return Highlight(text=text, marks=tuple(marks))


def _best_by_words(hits: Sequence[Answer], limit: int) -> set[str]:
    """The ids of the pages that the keyword clause brought: the best ``limit`` of those that match it."""
    scores = {hit["_id"]: hit["matched_queries"][KEYWORD] for hit in hits if KEYWORD in _matched(hit)}
    return set(sorted(scores, key=lambda name: (-scores[name], name))[:limit])


def _matched(hit: Answer) -> Mapping[str, float]:
    matched: Mapping[str, float] = hit.get("matched_queries", {})
    return matched


def _best_pages(pages: Sequence[Chunks], name: FieldName, k: int) -> set[int]:
    """The numbers of the pages that the field's kNN clause brought.

    The server gives the chunks of every clause for each page; a clause's own are the best ``k`` of them.
    """
    cosines = {number: page[name][0].cosine for number, page in enumerate(pages) if name in page}
    return set(sorted(cosines, key=lambda number: (-cosines[number], number))[:k])


def _chunks(item: _Found, vector: Vectors | None, spec: QuerySpec) -> Chunks:
    """By field, where the best one reaches the field's least cosine."""
    if vector is None:
        return {}
    inner = item.hit.get("inner_hits", {})
    found = {name: inner[name]["hits"]["hits"] for name in FIELDS if name in inner}
    ranked = {name: _ranked(name, hits, item, vector) for name, hits in found.items() if hits}
    return {name: hits for name, hits in ranked.items() if hits[0].cosine >= spec.similarity.get(name, -1.0)}


def _ranked(field: FieldName, hits: Sequence[Answer], item: _Found, vector: Vectors) -> tuple[ChunkHit, ...]:
    places = item.hit["_source"][field]["chunks"]
    chunks = []
    for hit in hits:
        place = places[hit["_nested"]["offset"]]
        cosine = min(1.0, max(-1.0, _cosine(hit, vector)))  # rounding may lead just outside
        chunks.append(
            ChunkHit(position=place["position"], start=place["start"], end=place["end"], cosine=cosine)
        )
    return tuple(sorted(chunks, key=lambda chunk: (-chunk.cosine, chunk.position)))


def _cosine(hit: Answer, vector: Vectors) -> float:
    """Exact: from the vector where it was asked for because the score is of its quantised form."""
    stored = next(iter(hit.get("fields", {}).values()), None)
    if stored is None:
        return 2 * float(hit["_score"]) / KNN_BOOST - 1
    return float(normalised(np.asarray(stored, np.float32))[0] @ vector)


def _coverages(words: Sequence[str], found: Sequence[_Found], counts: Counts) -> list[float]:
    terms = [
        Term(token_ids(sorted(forms(word, counts.languages))), idf(counts.pages, min(holding, counts.pages)))
        for word, holding in zip(words, counts.holding, strict=True)
    ]
    return coverages(terms, [_tokens(item, terms) for item in found], counts.average_length)


def _tokens(item: _Found, terms: Sequence[Term]) -> TokenIds:
    """The page's tokens. A word that only the server's analysis finds (a synonym, a compound's part) stands
    once at their end."""
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
