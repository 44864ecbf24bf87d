"""Pages in the search page's list. The list itself: ``test_api.py``."""

import pytest

from app.chat.decisions import Pin
from app.features.search_page.page_list import is_pinned, ordered, relevant
from app.search.retrieval import Certainty, Hit, NearChunk, Retrieval, RetrievalMode
from app.search.types import IndexedPage, PageMatch
from app.search.word_search import typed_words
from ingest.types import PageRef


def ref(name: str) -> PageRef:
    return PageRef(source="town", id=name, language="en")


def hit(name: str, score: float, relevance: float = 0.0) -> Hit:
    page = IndexedPage(ref=ref(name), document=name, sequence=1, url="", kind="page", updated=None, fields={})
    near = (NearChunk(start=0, end=1, relevance=relevance),)
    return Hit(rank=1, page=page, score=score, coverage=0, similarity={}, passages=(), near_chunks=near)


def found(*hits: Hit, mode: RetrievalMode = "semantic", certainty: Certainty = "answered") -> Retrieval:
    return Retrieval(question="q", mode=mode, degraded=(), hits=hits, certainty=certainty)


def names(hits: object) -> list[str]:
    return [each.page.ref.id for each in hits]  # type: ignore[attr-defined]


def test_pages_that_come_near_the_best_one_are_listed() -> None:
    assert names(relevant(found(hit("a", 1.0), hit("b", 0.5), hit("c", 0.49)))) == ["a", "b"]


def test_a_page_without_the_words_is_listed_if_its_text_is_as_near() -> None:
    assert names(relevant(found(hit("a", 2.0, 0.5), hit("german", 0.6, 0.46), hit("c", 0.6, 0.4)))) == [
        "a",
        "german",
    ]


def test_nothing_is_listed_that_is_far_from_the_question_but_all_that_was_found_by_words() -> None:
    assert names(relevant(found(hit("a", 1.0), certainty="far"))) == []
    assert names(relevant(found(hit("a", 1.0), hit("b", 0.1), mode="keyword"))) == ["a", "b"]


def test_pages_with_the_words_follow_those_by_meaning_and_pages_that_editors_pinned_stay_first() -> None:
    matches = [PageMatch(ref=ref(name), kind="page", headline="") for name in ("x", "a")]
    assert [each.id for each in ordered(found(hit("a", 1)), [ref("a")], matches)] == ["a", "x"]
    by_words = found(hit("pin", 1), hit("a", 1), mode="keyword")
    ranked = [ref("a"), ref("synonym")]
    assert [each.id for each in ordered(by_words, ranked, matches)] == ["x", "a", "synonym"]
    assert [each.id for each in ordered(by_words, ranked, matches, is_pinned=True)] == ["a", "synonym", "x"]


def test_pages_are_pinned_only_if_one_of_them_is_there() -> None:
    pins = [Pin(number=1, source="town", id="hidden"), Pin(number=2, source="town", id="pin")]
    hits = found(hit("pin", 1), hit("a", 1), mode="keyword")
    assert is_pinned(hits, pins)
    assert is_pinned(hits, [Pin(number=2, source="town", id="pin", language="en")])
    assert not is_pinned(hits, [Pin(number=2, source="town", id="pin", language="de")])
    assert not is_pinned(hits, pins[:1])
    assert not is_pinned(found(), pins)
    assert not is_pinned(hits, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dog tax", (("dog",), "tax")),
        ("dog tax ", (("dog", "tax"), "")),
        ("Was kostet die Hundest", (("kostet",), "hundest")),
        ("Öffn", ((), "öffn")),
        ("?", ((), "")),
        ("", ((), "")),
    ],
)
def test_the_last_word_is_a_beginning_until_a_space(text: str, expected: tuple[tuple[str, ...], str]) -> None:
    assert typed_words(text, None) == expected
