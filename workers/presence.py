"""Reports that workers and the scheduler run, by keys in Redis that expire unless they are renewed."""

import os
import socket
from contextlib import suppress
from functools import cache

from celery.signals import beat_init, before_task_publish, heartbeat_sent
from celery.worker.heartbeat import Heart

from app.errors import BrokerUnavailableError
from app.queue.broker import Broker
from app.settings.settings import load_settings


@cache
def _broker() -> Broker:
    return Broker(load_settings().broker_url.get_secret_value())


@beat_init.connect
def _begin(**_: object) -> None:
    with suppress(BrokerUnavailableError):  # the first sweep does this, too
        _broker().note_sweep(2 * load_settings().sweep_seconds)
    before_task_publish.connect(_tick)
    _tick()


def _tick(**_: object) -> None:
    """Renew the scheduler's key with every task that it sends: at least every sweep."""
    with suppress(BrokerUnavailableError):
        _broker().note_scheduler(f"{os.getpid()}@{socket.gethostname()}", 2 * load_settings().sweep_seconds)


@heartbeat_sent.connect
def _renew(sender: Heart, **_: object) -> None:
    with suppress(BrokerUnavailableError):  # Celery logs it, and reconnects
        _broker().note_worker(sender.eventer.hostname)
