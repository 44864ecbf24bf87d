"""What was found, reordered by a reranker, and a reranker that is left alone after a failure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from app.errors import PluginError, RerankerUnavailableError
from app.search.reranking import (
    MOST_REST_SECONDS,
    PAGE_BYTES,
    REST_SECONDS,
    CircuitBreaker,
    page_text,
    reranked,
)
from ingest import registry
from ingest.availability import Availability
from ingest.protocols import Recipe, Reranker
from tests.app.search.test_passages import candidate, indexed
from tests.fakes.rerank_server import FakeReranker, Reply

NO_SCORES: tuple[list[float], ...] = (
    [1.0, 2.0, 3.0],
    [1.0, 2.0, 3.0, 4.0, 5.0],
    [],
    [1.0, math.nan, 3.0, 4.0],
    [1.0, math.inf, 3.0, 4.0],
)


class Scripted:
    """Gives each question the next result, an error or scores."""

    def __init__(self, *results: list[float] | Exception) -> None:
        self.recipe: Recipe = {"name": "scripted"}
        self.results = list(results)
        self.asked = 0

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked += 1
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


def order(reranker: Reranker, items: Sequence[str] = "wxyz") -> list[str]:
    """The items as the reranker puts them."""
    return reranked("?", items, reranker, text_of=str.upper)


def test_items_come_by_their_scores_and_equal_ones_keep_their_order() -> None:
    assert order(Scripted([0, 2, 0, 2])) == ["x", "z", "w", "y"]


@pytest.mark.parametrize("items", [[], ["w"]])
def test_what_has_no_order_is_not_scored(items: list[str]) -> None:
    assert order(Scripted(), items) == items


@pytest.mark.parametrize("scores", NO_SCORES, ids=str)
def test_scores_that_are_none_are_not_believed(scores: list[float]) -> None:
    with pytest.raises(RerankerUnavailableError, match="finite score for every text"):
        order(Scripted(scores))


def test_a_page_stands_for_its_title_and_its_nearest_chunks_within_a_bound() -> None:
    content = "a" * 512 + "€" * 2_000
    page = replace(indexed(content), fields={"title": "Dog tax", "content": content})
    found = candidate(page, (4, 0.9), (0, 0.8), (5, 0.7))
    text = page_text((1.0, found))
    assert text.startswith("# Dog tax\n\n" + "a" * 512)
    assert text.count("€") > 300
    assert len(text.encode()) <= PAGE_BYTES + len("# Dog tax\n\n")
    assert page_text((1.0, candidate(replace(page, fields={}, content_spans=())))) == "# page\n\n"


class Clock:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def failing(message: str, seconds: float | None = None) -> RerankerUnavailableError:
    return RerankerUnavailableError(message, retry_seconds=seconds)


def test_after_a_failure_a_reranker_is_left_alone_for_a_while(clock: Clock) -> None:
    reranker = Scripted([1.0], failing("away"), [2.0])
    breaker = CircuitBreaker(lambda: reranker, clock=clock)
    ask = partial(breaker.scores, "?", ["a"])
    assert ask() == [1.0]
    for _ in range(3):
        with pytest.raises(RerankerUnavailableError, match="away"):
            ask()
    clock.now = REST_SECONDS - 1
    with pytest.raises(RerankerUnavailableError, match="away"):
        ask()
    assert reranker.asked == 2
    clock.now = REST_SECONDS
    assert ask() == [2.0]


@pytest.mark.parametrize(("asked", "rest"), [(0, REST_SECONDS), (120, 120), (86_400, MOST_REST_SECONDS)])
def test_it_is_left_alone_as_long_as_its_server_asks_within_limits(
    clock: Clock, asked: float, rest: float
) -> None:
    reranker = Scripted(failing("busy", asked), [1.0])
    breaker = CircuitBreaker(lambda: reranker, clock=clock)
    for now in (0, rest - 1):
        clock.now = now
        with pytest.raises(RerankerUnavailableError):
            breaker.scores("?", ["a"])
    clock.now = rest
    assert breaker.scores("?", ["a"]) == [1.0]


def test_one_that_cannot_be_built_is_not_tried_at_every_question(clock: Clock) -> None:
    built = 0

    def make() -> Scripted:
        nonlocal built
        built += 1
        if built == 1:
            raise PluginError("needs a package")
        return Scripted([1.0])

    breaker = CircuitBreaker(make, clock=clock)
    for _ in range(3):
        with pytest.raises(RerankerUnavailableError, match="needs a package"):
            breaker.scores("?", ["a"])
    assert built == 1
    clock.now = REST_SECONDS
    assert breaker.scores("?", ["a"]) == [1.0]
    assert breaker.recipe == {"name": "scripted"}


@pytest.fixture
def server() -> Iterator[FakeReranker]:
    with FakeReranker() as fake:
        yield fake


def test_health_and_end_are_those_of_the_reranker(server: FakeReranker, clock: Clock) -> None:
    breaker = CircuitBreaker(
        lambda: registry.create("rerankers", "endpoint", base_url=server.base_url), clock=clock
    )
    breaker.close()  # of one that was not built yet
    assert isinstance(breaker.availability, Availability)
    server.script(Reply(status=503))
    with pytest.raises(RerankerUnavailableError):
        breaker.scores("?", ["a"])
    assert not breaker.availability.outcome().ok
    breaker.close()
    assert CircuitBreaker(Scripted).availability is None
