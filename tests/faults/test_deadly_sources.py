"""Pages whose reading ends the worker that pulls their source: they are left out, and the others come."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fakes.cms import FakeCms
from tests.fakes.website import FakeWebsite
from tests.faults.installation import SOURCE, Installation, installed
from tests.faults.worker_group import wait_until
from tests.services.redis import RedisServer

PATHS = [f"/page-{number}" for number in range(30)]
FATAL = "reading this page crashed the worker twice"
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
HANG = "while True: pass"

Start = Callable[[dict[str, object], str], Installation]


@pytest.fixture
def web() -> Iterator[FakeWebsite]:
    with FakeWebsite() as web:
        web.page("/", "The town.", *PATHS)
        for path in PATHS:
            web.page(path, f"All that is known of {path}.")
        yield web


def dying(folder: Path, fault: str) -> str:
    """A worker that waits a second where others wait a quarter of an hour, and meets a ``fault`` while it
    reads a page that says so; it is counted in ``folder``."""
    return f"""
import os, signal, time
from pathlib import Path

import app.sources.factory
import ingest.sources.cms
import ingest.website.crawl

app.sources.factory.DEAD_SECONDS = 1


def faulty(read):
    def read_or_end(*arguments, **named):
        if "deadly" in str(arguments):
            (Path({str(folder)!r}) / f"{{time.monotonic_ns()}}.ended").touch()
            {fault}
        return read(*arguments, **named)
    return read_or_end


ingest.website.crawl.read_text = faulty(ingest.website.crawl.read_text)
ingest.sources.cms.raw_page = faulty(ingest.sources.cms.raw_page)
"""


@pytest.fixture
def start(tmp_path: Path, private_redis: RedisServer) -> Iterator[Start]:
    """Starts an installation whose source is pulled by such a worker."""
    with private_redis.client() as client:
        client.flushall()
    with ExitStack() as stack:

        def started(table: dict[str, object], fault: str) -> Installation:
            settings = {
                "broker_url": f"{private_redis.url[:-1]}3",
                "sources": {SOURCE: {**table, "every": 3_600}},
                "fetch_allow": ["127.0.0.1"],
                "fetch_per_second": 200,
                "lease_seconds": 4,  # a pull that hangs is ended after 10
            }
            installation = stack.enter_context(installed(tmp_path, **settings))
            installation.start_worker(patch=dying(tmp_path, fault))
            installation.start("beat")
            return installation

        yield started


def not_read(installation: Installation) -> dict[str, str]:
    """Wait until the source is pulled to its end; what the console then shows as not read."""
    log, pages = installation.services.sources.pull_log, installation.services.page_list
    wait_until(lambda: pages.rejected(SOURCE) and log.by_source()[SOURCE].finished_at)
    return {each.document: each.message for each in pages.rejected(SOURCE)}


@pytest.mark.parametrize("fault", [KILL, HANG])
def test_a_page_of_a_website_that_ends_its_worker_twice_is_left_out(
    start: Start, web: FakeWebsite, tmp_path: Path, fault: str
) -> None:
    web.page("/page-7", "This one is deadly.")
    installation = start({"kind": "website", "address": web.address}, fault)
    assert not_read(installation) == {f"{web.address}/page-7": FATAL}
    assert len(list(tmp_path.glob("*.ended"))) == 2
    assert len(installation.services.store.refs(SOURCE)) == len(PATHS)


def test_a_page_of_a_cms_that_ends_its_worker_twice_is_left_out(start: Start, tmp_path: Path) -> None:
    with FakeCms() as cms:
        for number in range(30):
            text = "This one is deadly." if number == 0 else f"text {number}"
            cms.save(f"p{number}", text, revision=None, updated=None)
        installation = start({"kind": "cms", **cms.options()}, KILL)
        assert not_read(installation) == {"p0 (de)": FATAL}
        assert len(list(tmp_path.glob("*.ended"))) == 2
        assert len(installation.services.store.refs(SOURCE)) == 29
