"""The Celery application and its configuration, built from the settings on first use.

All limits follow from the lease of a claim. In ascending order: the work on a claim, the time limit of a
task, the lease, the visibility timeout.
"""

from typing import Any

from billiard.util import get_logger as billiard_logger
from celery import Celery
from celery.signals import setup_logging

from app.monitoring.logging import configure_logging
from app.queue.tasks import BULK
from app.settings.settings import Settings, load_settings
from workers.schedule import PULL, schedule
from workers.transport import use_own_transport

# Messages of dead workers are looked for every second; Celery's defaults are 10 s and every 10th round.
_RESTORE = {"unacked_restore_interval": 1, "unacked_restore_throttle": 1}


def configuration(settings: Settings) -> dict[str, Any]:
    """Celery's settings."""
    lease = settings.lease_seconds
    return {
        "broker_url": settings.broker_url.get_secret_value(),
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_transport_options": {**_RESTORE, "visibility_timeout": 3 * lease},
        # No queue has priority, because a worker always claims the most urgent pages, whatever woke it.
        "task_default_queue": BULK,
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        # No soft limit, because its exception may be raised anywhere and break a database connection. A task
        # that exceeds this limit is killed, and the claims of its process are released.
        "task_time_limit": 0.8 * lease,
        # A pull has no claims, and cannot stop before it has read the whole listing.
        "task_annotations": {PULL: {"time_limit": 2.5 * lease}},
        "worker_prefetch_multiplier": 1,
        # True loses the tasks that run while Redis drops its connections and comes back.
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_soft_shutdown_timeout": settings.stop_seconds,
        "beat_scheduler": "celery.beat:Scheduler",  # without a file, because missed runs need no catching up
        "beat_schedule": schedule(settings),
        "timezone": "UTC",
    }


use_own_transport()
app = Celery("auskunft", include=["workers.tasks", "workers.presence"])
app.add_defaults(lambda: configuration(load_settings()))


@setup_logging.connect
def _configure_logging(**_: object) -> None:
    configure_logging(load_settings())
    billiard_logger().propagate = True  # it logs which process was killed
