"""The contract of a vector cache."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine

from app.pages.database import open_engine
from app.pages.vectors import SqlVectorCache
from ingest.protocols import VectorCache
from ingest.types import Vectors
from ingest.vectors import MemoryVectorCache
from tests.contracts.conftest import DATABASES, NewDatabase, databases


@pytest.fixture(params=["memory", *DATABASES])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorCache]:
    if request.param == "memory":
        yield MemoryVectorCache()
        return
    with databases(request.param, request, tmp_path) as new_database:
        engine = open_engine(new_database())
        yield SqlVectorCache(engine)
        engine.dispose()


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


def vector(*numbers: float) -> Vectors:
    return np.array(numbers, dtype=np.float32)


def test_a_vector_comes_back_bit_by_bit(cache: VectorCache) -> None:
    sent = np.random.default_rng(1).standard_normal(1024, dtype=np.float32)
    cache.put("recipe", {"hash": sent})
    got = cache.get("recipe", ["hash"])["hash"]
    assert (got.dtype.name, got.shape, got.tobytes()) == ("float32", (1024,), sent.tobytes())


def test_only_the_known_hashes_of_the_recipe_come_back(cache: VectorCache) -> None:
    cache.put("one", {"a": vector(1), "b": vector(2)})
    cache.put("two", {"c": vector(3)})
    assert cache.get("one", ["a", "c", "a", "unknown"]).keys() == {"a"}
    assert cache.get("unknown", ["a"]) == {}
    assert cache.get("one", []) == {}


def test_an_entry_that_exists_stays_as_it_is(cache: VectorCache) -> None:
    cache.put("recipe", {"a": vector(1)})
    cache.put("recipe", {"a": vector(9), "b": vector(2)})
    assert {key: found.tolist() for key, found in cache.get("recipe", ["a", "b"]).items()} == {
        "a": [1],
        "b": [2],
    }


def test_what_a_caller_does_to_its_arrays_does_not_reach_the_cache(cache: VectorCache) -> None:
    sent = vector(1, 2)
    cache.put("recipe", {"a": sent})
    sent[0] = 7
    cache.get("recipe", ["a"])["a"][1] = 7
    assert cache.get("recipe", ["a"])["a"].tolist() == [1, 2]


def test_a_column_of_a_matrix_and_an_empty_vector_are_kept(cache: VectorCache) -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    cache.put("recipe", {"column": matrix[:, 1], "nothing": vector()})
    found = cache.get("recipe", ["column", "nothing"])
    assert (found["column"].tolist(), found["nothing"].shape) == ([1, 3, 5], (0,))


def test_thousands_are_kept_and_found_at_once(cache: VectorCache) -> None:
    cache.put("recipe", {str(n): vector(n) for n in range(3000)})
    found = cache.get("recipe", [str(n) for n in range(40_000)])
    assert len(found) == 3000
    assert found["2999"].tolist() == [2999]


def test_threads_may_put_the_same_vectors_at_once(cache: VectorCache) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: cache.put("recipe", {"a": vector(1), str(n): vector(n)}), range(40)))
    assert len(cache.get("recipe", ["a", *map(str, range(40))])) == 41


def test_threads_that_put_use_and_prune_the_same_vectors_do_not_wait_for_each_other(engine: Engine) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    names = [f"{n:03}" for n in range(100)]

    def work(number: int) -> None:
        nonlocal now
        now += timedelta(days=2)  # so that everything is stale
        cache = SqlVectorCache(engine, clock=lambda: now)
        order = names if number % 2 else names[::-1]
        cache.put("recipe", {name: vector(1) for name in order})
        cache.get("recipe", order)
        cache.prune(timedelta(days=3))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))


def test_what_was_put_is_there_for_the_next_process(engine: Engine) -> None:
    SqlVectorCache(engine).put("recipe", {"a": vector(1)})
    next_process = open_engine(engine.url)
    assert SqlVectorCache(next_process).get("recipe", ["a"])["a"].tolist() == [1]
    next_process.dispose()


def test_vectors_not_used_for_a_while_are_pruned_and_reading_keeps_them(engine: Engine) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    cache = SqlVectorCache(engine, clock=lambda: now)
    cache.put("recipe", {"read": vector(1), "forgotten": vector(2)})
    now += timedelta(days=20)
    cache.get("recipe", ["read"])
    now += timedelta(days=20)
    assert cache.prune(timedelta(days=30)) == 1
    assert cache.get("recipe", ["read", "forgotten"]).keys() == {"read"}


def test_any_number_of_vectors_is_pruned(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.pages.vectors.PRUNED_AT_ONCE", 10)
    now = datetime(2026, 11, 1, tzinfo=UTC)
    cache = SqlVectorCache(engine, clock=lambda: now)
    cache.put("recipe", {f"{n:03}": vector(1) for n in range(35)})
    now += timedelta(days=31)
    cache.put("recipe", {"new": vector(1)})
    assert cache.prune() == 35
    assert cache.get("recipe", ["034", "new"]).keys() == {"new"}


def test_reading_again_within_a_day_writes_nothing(engine: Engine) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    cache = SqlVectorCache(engine, clock=lambda: now)
    cache.put("recipe", {"a": vector(1)})
    now += timedelta(hours=23)
    cache.get("recipe", ["a"])
    now += timedelta(hours=2)
    assert cache.prune(timedelta(hours=24)) == 1


def test_what_is_discarded_is_unknown_and_may_come_again(cache: VectorCache) -> None:
    cache.put("recipe", {"a": vector(1), "b": vector(2)})
    cache.put("other", {"a": vector(3)})
    cache.discard("recipe", ["a", "unknown"])
    cache.discard("recipe", [])
    assert cache.get("recipe", ["a", "b"]).keys() == {"b"}
    assert cache.get("other", ["a"]).keys() == {"a"}
    cache.put("recipe", {"a": vector(9)})
    assert cache.get("recipe", ["a"])["a"].tolist() == [9]
