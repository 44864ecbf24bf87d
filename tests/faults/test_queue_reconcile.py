"""What the index has lost comes back by a task of the schedule."""

from celery import Celery

from app.search.index import current_generation
from app.search.types import Remove
from tests.faults.gate import gate
from tests.faults.installation import Installation
from tests.faults.worker_group import wait_until
from workers.schedule import RECONCILE, RETENTION


def test_pages_that_the_index_lost_are_written_again_by_a_worker(installation: Installation) -> None:
    services = installation.services
    installation.worker()
    installation.new_pages(20)
    gate(services)
    live = current_generation(services.indexing.index, services.store.id).number
    held = dict(services.indexing.index.refs(live))
    lost = [Remove(ref=ref, sequence=held[ref]) for ref in sorted(held)[: len(held) // 6]]
    services.indexing.index.write(live, lost)
    with Celery(broker=services.settings.broker_url.get_secret_value(), set_as_current=False) as client:
        for task in (RETENTION, RECONCILE):
            client.send_task(task, queue="bulk")
    wait_until(services.background.reconciliation_log.all)
    [report] = services.background.reconciliation_log.all()
    assert (report.counts, report.problem) == ({"missing": len(lost)}, "")
    gate(services)
