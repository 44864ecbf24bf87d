"""What breaks within a task ends that part of the work alone. Tasks are called as functions here."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.feature import Feature, Step
from app.indexing.stopping import Stop
from app.queue.tasks import INTERACTIVE_PRIORITY
from app.services import Services
from ingest.types import Save
from tests.fakes.plugin import breaking_plugin
from tests.fakes.world import raw_page
from workers import process, tasks

ASKED: list[bool] = []


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Those of a worker's process whose Redis is away, with a source that breaks and is due."""
    monkeypatch.syspath_prepend(str(breaking_plugin(tmp_path / "packages")))
    variables = {
        "DATA": str(tmp_path / "data"),
        "EMBEDDER": "hashing",
        "BROKER_URL": "redis://127.0.0.1:1/0",
        "SOURCES": json.dumps({"aweb": {"kind": "breaking", "every": 60}}),
    }
    for name, value in variables.items():
        monkeypatch.setenv(f"AUSKUNFT_{name}", value)
    process.services.cache_clear()
    with process.services() as services:
        yield services
    process.services.cache_clear()


def test_a_pull_that_breaks_ends_its_task_in_peace(services: Services) -> None:
    with capture_logs() as logs:
        tasks.pull("aweb")
    assert [line["event"] for line in logs] == ["pulling_broke"]
    assert services.sources.pull_log.by_source()["aweb"].problem.startswith("broke: IndexError")


def test_a_sweep_that_finds_nothing_due_needs_no_broker(services: Services) -> None:
    with capture_logs():
        tasks.pull("aweb")
        tasks.sweep()
    assert services.background.faults.recent() == []


def test_what_is_done_at_night_needs_no_broker(services: Services) -> None:
    with capture_logs():
        tasks.retention()
        tasks.reconcile()
    assert services.background.faults.recent() == []


def asked_again(_services: Services, stop: Stop) -> bool:
    """There is always more to do."""
    ASKED.append(stop())
    return True


def test_a_step_with_more_to_do_ends_when_somebody_waits_for_a_page(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Step("endless", "models", run=f"{__name__}:asked_again", is_due=f"{__name__}:is_due")
    monkeypatch.setattr(services, "features", (Feature(package=__name__, steps=(endless,)),))
    services.store.accept(
        [Save(page=raw_page("pool", {"content": "Open at nine."}))], priority=INTERACTIVE_PRIORITY
    )
    tasks.step("endless")
    assert ASKED == [True]


def is_due(_services: Services) -> bool:
    return True
