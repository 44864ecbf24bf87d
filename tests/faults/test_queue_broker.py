"""A Redis that loses messages, dies, hangs or is set up wrongly: pages are accepted all the same, and after
each fault the gate must hold."""

from typing import Final

from app.readiness import Part, checks
from tests.faults.gate import gate
from tests.faults.worker_group import Installation, wait_for_indexed, wait_until
from tests.services.redis import RedisServer

PAGES: Final = 40


def queue_part(installation: Installation) -> Part:
    """The line about the queue."""
    [part] = [part for part in checks(installation.services) if part.name == "queue"]
    return part


def test_a_lost_message_is_made_good_by_the_sweep(
    installation: Installation, private_redis: RedisServer
) -> None:
    installation.save(range(10))
    with private_redis.client() as client:
        assert client.llen("interactive") == 1
        client.flushall()
    installation.worker()
    gate(installation.services)


def test_a_redis_that_dies_and_comes_back_loses_nothing(
    installation: Installation, private_redis: RedisServer
) -> None:
    installation.worker()
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    private_redis.kill()
    installation.save(range(0, PAGES, 7))
    assert not queue_part(installation).ok
    private_redis.start()
    gate(installation.services)
    installation.save(range(0, PAGES, 5))
    gate(installation.services)


def test_pages_are_accepted_while_redis_hangs(installation: Installation, private_redis: RedisServer) -> None:
    installation.worker()
    installation.save(range(PAGES))
    wait_for_indexed(installation, 5)
    private_redis.pause()
    try:
        for page in range(5):
            installation.save([page])
        assert "does not answer" in queue_part(installation).detail
    finally:
        private_redis.go_on()
    gate(installation.services)


def test_a_redis_that_may_throw_messages_away_is_reported(
    installation: Installation, private_redis: RedisServer
) -> None:
    part = queue_part(installation)
    assert (part.ok, part.detail.startswith("no worker")) == (False, True)
    installation.worker()
    wait_until(lambda: queue_part(installation).ok)
    with private_redis.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        part = queue_part(installation)
        client.config_set("maxmemory-policy", "noeviction")
    assert not part.ok
    assert "maxmemory-policy noeviction" in part.detail


def test_pages_wait_while_the_index_is_away_and_go_on_by_themselves(installation: Installation) -> None:
    folder = installation.data / "index"
    files = [path.name for path in folder.glob("generation-*")]
    assert files
    for name in files:
        (folder / name).rename(folder / f"away-{name}")
    installation.worker()
    installation.save(range(10))
    wait_until(lambda: installation.services.store.counts() == {"waiting": 10})
    rows = installation.services.store.rows()
    assert {row.reason for row in rows} == {"index_unavailable"}
    for name in files:
        (folder / f"away-{name}").rename(folder / name)
    gate(installation.services)
