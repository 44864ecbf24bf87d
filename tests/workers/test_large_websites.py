"""A website that takes longer than a task may is pulled to its end. Tasks are called as functions here."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.services import Services
from tests.fakes.website import FakeWebsite
from workers import process, tasks
from workers.celery_app import app

PATHS = [f"/page-{number}" for number in range(60)]
PER_SECOND = 50


@pytest.fixture
def web() -> Iterator[FakeWebsite]:
    """A website whose every tenth page leads to the next ones."""
    with FakeWebsite() as web:
        web.page("/", "The town.", *PATHS[::10])
        for number, path in enumerate(PATHS):
            links = [] if number % 10 else PATHS[number : number + 10]
            web.page(path, f"All that is known of {path}.", *links)
        yield web


@pytest.fixture
def services(tmp_path: Path, web: FakeWebsite, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Those of a worker's process that pulls for .4 seconds a task: some 20 pages."""
    variables = {
        "DATA": str(tmp_path / "data"),
        "EMBEDDER": "hashing",
        "BROKER_URL": "redis://127.0.0.1:1/0",
        "LEASE_SECONDS": "1",
        "FETCH_PER_SECOND": str(PER_SECOND),
        "FETCH_ALLOW": json.dumps(["127.0.0.1"]),
        "SOURCES": json.dumps({"town": {"kind": "website", "address": web.address, "every": 3_600}}),
    }
    for name, value in variables.items():
        monkeypatch.setenv(f"AUSKUNFT_{name}", value)
    process.services.cache_clear()
    with process.services() as services:
        yield services
    process.services.cache_clear()


def test_each_task_goes_on_where_the_last_one_stopped(
    services: Services, web: FakeWebsite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.conf, "task_always_eager", True)  # what a task sends runs within it
    started = time.monotonic()
    with capture_logs() as logs:
        tasks.pull("town")
    pieces = [line["left"] for line in logs if line["event"] == "source_pulled"]
    assert len(pieces) > 2 and pieces[-1] == 0
    assert len(services.store.refs("town")) == 61
    asked = Counter(path for path, _ in web.requests if path in PATHS)
    assert asked == Counter(PATHS)
    assert time.monotonic() - started > (len(web.requests) - len(pieces)) / PER_SECOND
    last = services.sources.pull_log.by_source()["town"]
    assert (last.complete_at, last.left, last.problem) == (last.finished_at, 0, "")
    assert services.background.fetch_scheduler.due() == []
