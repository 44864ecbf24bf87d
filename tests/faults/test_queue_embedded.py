"""Servers that die while they index what comes in, without a broker."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.faults.gate import gate
from tests.faults.worker_group import Group, Installation, installed, wait_for_indexed, wait_until

PAGES: Final = 40


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with installed(tmp_path) as installation:
        yield installation


def serve(installation: Installation) -> Group:
    """Start a server and wait until it answers."""
    known = addresses(installation)
    group = installation.start("serve", "--port", "0")
    wait_until(lambda: addresses(installation) > known)
    return group


def addresses(installation: Installation) -> int:
    """How many servers have said where they are."""
    said = installation.log.read_text("utf-8") if installation.log.exists() else ""
    return len(re.findall("Auskunft serves at", said))


def test_a_killed_server_is_made_good_by_the_next(installation: Installation) -> None:
    server = serve(installation)
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    server.kill()
    installation.save(range(0, PAGES, 7))
    serve(installation)
    gate(installation.services)


def test_another_server_takes_over(installation: Installation) -> None:
    first = serve(installation)
    wait_until(lambda: installation.services.drain.state() == "elsewhere")
    serve(installation)
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    first.kill()
    gate(installation.services)


def test_a_server_that_is_asked_to_end_leaves_its_pages_to_the_next(installation: Installation) -> None:
    server = serve(installation)
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    assert server.terminate() == 0
    assert installation.services.store.pending() > 0
    serve(installation)
    gate(installation.services)


def test_a_page_that_kills_its_server_fails_and_takes_no_other_along(installation: Installation) -> None:
    serve(installation)
    installation.save(range(10))
    installation.save(["killer"], fault="deadly")
    installation.save(range(10, 20))
    gate(installation.services, failed={"killer": "poison"})
