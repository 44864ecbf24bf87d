"""A website that takes longer than a task may is pulled to its end, piece by piece. Tasks are called as functions."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.services import Services
from tests.fakes.website import FakeWebsite
from workers import process, tasks

PAGES = 60
PATHS = [f"/page-{number}" for number in range(PAGES)]


@pytest.fixture
def web() -> Iterator[FakeWebsite]:
    """A website whose every tenth page leads to the next ones."""
    with FakeWebsite() as web:
        web.page("/", "The town.", *PATHS[::10])
        for number, path in enumerate(PATHS):
            web.page(
                path, f"All that is known of {path}.", *(() if number % 10 else PATHS[number : number + 10])
            )
        yield web


@pytest.fixture
def services(tmp_path: Path, web: FakeWebsite, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Those of a worker's process which pulls for .4 seconds a task: some 20 pages."""
    town = {"kind": "website", "address": web.address, "every": 3_600}
    variables = {
        "DATA": str(tmp_path / "data"),
        "EMBEDDER": "hashing",
        "BROKER_URL": "redis://127.0.0.1:1/0",
        "LEASE_SECONDS": "1",
        "FETCH_PER_SECOND": "50",
        "FETCH_ALLOW": json.dumps(["127.0.0.1"]),
        "SOURCES": json.dumps({"town": town}),
    }
    for name, value in variables.items():
        monkeypatch.setenv(f"AUSKUNFT_{name}", value)
    process.services.cache_clear()
    with process.services() as services:
        yield services
    process.services.cache_clear()


def test_x(services: Services, web: FakeWebsite) -> None:
    for n in range(15):
        left = services.background.fetch_scheduler.pull("town", tasks._after(services.settings.work_seconds))
        print(
            n,
            left,
            len(services.store.refs("town")),
            len(web.requests),
            services.sources.pull_log.by_source()["town"],
        )
        if not left:
            break
    assert 0
