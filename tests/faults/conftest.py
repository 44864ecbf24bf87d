"""An installation with a real Redis, over every database that pages can lie in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.contracts.conftest import databases
from tests.faults.worker_group import Installation, installed
from tests.services.redis import RedisServer

DATABASES: Final = ["sqlite"]


@pytest.fixture(params=DATABASES)
def installation(
    request: pytest.FixtureRequest, tmp_path: Path, private_redis: RedisServer
) -> Iterator[Installation]:
    """Its schedule is kept; it has no workers yet."""
    with private_redis.client() as client:
        client.flushall()
    with databases(request.param, request, tmp_path) as new_database:
        url = "" if request.param == "sqlite" else new_database().render_as_string(hide_password=False)
        with installed(tmp_path, broker_url=private_redis.url, database_url=url) as installation:
            installation.start("beat")
            yield installation
