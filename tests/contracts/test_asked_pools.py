"""What every database promises of the questions that are asked from the console."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from app.errors import ConflictError, InputError
from app.features.evaluation.asked_pool import AskedPools
from app.pages.database import open_engine
from tests.contracts.conftest import NewDatabase

TEXT = '{"question": "Wo?"}'


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


def test_one_pool_is_asked_at_a_time(engine: Engine) -> None:
    pools = AskedPools(engine)
    pools.begin("first", "town", TEXT, 1)
    with pytest.raises(ConflictError, match="other questions"):
        pools.begin("second", "town", TEXT, 1)
    pool = pools.current()
    assert pool is not None
    assert pool.name == "first"
    pools.fail(pool, InputError("{what} is gone", what="the site"))
    failed = pools.progress()
    assert failed is not None
    assert failed.failure == "the site is gone"
    pools.begin("second", "town", TEXT, 1)
    pools.end()
    assert pools.progress() is None
