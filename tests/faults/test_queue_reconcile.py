"""What the index has lost comes back by a task of the schedule."""

from celery import Celery

from app.search.types import Remove
from tests.faults.gate import gate
from tests.faults.worker_group import Installation, wait_until
from tests.services.redis import RedisServer
from workers.schedule import RECONCILE, RETENTION


def test_pages_that_the_index_lost_are_written_again_by_a_worker(
    installation: Installation, private_redis: RedisServer
) -> None:
    services = installation.services
    installation.worker()
    installation.save(range(20), fault="none")
    gate(services)
    live = services.index.live()
    assert live is not None
    held = dict(services.index.refs(live.number))
    lost = sorted(held)[:4]
    services.index.write(live.number, [Remove(ref=ref, sequence=held[ref]) for ref in lost])
    with Celery(broker=private_redis.url, set_as_current=False) as client:
        for task in (RETENTION, RECONCILE):
            client.send_task(task, queue="bulk")
    wait_until(services.upkeep.log.all)
    [report] = services.upkeep.log.all()
    assert (report.counts, report.problem) == ({"missing": 4}, "")
    gate(services)
