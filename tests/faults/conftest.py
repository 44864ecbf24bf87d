"""An installation with a real Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.conftest import databases
from tests.faults.worker_group import Installation, installed
from tests.services.redis import RedisServer


@pytest.fixture
def installation(
    request: pytest.FixtureRequest, tmp_path: Path, private_redis: RedisServer
) -> Iterator[Installation]:
    """Its schedule is kept; it has no workers yet. Pages lie in SQLite, or in the database that is the
    fixture's parameter."""
    kind = getattr(request, "param", "sqlite")
    with private_redis.client() as client:
        client.flushall()
    with databases(kind, request, tmp_path) as new_database:
        url = "" if kind == "sqlite" else new_database().render_as_string(hide_password=False)
        with installed(tmp_path, broker_url=private_redis.url, database_url=url) as installation:
            installation.start("beat")
            yield installation
