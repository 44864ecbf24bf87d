"""Database, index, embedder and disk that are away for a while: events are accepted or repeated, pages wait
and go on by themselves, and the gate must hold."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import pytest

from app.errors import SendingError
from app.pages.database import connect, migrate_schema
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.faults.conftest import StartInstallation
from tests.faults.disks import fill, small_disk
from tests.faults.gate import gate
from tests.faults.installation import Installation
from tests.faults.worker_group import wait_until
from tests.services import MissingServiceError
from tests.services.databases import empty_database
from tests.services.fixtures import StartElasticsearch
from tests.services.ports import free_port
from tests.services.postgresql import Postgresql

PAGES: Final = 40
DISK_BYTES: Final = 24_000_000


def wait_for_waiting(installation: Installation, reason: str) -> None:
    """Wait until pages wait for this."""
    pages = installation.services.page_list
    wait_until(lambda: reason in {page.reason.partition(":")[0] for page in pages.records(state="waiting")})


@pytest.fixture
def database(private_postgresql: Postgresql) -> Iterator[str]:
    """A page store's, on a server that the test may break."""
    with empty_database(private_postgresql.url) as url:
        engine = connect(url)
        migrate_schema(engine)
        engine.dispose()
        yield url.render_as_string(hide_password=False)


def test_a_postgresql_that_restarts_or_dies_loses_nothing_and_ends_no_rebuild(
    start_installation: StartInstallation, private_postgresql: Postgresql, database: str, random: Random
) -> None:
    installation = start_installation(database_url=database)
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    private_postgresql.restart()
    gate(installation.services)

    rebuild = installation.services.indexing.rebuild_queue.request()
    installation.save(pages)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    private_postgresql.kill()
    with ThreadPoolExecutor(1) as thread:
        sent = thread.submit(installation.save, pages)
        with pytest.raises(SendingError):
            installation.deliver_once("refused", installation.version("refused"))
        private_postgresql.start()
        sent.result()
    gate(installation.services)
    wait_until(lambda: installation.services.indexing.rebuild_queue.get(rebuild.id).state == "done")
    gate(installation.services)


def test_pages_wait_while_the_embedder_is_away_and_go_on_by_themselves(
    start_installation: StartInstallation, random: Random
) -> None:
    with FakeEmbeddings(free_port()) as server:
        port = int(server.base_url.split(":")[2].partition("/")[0])
        options = {"base_url": server.base_url, "model": "all-MiniLM-L6-v2", "retry_seconds": 0}
        installation = start_installation(embedder="endpoint", embedders={"endpoint": options})
        pages = installation.new_pages(PAGES)
        installation.wait_for_pending(pages, random.randrange(1, PAGES))
    jobs = installation.send(*(installation.version(page) for page in pages))
    wait_for_waiting(installation, "embedder_unavailable")
    assert ("waiting", "embedder_unavailable") in {installation.status(job) for job in jobs}
    with FakeEmbeddings(port):
        gate(installation.services)


@pytest.mark.elasticsearch
def test_pages_wait_while_elasticsearch_is_away_and_old_saves_stay_out_when_it_has_forgotten_the_delete(
    start_installation: StartInstallation, private_elasticsearch: StartElasticsearch, random: Random
) -> None:
    server = private_elasticsearch()
    installation = start_installation(
        index="elasticsearch",
        elasticsearch_url=server.url,
        elasticsearch_gc_deletes="1s",
        elasticsearch_element_type="float",  # exact cosines are compared
    )
    installation.send(installation.version("gone", revision=1))
    gate(installation.services)
    installation.send(installation.deletion("gone", revision=5))
    gate(installation.services)
    deleted = time.monotonic()

    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    server.kill()
    installation.save(random.sample(pages, PAGES // 2))
    wait_for_waiting(installation, "index_unavailable")
    server.start()
    gate(installation.services)

    assert time.monotonic() - deleted > 2  # longer than deletes are remembered
    [job] = installation.send(installation.version("gone", revision=4))
    gate(installation.services)
    assert (installation.status(job)[0], installation.text("gone")) == ("superseded", None)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """The data folder, which is small."""
    with ExitStack() as stack:
        try:
            stack.enter_context(small_disk(tmp_path / "data", DISK_BYTES))
        except MissingServiceError as missing:
            pytest.skip(str(missing))
        yield tmp_path / "data"


def test_a_full_disk_takes_nothing_in_and_loses_nothing(
    disk: Path, start_installation: StartInstallation, random: Random
) -> None:
    installation = start_installation()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    ballast = fill(disk)
    with pytest.raises(SendingError):
        for attempt in range(100):  # there may be some space left inside of the files
            installation.deliver_once(f"full-{attempt}", *(installation.version(page) for page in pages))
    ballast.unlink()
    installation.save(pages)
    gate(installation.services)
