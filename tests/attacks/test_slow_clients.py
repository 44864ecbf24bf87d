"""Clients who keep the server waiting keep nobody else waiting."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from socket import socket
from typing import Final

import pytest

from app.serving.connections import CLIENT_SECONDS, LINGER_SECONDS, WAITING_CONNECTIONS
from app.settings.settings import Settings
from tests.attacks.server import Server, is_complete, read_response, serving, status_of
from tests.attacks.test_raw_requests import CUT_OFF, get, settings_of
from tests.fakes.llm import FakeLlm

MANY: Final = 500
ANSWER_SECONDS: Final = 0.5 * CLIENT_SECONDS
"""In which the server says that it is alive, on any machine: long before the slow ones lose theirs.
How fast it is, `benchmarks/` measures."""

EVENTS: Final = (
    b"POST /api/sources/town/events HTTP/1.1\r\nHost: chat.example\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9000000\r\n\r\n"
)
UNREAD: Final = b"GET /widget.js HTTP/1.1\r\nHost: chat.example\r\n\r\n" * 4
SLOW: Final[dict[str, list[bytes]]] = {
    **{name: [beginning] for name, beginning in CUT_OFF.items()},
    "nothing": [b""],
    "a large body": [EVENTS + b"x" * 1_000],
    "all of these": [*CUT_OFF.values(), b"", EVENTS],
}
MUCH: Final[dict[str, list[bytes]]] = {
    "a large body": [EVENTS + b"x" * 100_000],
    "responses that nobody reads": [UNREAD],
    "all of these": [*SLOW["all of these"], EVENTS + b"x" * 100_000, UNREAD],
}


@pytest.fixture(scope="module")
def server(installed: Settings) -> Iterator[Server]:
    with FakeLlm() as llm, serving(settings_of(installed, llm)) as running:
        running.ask(get(b"/healthz"))
        yield running
        assert not [line for line in running.log if "Traceback" in line]


def slow(server: Server, number: int, beginnings: list[bytes], *, addresses: int) -> socket:
    """The connection of a client, one of so many addresses, that goes on no further."""
    connection = server.connect(address=f"127.0.1.{number % addresses + 1}", receive_bytes=4_096)
    connection.settimeout(0.5)
    with suppress(OSError):  # its buffers are full, or it had to go
        connection.sendall(beginnings[number % len(beginnings)])
    return connection


def assert_alive(server: Server) -> None:
    begun = time.monotonic()
    assert status_of(server.ask(get(b"/healthz"))) == 200
    assert time.monotonic() - begun < ANSWER_SECONDS


def test_who_does_not_close_his_end_keeps_nobody_waiting(server: Server) -> None:
    with ExitStack() as left:
        for _ in range(20):
            connection = left.enter_context(server.connect())
            connection.sendall(get(b"/healthz"))
            assert status_of(read_response(connection)) == 200


@pytest.mark.parametrize("addresses", [1, 250])
@pytest.mark.parametrize("beginnings", SLOW.values(), ids=SLOW.keys())
def test_many_who_are_slow_keep_nobody_waiting(
    server: Server, beginnings: list[bytes], addresses: int
) -> None:
    with ExitStack() as waiting:
        for number in range(MANY):
            waiting.enter_context(slow(server, number, beginnings, addresses=addresses))
        for _ in range(20):
            assert_alive(server)


@pytest.mark.parametrize("addresses", [1, 250])
@pytest.mark.parametrize("beginnings", MUCH.values(), ids=MUCH.keys())
def test_once_what_they_sent_is_dealt_with_they_keep_nobody_waiting(
    server: Server, beginnings: list[bytes], addresses: int
) -> None:
    with ExitStack() as waiting:
        for number in range(MANY):
            waiting.enter_context(slow(server, number, beginnings, addresses=addresses))
        server.ask(get(b"/healthz"))
        for _ in range(20):
            assert_alive(server)


def test_the_address_with_the_most_connections_gives_way(server: Server) -> None:
    with ExitStack() as waiting:
        patient = waiting.enter_context(server.connect(address="127.0.2.1"))
        patient.sendall(get(b"/healthz")[:-2])
        for number in range(WAITING_CONNECTIONS + 50):
            waiting.enter_context(slow(server, number, [b""], addresses=1))
        assert_alive(server)
        patient.sendall(b"\r\n")
        assert status_of(read_response(patient)) == 200


def test_who_says_nothing_or_a_byte_now_and_then_is_not_waited_for(server: Server) -> None:
    with ThreadPoolExecutor() as clients:
        silent = clients.submit(say_nothing, server)
        responses = clients.map(partial(say_a_byte_now_and_then, server), CUT_OFF.values())
        for name, received in zip(CUT_OFF, responses, strict=True):
            assert status_of(received) in (408, 411), name
            problem = json.loads(received.partition(b"\r\n\r\n")[2])
            assert problem["status"] == status_of(received), name
            assert problem["detail"], name
    assert silent.result() == b""


def say_nothing(server: Server) -> bytes:
    """What is received until the server closes."""
    with server.connect() as connection:
        connection.settimeout(3 * CLIENT_SECONDS)
        return connection.recv(1)


def say_a_byte_now_and_then(server: Server, beginning: bytes) -> bytes:
    """The response to a request that goes on for ever."""
    with server.connect() as connection:
        connection.sendall(beginning)
        connection.settimeout(1.0)
        received, begun = b"", time.monotonic()
        while not is_complete(received) and time.monotonic() - begun < 3 * CLIENT_SECONDS:
            with suppress(OSError):
                connection.sendall(b"x")
            with suppress(TimeoutError):
                received += connection.recv(65_536)
    return received


def test_a_connection_that_is_kept_answers_again(server: Server) -> None:
    with server.connect() as connection:
        for _ in range(3):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: chat.example\r\n\r\n")
            assert status_of(read_response(connection)) == 200


def test_requests_sent_in_one_piece_are_answered_in_order(server: Server) -> None:
    first = b"GET /api/nothing HTTP/1.1\r\nHost: chat.example\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(first + get(b"/healthz"))
        received = b""
        while piece := connection.recv(65_536):
            received += piece
    statuses = [part[:3] for part in received.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"404", b"200"]


def test_a_body_is_asked_for_only_where_it_is_wanted(server: Server) -> None:
    head = b"Host: chat.example\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: "
    with server.connect() as connection:
        connection.sendall(b"POST /api/chat?site=town HTTP/1.1\r\n" + head + b"2\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert status_of(read_response(connection)) == 422
    with server.connect() as connection:
        connection.sendall(b"POST /api/chat?site=town HTTP/1.1\r\n" + head + b"70000\r\n\r\n")
        assert status_of(read_response(connection)) == 413


def test_who_still_sends_reads_that_it_is_too_much(server: Server) -> None:
    head = b"POST /api/chat?site=town HTTP/1.1\r\nHost: chat.example\r\nContent-Type: application/json\r\n"
    with server.connect() as connection:
        connection.sendall(head + b"Content-Length: 3000000\r\n\r\n")
        for _ in range(30):
            connection.sendall(b"x" * 100_000)
        assert status_of(read_response(connection)) == 413


def test_memory_stays_small_whatever_is_begun(server: Server) -> None:
    before = server.memory
    with ExitStack() as waiting:
        for number in range(MANY):
            waiting.enter_context(slow(server, number, [EVENTS + b"x" * 500_000], addresses=50))
        assert status_of(server.ask(get(b"/healthz"))) == 200
        assert server.memory < before + 150_000_000


def test_a_server_that_slow_clients_keep_waiting_stops(installed: Settings, llm: FakeLlm) -> None:
    with serving(settings_of(installed, llm)) as running, ExitStack() as waiting:
        for number in range(100):
            waiting.enter_context(slow(running, number, MUCH["all of these"], addresses=10))
        running.process.terminate()
        assert running.process.wait(CLIENT_SECONDS + LINGER_SECONDS) == 0
