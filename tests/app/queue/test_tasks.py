"""Waking: what goes to the broker, and what becomes of wakes that reach nobody."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from structlog.testing import capture_logs

from app.errors import BrokerUnavailableError
from app.queue.broker import Broker
from app.queue.tasks import CeleryQueue
from app.services import Services
from app.settings.settings import Settings

NOBODY = "redis://user:secret@127.0.0.1:1/0"


@pytest.fixture
def client(redis: str) -> Iterator[Redis]:
    """The broker, empty."""
    with Redis.from_url(redis) as client:
        client.flushdb()
        yield client
        client.flushdb()


@pytest.mark.parametrize(("pages", "tasks"), [(0, 0), (1, 1), (100, 1), (101, 2), (10_000, 16)])
def test_a_wake_sends_a_task_for_every_hundred_pages_and_never_a_flood(
    client: Redis, redis: str, pages: int, tasks: int
) -> None:
    queue = CeleryQueue(redis)
    queue.wake(pages)
    queue.close()
    assert client.llen("interactive") == tasks


@pytest.mark.parametrize(("interactive", "name", "priority"), [(True, "interactive", 1), (False, "bulk", 0)])
def test_what_somebody_waits_for_has_a_queue_of_its_own(
    client: Redis, redis: str, interactive: bool, name: str, priority: int
) -> None:
    queue = CeleryQueue(redis)
    queue.wake(interactive=interactive)
    queue.close()
    [message] = map(json.loads, client.lrange(name, 0, -1))
    assert message["headers"]["task"] == "auskunft.sync"
    assert json.loads(message["headers"]["kwargsrepr"].replace("'", '"')) == {"min_priority": priority}


def test_a_broker_that_is_away_is_told_of_once_and_stops_nobody() -> None:
    queue = CeleryQueue(NOBODY)
    with capture_logs() as logs:
        for _ in range(3):
            queue.wake(500)
    assert [entry["event"] for entry in logs] == ["broker_unavailable"]
    assert "secret" not in str(logs)


def test_a_connection_that_the_broker_has_closed_is_made_anew(client: Redis, redis: str) -> None:
    queue = CeleryQueue(redis)
    queue.wake()
    client.client_kill_filter(_type="normal", skipme=True)
    queue.wake()
    queue.close()
    assert client.llen("interactive") == 2


def test_the_settings_choose_between_workers_and_the_embedded_thread(tmp_path: Path) -> None:
    with Services(Settings(data=tmp_path, broker_url=NOBODY)) as services:
        assert isinstance(services.queue, CeleryQueue)
    with Services(Settings(data=tmp_path)) as services:
        assert services.queue is services.background.worker


def test_workers_are_seen_while_they_live(client: Redis, redis: str) -> None:
    broker = Broker(redis)
    assert (broker.workers(), broker.is_swept()) == ([], False)
    broker.note_worker("b@host")
    broker.note_worker("a@host")
    broker.note_sweep(60)
    assert (broker.workers(), broker.is_swept()) == (["a@host", "b@host"], True)
    assert all(client.ttl(key) > 0 for key in client.keys("auskunft:*"))
    broker.close()


def test_a_broker_that_is_away_says_where_it_was_sought_without_the_password() -> None:
    with pytest.raises(BrokerUnavailableError, match=r"broker at redis://127\.0\.0\.1:1/0 does not answer"):
        Broker(NOBODY).workers()
