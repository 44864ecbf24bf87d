"""Celery's configuration: the limits that must keep their order, and what was found to lose tasks."""

import json
import subprocess
import sys

from app.feature import installed
from app.settings.settings import Settings
from workers.celery_app import app, configuration
from workers.schedule import RECONCILE, RETENTION, schedule


def test_every_limit_leaves_time_before_the_next() -> None:
    conf = configuration(Settings(broker_url="redis://127.0.0.1:1/0"))
    limits = (
        Settings().work_seconds,
        conf["task_time_limit"],
        Settings().lease_seconds,
        conf["broker_transport_options"]["visibility_timeout"],
    )
    assert limits == (120, 240, 300, 900)
    assert "task_soft_time_limit" not in conf
    assert conf["task_annotations"] == {"auskunft.pull": {"time_limit": 750}}
    shares = {step.name: step.lease_share for feature in installed() for step in feature.steps}
    assert all(share < 1 or name == "live_quality" for name, share in shares.items())  # it has no claims


def test_tasks_of_dead_workers_are_given_to_others_soon() -> None:
    conf = configuration(Settings(broker_url="redis://127.0.0.1:1/0"))
    assert (conf["task_acks_late"], conf["task_reject_on_worker_lost"]) == (True, True)
    assert conf["worker_prefetch_multiplier"] == 1
    assert not conf["worker_cancel_long_running_tasks_on_connection_loss"]
    options = conf["broker_transport_options"]
    assert (options["unacked_restore_interval"], options["unacked_restore_throttle"]) == (1, 1)


def test_messages_are_json_and_results_are_not_kept() -> None:
    conf = configuration(Settings(broker_url="redis://127.0.0.1:1/0"))
    assert (conf["task_serializer"], conf["accept_content"]) == ("json", ["json"])
    assert conf["task_ignore_result"]


def test_every_task_of_the_schedule_is_known_to_workers() -> None:
    app.loader.import_default_modules()
    planned = {entry["task"] for entry in schedule(Settings()).values()}
    assert {RECONCILE, RETENTION} <= planned <= app.tasks.keys()


def test_the_death_of_a_workers_process_is_logged_as_json() -> None:
    program = (
        "import workers.celery_app; from billiard import util; from celery.signals import setup_logging; "
        "setup_logging.send(None); util.get_logger(); util.error('%s was killed', 'one')"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stderr)["event"] == "one was killed"
