"""Follow-up questions where no model rephrases them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from app.chat.follow_ups import search_follow_up
from app.chat.types import Turn
from app.search.types import Certainty, Retrieval
from tests.app.chat.pages import hit, page, retrieval

HISTORY = (
    Turn(role="user", content="Where is the pool?"),
    Turn(role="assistant", content="At the lake [1]."),
)
FOUND = {
    "When is the bus?": ("bus", "lake"),
    "Where is the pool? When is the bus?": ("pool", "lake", "bus"),
    "Where is the pool? And when?": ("pool",),
}


def search(question: str) -> Retrieval:
    found = enumerate(FOUND[question], start=1)
    pages = [hit(page(name, title=name, content="Text."), rank=rank) for rank, name in found]
    return retrieval(question, *pages)


def found(question: str, *history: Turn) -> list[tuple[int, str]]:
    return [(each.rank, each.page.ref.id) for each in search_follow_up(search, question, history).hits]


def test_a_first_question_is_searched_for_alone() -> None:
    assert found("When is the bus?") == [(1, "bus"), (2, "lake")]


def test_pages_for_both_readings_of_a_follow_up_take_turns() -> None:
    assert found("When is the bus?", *HISTORY) == [(1, "pool"), (2, "bus"), (3, "lake")]


def near(relevance: Mapping[str, float]) -> Callable[[str], Retrieval]:
    return lambda question: replace(search(question), relevance=relevance[question])


@pytest.mark.parametrize(("alone", "pages"), [(0.5, ["bus", "pool", "lake"]), (0.3, ["pool", "bus", "lake"])])
def test_a_question_that_stands_by_itself_brings_its_own_page_first(alone: float, pages: list[str]) -> None:
    searched = near({"When is the bus?": alone, "Where is the pool? When is the bus?": 0.6})
    found = search_follow_up(searched, "When is the bus?", HISTORY)
    assert [each.page.ref.id for each in found.hits] == pages
    assert found.question == ("When is the bus?" if alone == 0.5 else "Where is the pool? When is the bus?")


def test_a_follow_up_of_few_words_means_nothing_alone() -> None:
    assert found("And when?", *HISTORY) == [(1, "pool")]


@pytest.mark.parametrize(
    ("alone", "joined", "expected"),
    [
        ("far", "answered", ("near", "pool")),
        ("far", "far", ("far", "pool")),
        ("near", "answered", ("near", "bus")),
        ("answered", "far", ("answered", "bus")),
    ],
)
def test_a_follow_up_that_no_page_answers_alone_is_read_with_the_question_before_it(
    alone: Certainty, joined: Certainty, expected: tuple[Certainty, str]
) -> None:
    question = "When is the bus?"

    def searched(asked: str) -> Retrieval:
        relevant = near({question: 0.6, f"Where is the pool? {question}": 0.6})(asked)
        return replace(relevant, certainty=alone if asked == question else joined)

    found = search_follow_up(searched, question, HISTORY)
    assert (found.certainty, found.hits[0].page.ref.id) == expected


@pytest.mark.parametrize(("certainty", "first"), [("near", "pool"), ("answered", "bus")])
def test_what_only_comes_near_in_a_language_that_no_page_has_may_lean_on_the_question_before(
    certainty: Certainty, first: str
) -> None:
    def searched(asked: str) -> Retrieval:
        relevant = near({"When is the bus?": 0.6, "Where is the pool? When is the bus?": 0.6})(asked)
        return replace(relevant, certainty=certainty, is_foreign=True)

    assert search_follow_up(searched, "When is the bus?", HISTORY).hits[0].page.ref.id == first
