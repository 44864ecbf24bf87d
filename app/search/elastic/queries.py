"""The requests in Elasticsearch's query DSL. Pure functions.

A page contains a word if it has one of the word's stems (:mod:`app.search.analysis`, the same as in the
embedded index), or if it matches by the server's analyzer for the page's language, which may know synonyms
and compounds.

A question is one ``_msearch`` of two searches. The first finds pages: a kNN clause per field and the keyword
clause, each with the scope as its filter. The second counts the pages of the generation that contain each
word. Its counts are exact, whereas the document frequencies of term vectors include deleted documents.
"""

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from app.search.analysis import forms
from app.search.elastic.mapping import COLLECTION, VALUES, Body, language_field
from app.search.filters import Filter, KeywordFilter
from app.search.highlight import ANALYSED_CHARACTERS, HIGHLIGHT_CHARACTERS, HIGHLIGHTS
from app.search.index import HITS_PER_PAGE, WORD_PAGES
from app.search.spelling import is_completed
from app.search.types import QuerySpec
from ingest.types import FIELDS, FieldName, Vectors

KEYWORD: Final = "keyword"
"""The name of the keyword clause among a hit's matched queries."""

MARKS: Final = ("\ue000", "\ue001")
"""Characters before and after a word in a highlight; from a private-use area, so that no page contains
them."""

MAX_LANGUAGES: Final = 1_000
MAX_CANDIDATES: Final = 10_000
MAX_INNER_HITS: Final = 100
"""The most chunks of a page that a server returns, unless the index's settings say otherwise."""

SIMILAR_WORDS: Final = 50
"""The most similar words to ask for, per field."""

_CANDIDATES_PER_PAGE: Final = 10
_MIN_CANDIDATES: Final = 500
"""kNN candidates of each shard: per page wanted, and at least. More are slower, but miss fewer neighbours."""

KNN_BOOST: Final = 2.0**20
"""Boost of the kNN clauses, which ranks all their hits before those of the keyword clause.

It multiplies the scores of inner hits too; as a power of two it costs them no precision.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How the server scores the content's chunks. ``oversample``: this many times the wanted number of
    quantised vectors is compared again by the whole vectors; 0 if vectors are not quantised. ``is_rough``:
    inner hits nevertheless have the scores of quantised vectors, so exact cosines must be computed from the
    vectors."""

    oversample: float = 0.0
    is_rough: bool = False


def word_name(number: int) -> str:
    """Return the name of a word's query among a hit's matched queries, and of its count."""
    return f"word{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
    """Languages to search in. ``analysed``: those with an analyzer on the server. ``served``: the pages'."""

    analysed: Sequence[str]
    served: Collection[str]


def pages_body(spec: QuerySpec, vector: Vectors | None, languages: Languages, *, scoring: Scoring) -> Body:
    """Return the search for pages. ``vector``: the question's, of length 1; ``None`` for no kNN clauses."""
    scope = _scope(spec)
    body: Body = {"size": spec.keyword_limit, "track_total_hits": False}
    if spec.keyword != "none" and spec.words:
        body["query"] = _keyword_clause(spec, scope, languages)
    if vector is not None and spec.k:
        body["size"] += sum(spec.k.values())
        body["knn"] = [
            _knn_clause(name, k, vector, scope, scoring=scoring, least=spec.similarity.get(name))
            for name, k in spec.k.items()
        ]
    body["size"] = min(body["size"], MAX_CANDIDATES)
    return body


def matches_body(spec: QuerySpec, prefix: str, languages: Languages) -> Body:
    """Return the search for pages with all words, and with a word that begins with ``prefix`` if given."""
    wanted = [_word(word, languages) for word in spec.words]
    if prefix:
        wanted.append(_beginning(prefix, languages))
    return {
        "size": min(spec.keyword_limit, MAX_CANDIDATES),
        "track_total_hits": False,
        "_source": ["source", "page", "language", "kind", "name.text", "title.text", VALUES],
        "query": {"bool": {"filter": _scope(spec), "must": wanted}},
    }


def page_body(
    document: str, spec: QuerySpec, vector: Vectors | None, languages: Languages, *, scoring: Scoring
) -> Body:
    """Return the search for one document, with its nearest chunks in the fields of ``spec.k`` and the words
    that it has. Exact even in a graph, as in :func:`cosines_body`."""
    only = {"ids": {"values": [document]}}
    words = [_word(word, languages, word_name(number)) for number, word in enumerate(spec.words)]
    body: Body = {
        "size": 1,
        "track_total_hits": False,
        "query": {"bool": {"filter": only, "should": words}},
    }
    if vector is not None and spec.k:
        clauses = (_knn_clause(name, 1, vector, only, scoring=scoring) for name in spec.k)
        body["knn"] = [{**clause, "num_candidates": MAX_CANDIDATES} for clause in clauses]
    return body


