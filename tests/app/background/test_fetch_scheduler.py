"""The embedded queue's second thread: announced pages and scheduled pulls, which keep no editor waiting."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app.console.messages import translated
from app.monitoring.readiness import checks
from app.pages.types import Announcement, Delivery
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import PageRef, Save
from tests.fakes.cms import FakeCms, Key, Reply
from tests.fakes.databases import new_data
from tests.fakes.plugin import breaking_plugin
from tests.fakes.world import raw_page
from tests.faults.gate import gate
from tests.faults.worker_group import wait_until


class SlowCms(FakeCms):
    """Holds back the pages that are ``held``, until ``go_on`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.held: set[str] = set()
        self.arrived = threading.Event()
        self.go_on = threading.Event()

    def page(self, key: Key) -> dict[str, Any] | None:
        if key[0] in self.held:
            self.arrived.set()
            self.go_on.wait(30)
        return super().page(key)


@pytest.fixture
def cms() -> Iterator[SlowCms]:
    with SlowCms() as cms:
        yield cms
        cms.go_on.set()


@contextmanager
def installed(folder: Path, cms: FakeCms, **others: Any) -> Iterator[Services]:
    """An installation that pulls ``town`` every hour, and does nothing yet."""
    tables = {"town": {"kind": "cms", "every": 3600, **cms.options(), **others}}
    settings = load_settings(
        data=new_data(folder),
        embedder="hashing",
        sources=tables,
        fetch_allow=["127.0.0.1"],
        fetch_per_second=1e6,
        retry_seconds=0.05,
    )
    with Services(settings) as services, capture_logs():
        yield services


@pytest.fixture
def services(tmp_path: Path, cms: SlowCms) -> Iterator[Services]:
    with installed(tmp_path, cms) as services:
        yield services


def ref(page_id: str) -> PageRef:
    return PageRef(source="town", id=page_id, language="de")


def announce(services: Services, page_id: str) -> None:
    """Accept an announcement, and say so."""
    delivery = Delivery(source="town", id=page_id, digest="d")
    services.deliveries.accept(delivery, [Announcement(ref=ref(page_id))], priority=10)
    services.queue.wake()


def edit(services: Services) -> None:
    """An editor of another source saves a page."""
    page = raw_page("edited", {"content": "text"}, source="village", language="de")
    services.store.accept([Save(page=page)], priority=10)
    services.queue.wake()


def is_indexed(services: Services, page_id: str) -> Callable[[], bool]:
    return lambda: any(
        row.ref.id == page_id and row.state == "indexed" for row in services.page_list.records()
    )


def test_a_scheduled_source_is_pulled_and_indexed_by_itself(services: Services, cms: SlowCms) -> None:
    for number in range(5):
        cms.save(f"p{number}", f"text {number}")
    services.background.worker.start()
    wait_until(lambda: len(services.store.refs("town")) == 5)
    gate(services)
    assert services.sources.pull_log.by_source()["town"].problem == ""
    assert services.background.fetch_scheduler.due() == []


def test_a_page_that_an_editor_saves_is_indexed_while_a_pull_waits_for_its_source(
    services: Services, cms: SlowCms
) -> None:
    cms.save("slow", "text")
    cms.held = {"slow"}
    services.background.worker.start()
    cms.arrived.wait(30)
    edit(services)
    wait_until(is_indexed(services, "edited"))
    assert services.store.refs("town") == []
    cms.go_on.set()
    wait_until(is_indexed(services, "slow"))


def test_a_pull_makes_way_for_pages_that_are_announced_meanwhile(services: Services, cms: SlowCms) -> None:
    cms.save("first", "text")
    cms.save("second", "text")
    cms.held = {"first"}
    services.background.worker.start()
    cms.arrived.wait(30)
    cms.save("edited", "text")
    announce(services, "edited")
    cms.go_on.set()
    wait_until(lambda: len(services.store.refs("town")) == 3)
    gate(services)
    sequences = {row.ref.id: row.sequence for row in services.page_list.records()}
    assert sequences["edited"] < sequences["second"]


def test_a_page_that_is_announced_before_it_is_there_is_indexed_in_the_end(
    services: Services, cms: SlowCms
) -> None:
    services.background.worker.start()
    announce(services, "late")
    wait_until(lambda: cms.requests["/pages/late?in=de"] > 0)
    cms.save("late", "text")
    wait_until(is_indexed(services, "late"))
    gate(services)


def test_a_source_that_is_away_and_comes_back_is_pulled_in_the_end(tmp_path: Path, cms: SlowCms) -> None:
    cms.save("p", "text")
    cms.wrong["/listing"] = Reply(status=500)
    with installed(tmp_path, cms, every=0.1) as services:
        services.background.worker.start()
        edit(services)
        wait_until(is_indexed(services, "edited"))
        wait_until(lambda: cms.requests["/listing"])
        wait_until(lambda: "HTTP 500" in services.sources.pull_log.by_source()["town"].problem)
        cms.wrong.clear()
        wait_until(is_indexed(services, "p"))
        gate(services)


def test_a_listing_that_comes_back_empty_deletes_nothing(tmp_path: Path, cms: SlowCms) -> None:
    for number in range(5):
        cms.save(f"p{number}", "text")
    with installed(tmp_path, cms, every=0.1) as services:
        services.background.worker.start()
        wait_until(lambda: len(services.store.refs("town")) == 5)
        cms.pages.clear()
        known = cms.requests["/listing"]
        wait_until(lambda: cms.requests["/listing"] > known + 5)
        assert len(services.store.refs("town")) == 5
        wait_until(lambda: "lists no pages at all" in services.sources.pull_log.by_source()["town"].problem)
        gate(services)


def test_a_source_that_cannot_be_made_does_not_stop_the_others(tmp_path: Path, cms: SlowCms) -> None:
    cms.save("p", "text")
    broken = {"kind": "cms", "every": 3600}
    tables = {"broken": broken, "town": {**broken, **cms.options()}, "zoo": broken}
    settings = load_settings(
        data=tmp_path, embedder="hashing", sources=tables, fetch_allow=["127.0.0.1"], retry_seconds=0.05
    )
    with Services(settings) as services, capture_logs():
        services.background.worker.start()
        wait_until(is_indexed(services, "p"))


def test_a_source_that_breaks_does_not_stop_the_others_and_readiness_says_so(
    tmp_path: Path, cms: SlowCms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(breaking_plugin(tmp_path / "packages")))
    cms.save("p", "text")
    every = {"every": 0.1}
    tables = {"aweb": {"kind": "breaking", **every}, "town": {"kind": "cms", **every, **cms.options()}}
    settings = load_settings(
        data=tmp_path / "data",
        embedder="hashing",
        sources=tables,
        fetch_allow=["127.0.0.1"],
        fetch_per_second=1e6,
        retry_seconds=0.05,
    )
    with Services(settings) as services, capture_logs() as logs:
        services.background.worker.start()
        wait_until(is_indexed(services, "p"))
        [line] = [line for line in checks(services) if line.name == "sources"]
        assert (line.ok, line.required) == (False, False)
        assert line.detail.startswith("the last pull of aweb broke: IndexError: list index out of range: ")
        assert translated(line.detail, "de").startswith("der letzte Abruf von aweb brach ab: IndexError: ")
    assert {"pulling_broke", "source_pulled"} <= {line["event"] for line in logs}
    assert "thread_died" not in {line["event"] for line in logs}


def test_a_pull_that_was_stopped_goes_on_at_once_and_is_then_done(services: Services, cms: SlowCms) -> None:
    for number in range(9):
        cms.save(f"p{number}", "text")
    gathering, left = services.background.fetch_scheduler, []
    while "town" in gathering.due():
        answers = chain([False] * 4, repeat(True))
        left.append(gathering.pull("town", answers.__next__))
    assert left[-1] is False
    assert len(left) > 2
    assert len(services.store.refs("town")) == 9
    assert len(cms.fetched()) == 9
