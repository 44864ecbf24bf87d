"""The embedded queue's thread: one works, others take over, no outage ends it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.background.embedded_worker import EmbeddedWorker
from app.background.steps import BackgroundSteps
from app.errors import IndexUnavailableError
from app.indexing.indexer import Indexer
from app.indexing.stopping import Stop
from app.services import Services
from app.settings.settings import Settings
from ingest.types import Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page
from tests.faults.gate import gate
from tests.faults.worker_group import wait_until


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=new_data(tmp_path), embedder="hashing", retry_seconds=0.1)


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    with Services(settings) as services:
        yield services


def save(services: Services, *ids: str) -> None:
    """Accept pages, without a word to anybody."""
    services.store.accept([Save(page=raw_page(name, {"content": name})) for name in ids])


def test_it_indexes_what_comes_in_whether_woken_or_not(services: Services) -> None:
    services.background.worker.start()
    save(services, "a", "b")
    services.queue.wake(2)
    gate(services)
    save(services, "c")
    gate(services)


def test_it_does_nothing_before_it_is_started(services: Services) -> None:
    save(services, "a")
    services.queue.wake()
    assert (services.background.worker.state(), services.store.pending()) == ("nowhere", 1)


def test_one_works_and_another_takes_over_when_it_ends(services: Services, settings: Settings) -> None:
    with Services(settings) as first:
        first.background.worker.start()
        wait_until(lambda: first.background.worker.state() == "here")
        services.background.worker.start()
        assert services.background.worker.state() == "elsewhere"
    wait_until(lambda: services.background.worker.state() == "here")
    save(services, "a")
    gate(services)


@pytest.mark.parametrize("error", [IndexUnavailableError("away"), ValueError("a fault of ours")])
def test_it_goes_on_after_an_error(
    services: Services, tmp_path: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [error]
    shown: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: shown.append(args.exc_value))

    class FailingOnce:
        """The installation's services, of which the indexer cannot be built the first time."""

        store = services.store
        rebuild_queue = services.indexing.rebuild_queue

        @property
        def indexer(self) -> Indexer:
            """Raises the error once."""
            if errors:
                raise errors.pop()
            return services.indexing.indexer

    steps = BackgroundSteps(FailingOnce(), rest_seconds=0.1)
    worker = EmbeddedWorker(lock=tmp_path / "drain.lock", run_once=steps.run_once, retry_seconds=0.1)
    save(services, "a")
    worker.start()
    gate(services)
    assert worker.state() == "here"
    worker.close()
    assert shown == []
    assert worker.state() == "nowhere"


def test_a_thread_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[Exception] = [ValueError("a fault of ours")]
    shown: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: shown.append(args.exc_value))
    goes_on = threading.Event()

    def work(_stop: Stop) -> bool:
        if errors:
            raise errors.pop()
        goes_on.set()
        return False

    worker = EmbeddedWorker(lock=tmp_path / "drain.lock", run_once=work, retry_seconds=0.1)
    worker.start()
    assert goes_on.wait(30)
    worker.close()
    assert [str(error) for error in shown] == ["a fault of ours"]