def near_chunks_body(spec: QuerySpec, vector: Vectors, limit: int, *, scoring: Scoring) -> Body:
    """Return the search for the nearest chunks. A page that has one of the ``limit`` nearest chunks is always
    among the ``limit`` nearest pages."""
    clause = _knn_clause("content", limit, vector, _scope(spec), scoring=scoring)
    clause["inner_hits"]["size"] = min(limit, MAX_INNER_HITS)
    return {"size": limit, "track_total_hits": False, "knn": clause}


def matching_chunks_body(spec: QuerySpec, limit: int, languages: Languages) -> Body:
    """Return the search for the chunks that match the words best, page by page."""
    path = "content.chunks"
    stems = [
        [_match(form, f"{path}.stems") for form in sorted(forms(w, languages.served))] for w in spec.words
    ]
    words = [{"dis_max": {"queries": queries or [{"match_none": {}}]}} for queries in stems]
    chunks: Body = {
        "path": path,
        "query": {"bool": {"should": words, "minimum_should_match": 1}},
        "score_mode": "max",
        "ignore_unmapped": True,
        "inner_hits": {"size": min(limit, MAX_INNER_HITS), "_source": False},
    }
    query = {"bool": {"filter": _scope(spec), "must": {"nested": chunks}}}
    return {"size": limit, "track_total_hits": False, "query": query}


def cosines_body(ids: Sequence[str], vector: Vectors, *, scoring: Scoring) -> Body:
    """Return the search for the nearest chunks of these documents' content. Exact even in a graph, because
    the server compares all chunks that pass the filter if they are fewer than its candidates."""
    clause = _knn_clause("content", len(ids), vector, {"ids": {"values": list(ids)}}, scoring=scoring)
    return {
        "size": len(ids),
        "track_total_hits": False,
        "_source": ["source", "page", "language"],
        "knn": {**clause, "num_candidates": MAX_CANDIDATES},
    }


def counts_body(words: Sequence[str], languages: Languages) -> Body:
    """Return the search for statistics: the number of pages, and of those with each word; the pages' mean
    length in tokens; their languages."""
    filters = {word_name(number): _word(word, languages) for number, word in enumerate(words)}
    aggregations: Body = {
        "length": {"avg": {"field": "length"}},
        "languages": {"terms": {"field": "language", "size": MAX_LANGUAGES}},
    }
    if filters:
        aggregations["words"] = {"filters": {"filters": filters}}
    return {"size": 0, "track_total_hits": True, "query": {"match_all": {}}, "aggs": aggregations}


def word_pages_body(spec: QuerySpec, most: int, languages: Languages) -> Body:
    """Return the search for the number of pages with each word, and up to ``most`` of the pages."""
    filters = {word_name(number): _word(word, languages) for number, word in enumerate(spec.words)}
    some: Body = {"top_hits": {"size": min(most, WORD_PAGES), "_source": ["source", "page", "language"]}}
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": _scope(spec)}},
        "aggs": {"words": {"filters": {"filters": filters}, "aggs": {"some": some}}},
    }


def similar_words_body(word: str, edits: int) -> Body:
    """Return the search for words of pages similar to ``word``, field by field."""
    term = {
        "suggest_mode": "always",
        "sort": "frequency",
        "size": SIMILAR_WORDS,
        "max_edits": edits,
        "prefix_length": 1,
        "max_inspections": 20,
        "accuracy": 0.1,
    }
    spelt = {word, word.replace("ss", "ß")}  # the server does not fold what it suggests
    suggesters = {
        f"{name} {text}": {
            "text": text,
            "term": {"field": f"{name}.text", **term, "min_word_length": len(text)},
        }
        for name in FIELDS
        for text in sorted(spelt)
    }
    return {"size": 0, "track_total_hits": False, "suggest": suggesters}


def without_vectors_query() -> Body:
    """Return the query for pages with words but without vectors in any field."""
    vectors = [f"{name}.chunks.vector" for name in FIELDS]
    nested = [
        {"nested": {"path": path.rpartition(".")[0], "query": {"exists": {"field": path}}}}
        for path in vectors
    ]
    return {"bool": {"filter": {"range": {"length": {"gt": 0}}}, "must_not": nested}}


