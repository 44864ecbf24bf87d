"""Says that this worker lives: a key in Redis that expires when it is not renewed."""

from contextlib import suppress
from functools import cache

from celery.signals import heartbeat_sent
from celery.worker.heartbeat import Heart

from app.broker import Broker
from app.errors import BrokerUnavailableError
from app.settings import load_settings


@cache
def _broker() -> Broker:
    return Broker(load_settings().broker_url.get_secret_value())


@heartbeat_sent.connect
def _renew(sender: Heart, **_: object) -> None:
    with suppress(BrokerUnavailableError):  # Celery says so itself, and comes back
        _broker().note_worker(sender.eventer.hostname)
