"""Workers that die, hang or meet deadly pages, with a real Redis: after each fault the gate must hold."""

import os
import signal
from random import Random
from typing import Final

import pytest

from tests.contracts.conftest import DATABASES
from tests.fakes.faults_plugin import CLOCK
from tests.faults.freezing import freeze
from tests.faults.gate import gate
from tests.faults.installation import Installation
from tests.faults.worker_group import wait_until
from tests.services.redis import RedisServer

PAGES: Final = 40
LEASE_SECONDS: Final = 4
"""Of a worker that takes over: messages that another holds come back to it after 12 seconds."""

BOTH_DATABASES: Final = pytest.mark.parametrize("installation", DATABASES, indirect=True)


@BOTH_DATABASES
def test_a_pool_process_killed_while_it_embeds_loses_nothing(
    installation: Installation, random: Random
) -> None:
    worker = installation.worker()
    pages = installation.new_pages(PAGES, "embedding")
    for left in sorted(random.sample(range(1, PAGES), 3), reverse=True):
        installation.wait_for_pending(pages, left)
        wait_until(worker.children)
        os.kill(random.choice(worker.children()), signal.SIGKILL)
        installation.save(random.sample(pages, 5), "embedding")
    gate(installation.services)


@BOTH_DATABASES
def test_a_killed_worker_is_made_good_by_the_next(installation: Installation, random: Random) -> None:
    worker = installation.worker()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    worker.kill()
    installation.save(random.sample(pages, 5))
    installation.worker()
    gate(installation.services)


def test_a_worker_that_is_asked_to_end_leaves_its_pages_to_the_next(
    installation: Installation, random: Random
) -> None:
    worker = installation.worker()
    pages = installation.new_pages(2 * PAGES)
    installation.wait_for_pending(pages, random.randrange(PAGES + 30, 2 * PAGES))
    worker.terminate()
    assert installation.pending(pages) > 0
    installation.worker()
    gate(installation.services)


def test_a_task_that_outlives_the_visibility_timeout_runs_twice_and_does_no_harm(
    installation: Installation, private_redis: RedisServer, random: Random
) -> None:
    hanging = installation.worker()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(10, PAGES))
    freeze(installation, hanging)
    with private_redis.client() as client:
        held = set(client.hkeys("unacked"))
        other = installation.start_worker(lease_seconds=LEASE_SECONDS)
        installation.save(random.sample(pages, 5))
        wait_until(lambda: not held & set(client.hkeys("unacked")))
    gate(installation.services)
    hanging.signal(signal.SIGCONT)
    installation.save(random.sample(pages, 5))
    hanging.terminate()
    gate(installation.services)
    other.kill()


def test_the_clock_of_a_worker_changes_no_order(installation: Installation, random: Random) -> None:
    installation.worker()
    pages = installation.import_pages(2 * PAGES)
    slow = installation.start_worker(patch=CLOCK)
    for left in sorted(random.sample(range(1, 2 * PAGES), 3), reverse=True):
        installation.wait_for_pending(pages, left)
        installation.save(random.sample(pages, 5))
    gate(installation.services)
    slow.kill()


def test_a_page_that_somebody_waits_for_overtakes_a_backlog(installation: Installation) -> None:
    installation.worker()
    backlog = installation.import_pages(2 * PAGES)
    installation.wait_for_pending(backlog, 2 * PAGES - 1)
    installation.wait_for_pending(installation.new_pages(1), 0)
    assert installation.pending(backlog) > 0
    gate(installation.services)


def test_pages_that_break_their_worker_fail_and_take_no_other_along(installation: Installation) -> None:
    installation.worker()
    faults = {
        "deadly": "poison",
        "exhausting": "poison",
        "hang": "timeout",
        "memory": "too_large",
    }
    failed = {}
    for fault, reason in faults.items():
        installation.new_pages(10)
        [page] = installation.new_pages(1, fault)
        failed[page] = reason
    installation.new_pages(10)
    gate(installation.services, failed=failed)
    installation.save(failed)
    gate(installation.services)
