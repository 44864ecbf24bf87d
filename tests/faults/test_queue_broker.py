"""A Redis that loses messages, dies, hangs or is set up wrongly: events are accepted all the same, and after
each fault the gate must hold."""

from random import Random
from typing import Final

from app.monitoring.readiness import checks
from tests.fakes.faults_plugin import CRASH
from tests.faults.gate import gate
from tests.faults.installation import Installation
from tests.faults.worker_group import wait_until
from tests.services.redis import RedisServer

PAGES: Final = 40
QUEUES: Final = ("interactive", "bulk")


def broker_is_fine(installation: Installation) -> bool:
    """What the line about the broker says."""
    [broker] = [part for part in checks(installation.services) if part.name == "broker"]
    return broker.ok


def test_a_redis_that_forgets_everything_is_made_good_by_the_sweep(
    installation: Installation, private_redis: RedisServer, random: Random
) -> None:
    worker = installation.worker()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    with private_redis.client() as client:
        client.flushall()
        worker.kill()
        installation.save(random.sample(pages, 5))
        client.flushall()
    installation.worker()
    gate(installation.services)


def test_a_worker_that_dies_between_taking_a_message_and_noting_it_loses_nothing(
    installation: Installation, private_redis: RedisServer
) -> None:
    installation.worker().kill()
    with private_redis.client() as client:
        client.flushall()  # what the first worker may have taken and not finished
    installation.new_pages(PAGES)
    crashing = installation.start_worker(patch=CRASH)
    wait_until(lambda: not crashing.runs())
    crashing.kill()
    with private_redis.client() as client:
        assert client.hlen("unacked") == 0
    installation.worker()
    gate(installation.services)


def test_a_redis_that_dies_and_comes_back_loses_nothing(
    installation: Installation, private_redis: RedisServer, random: Random
) -> None:
    installation.worker()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    private_redis.kill()
    installation.save(random.sample(pages, 5))
    assert not broker_is_fine(installation)
    private_redis.start()
    assert broker_is_fine(installation)
    installation.save(random.sample(pages, 5))
    gate(installation.services)


def test_events_are_accepted_while_redis_hangs_and_the_sweep_catches_up(
    installation: Installation, private_redis: RedisServer, random: Random
) -> None:
    installation.worker()
    pages = installation.new_pages(PAGES)
    installation.wait_for_pending(pages, random.randrange(1, PAGES))
    private_redis.pause()
    installation.save(random.sample(pages, 5))
    installation.new_pages(5)
    assert not broker_is_fine(installation)
    private_redis.go_on()
    gate(installation.services)


def test_a_redis_that_may_throw_messages_away_is_reported(
    installation: Installation, private_redis: RedisServer
) -> None:
    assert broker_is_fine(installation)
    with private_redis.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        [broker] = [part for part in checks(installation.services) if part.name == "broker"]
        client.config_set("maxmemory-policy", "noeviction")
    assert not broker.ok
    assert "set `maxmemory-policy noeviction`" in broker.detail