def highlights_body(ids: Sequence[str], words: Sequence[str], languages: Sequence[str]) -> Body:
    """Return the search for fragments of these documents' content with the words, marked by ``MARKS``."""
    fields = ["content.text", *(language_field("content.text", language) for language in languages)]
    content = {
        "matched_fields": fields[1:],
        "highlight_query": {"bool": {"should": [_match(word, field) for word in words for field in fields]}},
    }
    return {
        "size": len(ids),
        "track_total_hits": False,
        "_source": ["source", "page", "language", "content.text"],
        "query": {"ids": {"values": list(ids)}},
        "highlight": {
            "pre_tags": [MARKS[0]],
            "post_tags": [MARKS[1]],
            "order": "score",
            "number_of_fragments": HIGHLIGHTS,
            "fragment_size": HIGHLIGHT_CHARACTERS,
            "max_analyzed_offset": ANALYSED_CHARACTERS,
            "fields": {"content.text": content},
        },
    }


def _scope(spec: QuerySpec) -> Body:
    sources = {"terms": {"source": sorted(spec.sources)}}
    if not spec.without and spec.within is None and not spec.filters:
        return sources
    within = [] if spec.within is None else [{"terms": {COLLECTION: sorted(spec.within)}}]
    without = [{"terms": {COLLECTION: sorted(spec.without)}}] if spec.without else []
    return {"bool": {"filter": [sources, *within, *map(_passing, spec.filters)], "must_not": without}}


def _passing(asked: Filter) -> Body:
    field = f"{VALUES}.{asked.field}"
    if isinstance(asked, KeywordFilter):
        return {"terms": {field: asked.values}}
    ends = {"gte": asked.start, "lte": asked.end}
    return {"range": {field: {name: end for name, end in ends.items() if end is not None}}}


def _keyword_clause(spec: QuerySpec, scope: Body, languages: Languages) -> Body:
    words = [_word(word, languages, word_name(number)) for number, word in enumerate(spec.words)]
    least = len(words) if spec.keyword == "all" else 1
    return {"bool": {"_name": KEYWORD, "filter": scope, "should": words, "minimum_should_match": least}}


def _word(word: str, languages: Languages, name: str | None = None) -> Body:
    """Return the query for pages with a word; the score is that of its best form."""
    stems = [_match(form, "stems") for form in sorted(forms(word, languages.served))]
    analysed = [
        {
            "bool": {
                "filter": {"term": {"language": code}},
                "must": _match(word, language_field("words", code)),
            }
        }
        for code in languages.analysed
    ]
    query: Body = {"queries": stems + analysed or [{"match_none": {}}]}
    return {"dis_max": query if name is None else {**query, "_name": name}}


def _beginning(prefix: str, languages: Languages) -> Body:
    """Return the query for pages with a word that begins with ``prefix``, or whose stem is that of ``prefix``
    (a stem may be shorter than what was typed)."""
    whole = _word(prefix, languages)
    if not is_completed(prefix):
        return whole
    # Stemmers turn umlauts into plain vowels.
    plain = "".join(each for each in unicodedata.normalize("NFD", prefix) if not unicodedata.combining(each))
    beginnings = [{"prefix": {"stems": {"value": each}}} for each in sorted({prefix, plain})]
    return {"dis_max": {"queries": [whole, *beginnings]}}


def _match(word: str, field: str) -> Body:
    encodable = word.encode("utf-8", "replace").decode()
    return {"match": {field: {"query": encodable, "operator": "and"}}}


def _knn_clause(
    field: FieldName, k: int, vector: Vectors, scope: Body, *, scoring: Scoring, least: float | None = None
) -> Body:
    k = min(k, MAX_CANDIDATES)
    path = f"{field}.chunks.vector"
    inner_hits: Body = {"name": field, "size": HITS_PER_PAGE, "_source": False}
    clause: Body = {
        "field": path,
        "query_vector": vector,
        "k": k,
        "num_candidates": min(MAX_CANDIDATES, max(_MIN_CANDIDATES, _CANDIDATES_PER_PAGE * k)),
        "filter": scope,
        "boost": KNN_BOOST,
        "inner_hits": inner_hits,
    }
    if scoring.oversample and field == "content":
        clause["rescore_vector"] = {"oversample": scoring.oversample}
    if scoring.is_rough and field == "content":
        inner_hits["docvalue_fields"] = [path]
    if least is not None:
        clause["similarity"] = least
    return clause
