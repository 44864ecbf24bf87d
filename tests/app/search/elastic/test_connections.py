"""Connections that break: nothing is lost and nothing is written twice, whenever it happens."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

import pytest

from app.errors import IndexUnavailableError
from app.search.elastic import ElasticIndex, ElasticOptions
from app.search.types import WriteResult
from tests.app.search.elastic.calls import QUESTION, dog, found
from tests.contracts.embedded_pages import RECIPE, remove
from tests.fakes.proxy import SECONDS, Break, Proxy

REPEATS: Final = 2
"""How often a request is repeated by itself when its connection breaks."""
PAGES: Final = 50
BULK: Final = {"request": b"external_gte", "answer": b"/_bulk"}
"""Text in the middle of a bulk, and at its beginning."""
BREAKS: Final[tuple[Break, ...]] = ("request", "answer")


@pytest.fixture
def proxy(elasticsearch: str) -> Iterator[Proxy]:
    """In front of the shared server."""
    port = urlsplit(elasticsearch).port
    assert port
    with Proxy(port) as proxy:
        yield proxy


@pytest.fixture
def behind(proxy: Proxy, options: ElasticOptions, live: int) -> Iterator[ElasticIndex]:
    """The index with its empty live generation 1, through the proxy."""
    with closing(ElasticIndex(replace(options, hosts=(proxy.url,)))) as index:
        index.write(1, [dog("gone")])
        assert found(index) == {"gone": 1}
        yield index


def write(index: ElasticIndex, sequence: int) -> list[WriteResult]:
    """Write many pages and remove one."""
    pages = [dog(f"p{number}", sequence) for number in range(PAGES)]
    return index.write(1, [*pages, remove("gone", sequence)])


@pytest.fixture
def written() -> dict[str, int]:
    return {f"p{number}": 3 for number in range(PAGES)}


def stored(index: ElasticIndex) -> dict[str, int]:
    """The pages served, with their sequences."""
    index.refresh()
    pages = [(page.id, sequence) for page, sequence in index.refs(1)]
    assert len(pages) == len(dict(pages))
    return dict(pages)


@pytest.mark.parametrize("how", BREAKS)
def test_a_bulk_whose_connection_breaks_is_repeated_by_itself(
    proxy: Proxy, behind: ElasticIndex, written: dict[str, int], how: Break
) -> None:
    proxy.break_next(BULK[how], how, times=REPEATS)
    assert {result.status for result in write(behind, 3)} == {"written"}
    assert proxy.broken == REPEATS
    assert stored(behind) == written


@pytest.mark.parametrize("how", BREAKS)
def test_a_bulk_that_broke_for_good_may_be_written_again(
    proxy: Proxy, index: ElasticIndex, behind: ElasticIndex, written: dict[str, int], how: Break
) -> None:
    proxy.break_next(BULK[how], how, times=REPEATS + 1)
    with pytest.raises(IndexUnavailableError, match="cannot be reached"):
        write(behind, 3)
    assert stored(index) == ({"gone": 1} if how == "request" else written)
    assert {result.status for result in write(behind, 3)} == {"written"}
    assert stored(index) == written
    assert found(behind).items() <= written.items()


def test_a_repeat_that_comes_after_a_newer_version_changes_nothing(
    proxy: Proxy, index: ElasticIndex, behind: ElasticIndex
) -> None:
    proxy.break_next(BULK["answer"], "answer", times=REPEATS + 1)
    with pytest.raises(IndexUnavailableError):
        behind.write(1, [dog("pool", 3), dog("lake", 3)])
    index.write(1, [dog("pool", 4), remove("lake", 4)])
    assert [result.status for result in behind.write(1, [dog("pool", 3), dog("lake", 3)])] == [
        "superseded"
    ] * 2
    assert stored(index) == {"gone": 1, "pool": 4}


@pytest.mark.parametrize("how", BREAKS)
def test_a_search_whose_connection_breaks_is_repeated_or_given_up(
    proxy: Proxy, behind: ElasticIndex, how: Break
) -> None:
    proxy.break_next(b"/_msearch", how, times=REPEATS)
    assert len(behind.search(QUESTION)) == 1
    proxy.break_next(b"/_msearch", how, times=REPEATS + 1)
    with pytest.raises(IndexUnavailableError, match="cannot be reached"):
        behind.search(QUESTION)
    assert len(behind.search(QUESTION)) == 1


@pytest.mark.parametrize("how", BREAKS)
def test_a_generation_is_made_although_its_connection_breaks(
    proxy: Proxy, index: ElasticIndex, behind: ElasticIndex, how: Break
) -> None:
    """A server that made the index before the answer was lost finds its name taken by the repeat."""
    proxy.break_next(b"PUT ", how)
    recipe = index.generations()[0].recipe
    made = behind.create(recipe)
    assert made in index.generations()
    behind.promote(made.number)
    live = index.live()
    assert live is not None
    assert live.number == made.number


def test_questions_wait_for_the_server_side_by_side(
    proxy: Proxy, behind: ElasticIndex, options: ElasticOptions
) -> None:
    """One after the other, the last of 64 would wait 64 times as long as the time set."""
    limited = replace(options, hosts=(proxy.url,), search_seconds=2 * SECONDS)
    with closing(ElasticIndex(limited)) as index, ThreadPoolExecutor(4) as threads:
        index.generations()
        proxy.break_next(b"GET ", "late", times=4)
        searches = [threads.submit(index.search, QUESTION) for _ in range(4)]
        try:
            proxy.wait_for_broken(4)
        finally:
            proxy.release()
        assert [len(search.result()) for search in searches] == [1] * 4


def test_what_was_live_before_a_promotion_is_not_remembered_after_it(
    proxy: Proxy, behind: ElasticIndex
) -> None:
    """The answer that one thread waits for may be older than another thread's promotion."""
    second = behind.create(RECIPE).number
    behind.promote(1)
    proxy.break_next(b"GET ", "late")
    with ThreadPoolExecutor(1) as threads:
        before = threads.submit(behind.live)
        try:
            proxy.wait_for_broken(1)
            behind.promote(second)
        finally:
            proxy.release()
        assert getattr(before.result(), "number", None) == 1
    assert getattr(behind.live(), "number", None) == second
