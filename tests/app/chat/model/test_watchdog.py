"""Deadlines for reads that block."""

import socket
import time
from collections.abc import Iterator

import pytest

from app.chat.model.watchdog import Watchdog

FAR_SECONDS = 60


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    """One end of a connection on which nothing comes; a read that nobody ends fails after a while."""
    mine, other = socket.socketpair()
    with mine, other:
        mine.settimeout(FAR_SECONDS / 4)
        yield mine


def test_an_earlier_deadline_counts_after_a_later_one(connection: socket.socket) -> None:
    with Watchdog(connection) as watchdog:
        with watchdog.until(time.monotonic() + FAR_SECONDS):
            pass
        with watchdog.until(time.monotonic() + 0.05):
            assert connection.recv(1) == b""
    assert watchdog.fired


def test_a_later_deadline_counts_after_an_earlier_one(connection: socket.socket) -> None:
    with Watchdog(connection) as watchdog:
        with watchdog.until(time.monotonic() + 0.05):
            pass
        deadline = time.monotonic() + 0.2
        with watchdog.until(deadline):
            assert connection.recv(1) == b""
        assert time.monotonic() >= deadline
    assert watchdog.fired


def test_a_deadline_that_is_not_reached_leaves_the_connection_open(connection: socket.socket) -> None:
    with Watchdog(connection) as watchdog, watchdog.until(time.monotonic() + FAR_SECONDS):
        pass
    assert not watchdog.fired
    assert connection.send(b"x") == 1
