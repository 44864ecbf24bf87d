"""What is sent for a question; no server is asked."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from app.presets import KeywordMode
from app.search.elastic.mapping import Body
from app.search.elastic.queries import KEYWORD, Languages, Scoring, counts_body, highlights_body, pages_body
from app.search.types import QuerySpec
from ingest.types import FieldName
from tests.contracts.embedded_pages import unit

EAST: Final = unit(1, 0, 0, 0)
WHOLE: Final = Scoring()
LANGUAGES: Final = Languages(analysed=("de", "fr"), served=("en",))
SCOPE: Final = {"terms": {"source": ["county", "town"]}}
SOURCES: Final = frozenset({"town", "county"})
WORDS: Final = ("dogs", "pools")
EVERY_FIELD: Final[dict[FieldName, int]] = {"title": 1, "description": 1, "content": 10}


def sent(spec: QuerySpec, *, scoring: Scoring = WHOLE) -> Body:
    return pages_body(spec, spec.vector, LANGUAGES, scoring=scoring)


def by_field(body: Body) -> dict[str, Any]:
    """The kNN clauses by field."""
    return {clause["field"].partition(".")[0]: clause for clause in body["knn"]}


def matches(node: object) -> Iterator[tuple[str, str]]:
    """Every text query in a body: the field and what is asked of it."""
    if isinstance(node, dict):
        for field, match in node.get("match", {}).items():
            yield field, match["query"]
        for value in node.values():
            yield from matches(value)
    elif isinstance(node, list):
        for value in node:
            yield from matches(value)


def test_the_scope_stands_in_every_clause() -> None:
    body = sent(QuerySpec(words=("dog",), sources=SOURCES, vector=EAST, k=EVERY_FIELD))
    assert body["query"]["bool"]["filter"] == SCOPE
    assert {field: clause["filter"] for field, clause in by_field(body).items()} == dict.fromkeys(
        EVERY_FIELD, SCOPE
    )


def test_parts_left_out_and_kept_to_stand_beside_the_sources_in_every_clause() -> None:
    without, within = frozenset({"town:b#page", "town:a#page"}), frozenset({"town:c#page"})
    spec = QuerySpec(words=("dog",), sources=SOURCES, vector=EAST, k=EVERY_FIELD, without=without)
    for body, kept in (
        (sent(spec), [SCOPE]),
        (sent(replace(spec, within=within)), [SCOPE, {"terms": {"part": ["town:c#page"]}}]),
    ):
        clauses = [body["query"]["bool"], *body["knn"]]
        assert len(clauses) == 4
        for clause in clauses:
            assert clause["filter"] == {
                "bool": {"filter": kept, "must_not": [{"terms": {"part": ["town:a#page", "town:b#page"]}}]}
            }


@pytest.mark.parametrize(("words", "keyword"), [(("dog",), "none"), ((), "any"), ((), "all")])
def test_without_words_or_keyword_mode_nothing_is_asked_of_the_text(
    words: tuple[str, ...], keyword: KeywordMode
) -> None:
    body = sent(QuerySpec(words=words, sources=SOURCES, vector=EAST, k=EVERY_FIELD, keyword=keyword))
    assert "query" not in body
    assert set(by_field(body)) == set(EVERY_FIELD)


def test_without_a_vector_or_k_there_is_no_knn_clause() -> None:
    assert "knn" not in sent(QuerySpec(words=("dog",), sources=SOURCES, k=EVERY_FIELD))
    assert "knn" not in sent(QuerySpec(words=("dog",), sources=SOURCES, vector=EAST))


@pytest.mark.parametrize(("keyword", "least"), [("all", 2), ("any", 1)])
def test_all_words_or_one_must_match_in_some_form(keyword: KeywordMode, least: int) -> None:
    clause = sent(QuerySpec(words=WORDS, sources=SOURCES, keyword=keyword))["query"]["bool"]
    assert (clause["_name"], clause["minimum_should_match"]) == (KEYWORD, least)
    asked = [set(matches(word)) for word in clause["should"]]
    assert [
        {("words.de", word), ("words.fr", word)} <= forms for word, forms in zip(WORDS, asked, strict=True)
    ] == [True, True]
    assert [{text for field, text in forms if field == "stems"} for forms in asked] == [{"dog"}, {"pool"}]


def test_a_languages_analyzer_sees_only_pages_in_that_language() -> None:
    words = sent(QuerySpec(words=WORDS, sources=SOURCES))["query"]["bool"]["should"]
    analysed = [query["bool"] for word in words for query in word["dis_max"]["queries"] if "bool" in query]
    assert len(analysed) == 4
    for query in analysed:
        [(field, _)] = matches(query["must"])
        assert query["filter"] == {"term": {"language": field.removeprefix("words.")}}


def test_there_is_room_for_the_pages_of_every_clause() -> None:
    spec = QuerySpec(words=("dog",), sources=SOURCES, vector=EAST, k=EVERY_FIELD, keyword_limit=7)
    assert sent(spec)["size"] == 7 + 1 + 1 + 10


def test_quantised_contents_are_compared_once_more_and_keep_their_least_cosine() -> None:
    spec = QuerySpec(
        words=(),
        sources=SOURCES,
        vector=EAST,
        k=EVERY_FIELD,
        similarity={"title": 0.5, "content": 0.2},
    )
    for scoring in (WHOLE, Scoring(oversample=3.0), Scoring(oversample=10.0, is_rough=True)):
        clauses = by_field(sent(spec, scoring=scoring))
        assert {field: clause.get("similarity") for field, clause in clauses.items()} == {
            "title": 0.5,
            "content": 0.2,
            "description": None,
        }
        again = {
            field: clause["rescore_vector"] for field, clause in clauses.items() if "rescore_vector" in clause
        }
        assert again == ({"content": {"oversample": scoring.oversample}} if scoring.oversample else {})


def test_only_the_contents_vectors_come_with_the_hits_and_only_where_its_scores_are_rough() -> None:
    spec = QuerySpec(words=(), sources=SOURCES, vector=EAST, k=EVERY_FIELD)
    for clauses in (sent(spec)["knn"], sent(spec, scoring=Scoring(oversample=2.0))["knn"]):
        assert not any("docvalue_fields" in clause["inner_hits"] for clause in clauses)
    clauses = by_field(sent(spec, scoring=Scoring(oversample=2.0, is_rough=True)))
    assert clauses["content"]["inner_hits"]["docvalue_fields"] == ["content.chunks.vector"]
    assert "docvalue_fields" not in clauses["title"]["inner_hits"]


def test_no_more_pages_are_asked_for_than_the_server_gives() -> None:
    many: dict[FieldName, int] = {"content": 20_000}
    assert sent(QuerySpec(words=(), sources=SOURCES, vector=EAST, k=many))["size"] == 10_000
    assert sent(QuerySpec(words=("dog",), sources=SOURCES, keyword_limit=20_000))["size"] == 10_000


@pytest.mark.parametrize(
    ("k", "asked", "candidates"), [(1, 1, 500), (100, 100, 1_000), (50_000, 10_000, 10_000)]
)
def test_k_and_candidates_stay_within_what_the_server_takes(k: int, asked: int, candidates: int) -> None:
    [clause] = sent(QuerySpec(words=(), sources=SOURCES, vector=EAST, k={"content": k}))["knn"]
    assert (clause["k"], clause["num_candidates"]) == (asked, candidates)


def test_words_are_counted_over_all_sources() -> None:
    body = counts_body(WORDS, LANGUAGES)
    assert (body["query"], body["size"], body["track_total_hits"]) == ({"match_all": {}}, 0, True)
    filters = body["aggs"]["words"]["filters"]["filters"]
    assert [set(matches(query)) for query in filters.values()] == [
        set(matches(word))
        for word in sent(QuerySpec(words=WORDS, sources=SOURCES))["query"]["bool"]["should"]
    ]
    assert "words" not in counts_body((), LANGUAGES)["aggs"]


def test_highlights_are_asked_of_the_given_pages_only() -> None:
    body = highlights_body(["a", "b"], ("dog",), LANGUAGES.analysed)
    assert (body["query"], body["size"]) == ({"ids": {"values": ["a", "b"]}}, 2)


@pytest.mark.parametrize("word", ["\ud800", "half\udc00"])
def test_words_that_are_not_unicode_can_still_be_sent(word: str) -> None:
    bodies = [
        sent(QuerySpec(words=(word,), sources=SOURCES)),
        counts_body((word,), LANGUAGES),
        highlights_body(["a"], (word,), LANGUAGES.analysed),
    ]
    for body in bodies:
        for _, asked in matches(body):
            asked.encode()
