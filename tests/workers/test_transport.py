"""The Redis transport: the error of a closed connection, and that TLS stays."""

import ssl
from typing import Any

import pytest
from celery import Celery

from app.settings.settings import Settings
from workers.celery_app import configuration
from workers.transport import Transport


def connection(url: str) -> Any:
    """One as a worker opens it."""
    app = Celery(set_as_current=False)
    app.conf.update(configuration(Settings(broker_url=url)))
    return app.connection_for_read()


def test_what_comes_too_late_for_a_connection_is_an_error_of_connections(redis: str) -> None:
    opened = connection(redis)
    channel = opened.channel()
    errors = opened.connection_errors
    opened.close()
    with pytest.raises(errors), channel.conn_or_acquire():
        pass


def test_tls_is_not_forgotten() -> None:
    secured = connection("rediss://:secret@127.0.0.1:1/0")
    assert isinstance(secured.transport, Transport)
    assert secured.ssl == {"ssl_cert_reqs": ssl.CERT_NONE}
    assert not connection("redis://127.0.0.1:1/0").ssl
