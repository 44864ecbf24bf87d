"""Workers that fetch from a CMS: what was announced and what is listed, whoever dies or is away meanwhile."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.cms import FakeCms, Reply
from tests.faults.conftest import StartInstallation
from tests.faults.gate import gate
from tests.faults.installation import SECRET, SOURCE, Event, Installation
from tests.faults.worker_group import wait_until
from tests.services.redis import RedisServer

PAGES = 20


@pytest.fixture
def cms() -> Iterator[FakeCms]:
    with FakeCms() as cms:
        yield cms


def start(
    start_installation: StartInstallation, cms: FakeCms, every: float = 3600, **settings: Any
) -> Installation:
    """An installation whose source can be pulled."""
    table = {"kind": "cms", "secrets": [SECRET], "every": every, "events_per_minute": 1_000_000}
    sources = {SOURCE: {**table, **cms.options()}}
    return start_installation(sources=sources, fetch_allow=["127.0.0.1"], fetch_per_second=100, **settings)


def announced(page_id: str, revision: int = 1) -> Event:
    return {"type": "page.saved", "id": page_id, "language": "de", "revision": revision}


def contents(installation: Installation) -> dict[str, str]:
    """What there is of every page, once all is at rest."""
    gate(installation.services)
    return texts(installation)


def texts(installation: Installation) -> dict[str, str]:
    """What there is of every page."""
    store = installation.services.store
    stored = store.read(store.refs(SOURCE))
    return {item.ref.id: item.page.fields["content"].text for item in stored if item.page}


def test_pages_announced_before_they_are_there_come_and_a_source_that_was_away_is_made_good(
    start_installation: StartInstallation, cms: FakeCms, private_redis: RedisServer
) -> None:
    installation = start(start_installation, cms)
    ids = [f"p{number}" for number in range(PAGES)]
    jobs = installation.send(*map(announced, ids))
    wait_until(lambda: len(cms.requests) > 5)
    cms.wrong = {f"/pages/{page_id}": Reply(status=503) for page_id in ids}
    wait_until(lambda: ("waiting", "source_unavailable") in {installation.status(job) for job in jobs})
    with private_redis.client() as client:
        client.flushall()
    for page_id in ids:
        cms.save(page_id, f"text of {page_id}")
    cms.wrong = {}
    assert contents(installation) == {page_id: f"text of {page_id}" for page_id in ids}
    assert {installation.status(job)[0] for job in jobs} <= {"indexed", "unchanged"}


def test_a_worker_killed_between_fetching_and_accepting_loses_no_page(
    start_installation: StartInstallation, cms: FakeCms, tmp_path: Path
) -> None:
    installation = start(start_installation, cms)
    installation.worker().kill()
    marker = tmp_path / "died"
    installation.start_worker(patch=_dies_once(marker))
    for number in range(PAGES):
        cms.save(f"p{number}", "text")
    jobs = installation.send(*(announced(f"p{number}") for number in range(PAGES)))
    assert len(contents(installation)) == PAGES
    assert marker.exists()
    assert {installation.status(job)[0] for job in jobs} <= {"indexed", "unchanged"}


def _dies_once(marker: Path) -> str:
    """A worker whose first fetch ends with the death of its process."""
    return f"""
import os
from pathlib import Path
from app.sources.fetch import PageFetcher

fetch = PageFetcher._fetch

def fetch_and_die(self, claim):
    page = fetch(self, claim)
    if not Path({str(marker)!r}).exists():
        Path({str(marker)!r}).touch()
        os._exit(9)
    return page

PageFetcher._fetch = fetch_and_die
"""


def test_a_delete_that_overtakes_the_announcement_wins(
    start_installation: StartInstallation, cms: FakeCms
) -> None:
    installation = start(start_installation, cms)
    [job] = installation.send(announced("p", revision=5))
    cms.save("p", "text", revision=5)
    installation.send({"type": "page.deleted", "id": "p", "revision": 6})
    assert contents(installation) == {}
    assert installation.status(job)[0] in ("superseded", "indexed")


def test_a_scheduled_source_is_pulled_by_workers_and_an_empty_listing_deletes_nothing(
    start_installation: StartInstallation, cms: FakeCms
) -> None:
    for number in range(PAGES):
        cms.save(f"p{number}", "old")
    installation = start(start_installation, cms, every=1)
    store, log = installation.services.store, installation.services.sources.pull_log
    wait_until(lambda: len(store.refs(SOURCE)) == PAGES)
    cms.save("p3", "new")
    wait_until(lambda: texts(installation)["p3"] == "new")
    assert len(contents(installation)) == PAGES
    installation.worker().kill()
    installation.worker()
    kept, cms.pages = cms.pages, {}
    wait_until(lambda: "lists no pages at all" in log.by_source()[SOURCE].problem)
    known = cms.requests["/listing"]
    wait_until(lambda: cms.requests["/listing"] > known + 3)
    assert len(contents(installation)) == PAGES
    cms.pages = {key: page for key, page in kept.items() if key[0] not in ("p1", "p2")}
    wait_until(lambda: len(store.refs(SOURCE)) == PAGES - 2)
    assert contents(installation).keys() == {f"p{number}" for number in range(PAGES)} - {"p1", "p2"}


def test_a_pull_that_takes_longer_than_a_task_may_goes_on_in_the_next(
    start_installation: StartInstallation, cms: FakeCms
) -> None:
    for number in range(500):
        cms.save(f"p{number}", "text")
    installation = start(start_installation, cms, lease_seconds=5)
    log = installation.services.sources.pull_log
    wait_until(lambda: any(pull.left for pull in log.by_source().values()))
    wait_until(lambda: len(installation.services.store.refs(SOURCE)) == 500)
    assert len(contents(installation)) == 500
