"""What looks after an installation without workers: the serving process does it once a night."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from app.indexing.stopping import never
from app.pages.database import utc_now
from app.pages.reconciliations import Reconciliation
from app.search.types import Remove
from app.services import Services
from app.settings.settings import Settings
from ingest.types import Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page
from tests.faults.gate import gate
from tests.faults.worker_group import wait_until


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with Services(Settings(data=new_data(tmp_path), embedder="hashing", retry_seconds=0.1)) as services:
        yield services


def lose_one_of(services: Services, pages: int) -> None:
    """That many pages are indexed; the index loses one behind the page store's back."""
    services.store.accept([Save(page=raw_page(f"p{n}", {"content": "text"})) for n in range(pages)])
    while services.indexing.indexer.sync_pages():
        pass
    live = services.indexing.index.live()
    assert live is not None
    lost, sequence = next(iter(services.indexing.index.refs(live.number)))
    services.indexing.index.write(live.number, [Remove(ref=lost, sequence=sequence)])


def test_a_night_that_was_missed_is_made_up_for(services: Services) -> None:
    lose_one_of(services, 10)
    services.background.reconciliation_log.add(Reconciliation(started_at=utc_now() - timedelta(days=2)))
    services.background.worker.start()
    wait_until(lambda: len(services.background.reconciliation_log.all()) == 2)
    last = services.background.reconciliation_log.last()
    assert last is not None
    assert last.counts == {"missing": 1}
    gate(services)


def test_a_new_installation_waits_for_its_first_night(services: Services) -> None:
    lose_one_of(services, 10)
    assert not services.background.nightly(never)
    assert services.background.reconciliation_log.all() == []


def test_an_installation_that_was_never_reconciled_is_as_old_as_its_generation(
    services: Services, tmp_path: Path
) -> None:
    lose_one_of(services, 10)
    with closing(sqlite3.connect(tmp_path / "index" / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("UPDATE generations SET created = ?", ((utc_now() - timedelta(days=1)).isoformat(),))
    assert not services.background.nightly(never)
    assert [report.counts for report in services.background.reconciliation_log.all()] == [{"missing": 1}]
    assert not services.background.nightly(never)
    assert len(services.background.reconciliation_log.all()) == 1
