"""The health checks of containers see real workers and a real schedule."""

import subprocess
import sys
from pathlib import Path

from redis import Redis

from tests.fakes.command import Command
from tests.faults.installation import Installation
from tests.faults.worker_group import wait_until


def health(kind: str, folder: Path, broker_url: str) -> tuple[int, str]:
    """Exit status and complaint, as a container's health check gets them."""
    env = Command(folder, broker_url=broker_url).environment()
    command = [sys.executable, "-P", "-m", "workers.health", kind]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_workers_and_schedule_are_healthy_while_they_live(installation: Installation, tmp_path: Path) -> None:
    url = installation.services.settings.broker_url.get_secret_value()
    worker = installation.worker()
    wait_until(lambda: installation.services.broker.schedulers() and installation.services.broker.workers())
    assert health("beat", tmp_path, url) == (0, "")
    assert health("worker", tmp_path, url) == (0, "")
    worker.kill()
    with Redis.from_url(url) as client:  # as after their time
        client.flushdb()
    status, complaint = health("worker", tmp_path, url)
    assert (status, "no worker lives on" in complaint) == (1, True)
    wait_until(lambda: health("beat", tmp_path, url) == (0, ""))
    installation.worker()
    wait_until(lambda: health("worker", tmp_path, url) == (0, ""))


def test_without_its_broker_neither_is_healthy(tmp_path: Path) -> None:
    for kind in ("worker", "beat"):
        status, complaint = health(kind, tmp_path, "redis://127.0.0.1:1/0")
        assert (status, len(complaint.splitlines())) == (1, 1)
        assert "does not answer" in complaint
