"""What is known of another server: its last use, or a check, never more of them than one a minute."""

import threading
from collections.abc import Iterator

import pytest

from ingest import availability
from ingest.availability import IDLE_SECONDS, Availability
from ingest.errors import AuskunftError, EmbedderUnavailableError


class Server:
    """Stands for another server: counts how often it is checked, and fails while ``error`` is set."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.checks = 0
        self.error: AuskunftError | None = None
        self.answers = threading.Event()
        self.answers.set()
        self.availability = Availability(self.check, clock=lambda: self.now)

    def check(self) -> None:
        self.checks += 1
        self.answers.wait()
        if self.error:
            raise self.error

    def outcome(self) -> tuple[bool, str]:
        found = self.availability.outcome()
        return found.ok, found.text


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.answers.set()


def test_nothing_is_asked_before_somebody_wants_to_know(server: Server) -> None:
    assert server.checks == 0
    assert server.outcome() == (True, "asked 0 s ago")
    assert server.checks == 1


def test_a_server_that_was_used_a_short_while_ago_is_not_asked(server: Server) -> None:
    server.availability.record()
    server.now += IDLE_SECONDS - 1
    assert server.outcome() == (True, "answered 59 s ago")
    assert server.checks == 0


def test_however_often_health_is_asked_the_server_is_asked_once_a_minute(server: Server) -> None:
    for _ in range(120):
        server.outcome()
        server.now += 1
    assert server.checks == 2


def test_after_a_failure_it_is_not_ok_until_something_succeeds(server: Server) -> None:
    server.availability.record(EmbedderUnavailableError("the model is away"))
    server.error = EmbedderUnavailableError("the model is still away")
    server.now += 5
    assert server.outcome() == (False, "the model is away (5 s ago)")
    server.now += IDLE_SECONDS
    assert server.outcome() == (False, "the model is still away (0 s ago)")
    server.availability.record()
    assert server.outcome() == (True, "answered 0 s ago")
    server.availability.record(EmbedderUnavailableError("the model is away"))
    server.error = None
    server.now += IDLE_SECONDS
    assert server.outcome() == (True, "asked 0 s ago")


def test_nothing_is_asked_while_a_question_waits(server: Server) -> None:
    with server.availability.in_use():
        assert server.outcome() == (True, "is being used for the first time")
        server.availability.record()
        server.now += 10 * IDLE_SECONDS
        assert server.outcome() == (True, "answered 10 min ago")
        assert server.checks == 0
    server.outcome()
    assert server.checks == 1


def test_a_server_that_answers_nothing_is_waited_for_a_short_time_and_asked_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability, "WAIT_SECONDS", 0.05)
    server.answers.clear()
    for _ in range(3):
        assert server.outcome() == (False, "does not answer within 0.05 s")
    assert server.checks == 1
    server.availability.record(EmbedderUnavailableError("gone"))
    server.now += 2 * IDLE_SECONDS
    assert server.outcome() == (False, "gone (2 min ago)")
