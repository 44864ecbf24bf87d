"""Servers that die while they index what comes in, without a broker."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.faults.gate import gate
from tests.faults.installation import Installation, installed
from tests.faults.worker_group import wait_until

PAGES: Final = 40


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with installed(tmp_path) as installation:
        yield installation


def test_a_killed_server_is_made_good_by_the_next(installation: Installation, random: Random) -> None:
    server = installation.serve()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    server.kill()
    installation.serve()
    installation.save(random.sample(pages, 5))
    gate(installation.services)


def test_another_server_takes_over(installation: Installation, random: Random) -> None:
    first = installation.start("serve", "--port", "0")
    wait_until(lambda: installation.services.background.worker.state() == "elsewhere")
    installation.serve()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    first.kill()
    gate(installation.services)


def test_a_server_that_is_asked_to_end_leaves_its_pages_to_the_next(
    installation: Installation, random: Random
) -> None:
    server = installation.serve()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(PAGES // 2, PAGES))
    assert server.terminate() == 0
    assert installation.pending(pages) > 0
    installation.serve()
    gate(installation.services)


def test_pages_that_break_their_server_fail_and_take_no_other_along(installation: Installation) -> None:
    installation.serve()
    failed = {}
    for fault in ("deadly", "exhausting"):
        installation.new_pages(5)
        [page] = installation.new_pages(1, fault)
        failed[page] = "poison"
    installation.new_pages(5)
    gate(installation.services, failed=failed)
