"""Many visitors at once, slow readers and leavers, on the real server: places and memory come back."""

import json
import random
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from typing import Final

import pytest

from app.serving.server import THREADS
from app.settings.settings import Settings
from tests.attacks.server import (
    PATIENCE_SECONDS,
    Server,
    chat_request,
    is_complete,
    read_response,
    serving,
    status_of,
)
from tests.attacks.sites import QUESTION
from tests.attacks.test_raw_requests import settings_of
from tests.fakes.llm import FakeLlm, Reply

VISITORS: Final = 200
LEAVERS: Final = 60
PLACES: Final = 16
OTHERS: Final = 8
"""Threads of the server that answer no request."""

SLOWLY: Final = f"{QUESTION} I read slowly."
POLL_SECONDS: Final = 0.1
LONG: Final = Reply(deltas=("STATUS: answered\n", *("The dog tax is 96 euros a year [1].\n\n",) * 200))
TRICKLE: Final = Reply(deltas=("STATUS: answered\n", "It is 96 euros [1].\n\n"), endless=True)


_NUMBERS: Final = count()


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture(scope="module")
def server(installed: Settings, llm: FakeLlm) -> Iterator[Server]:
    with serving(settings_of(installed, llm, concurrent_answers=PLACES, trusted_proxies=1)) as running:
        running.ask(chat_request(QUESTION))
        yield running
        assert not [line for line in running.log if "Traceback" in line]


def question(text: str = QUESTION) -> bytes:
    """Of another visitor each time."""
    number = next(_NUMBERS)
    return chat_request(text, f"10.0.{number // 256 % 256}.{number % 256}")


def asked(server: Server) -> bytes:
    with server.connect() as connection:
        connection.settimeout(3 * PATIENCE_SECONDS)
        connection.sendall(question())
        return read_response(connection)


def begin(server: Server, text: str = QUESTION, receive_bytes: int | None = None) -> socket.socket:
    """A connection on which an answer has begun, as soon as a place is free. Fails if none becomes so."""
    patience = threading.Event()
    for _ in range(round(PATIENCE_SECONDS / POLL_SECONDS)):
        connection = server.connect(receive_bytes=receive_bytes)
        connection.sendall(question(text))
        if status_of(head := connection.recv(200)) == 200:
            return connection
        connection.close()
        assert status_of(head) == 429
        patience.wait(POLL_SECONDS)
    raise AssertionError("no place became free")


def assert_all_places_become_free(server: Server, llm: FakeLlm) -> None:
    """As many answers as there are places can be written at once."""
    llm.default = Reply(silent=True)
    with ExitStack() as begun:
        for _ in range(PLACES):
            begun.enter_context(begin(server))


def test_everybody_is_served_or_told_when_to_come_again(server: Server, llm: FakeLlm) -> None:
    llm.default = Reply(deltas=("STATUS: answered\nIt is 96 euros [1].",), stall_at=0, stall_seconds=0.2)
    assert set(ask_all(server)) <= {200, 429}
    before = server.memory
    statuses = ask_all(server)
    assert set(statuses) <= {200, 429}
    assert statuses[200] >= PLACES
    assert statuses.total() == VISITORS
    assert server.memory < before + 30_000_000
    assert server.threads <= THREADS + OTHERS
    assert_all_places_become_free(server, llm)


def ask_all(server: Server) -> Counter[int]:
    """How many of many visitors at once got which status; each complete."""
    with ThreadPoolExecutor(VISITORS) as pool:
        answers = list(pool.map(lambda _: asked(server), range(VISITORS)))
    for answer in answers:
        assert is_complete(answer), answer[-200:]
        if status_of(answer) == 200:
            assert b"event: done" in answer
        else:
            assert re.search(rb"\r\nRetry-After: [1-9]\d*\r\n", answer)
    return Counter(map(status_of, answers))


def leave(connection: socket.socket, *, abruptly: bool) -> None:
    """Close it, with a reset or properly."""
    if abruptly:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_who_leaves_at_any_moment_leaves_a_free_place(server: Server, llm: FakeLlm) -> None:
    llm.default = TRICKLE
    moments = random.Random(7)
    for number in range(LEAVERS):
        connection = server.connect()
        request = question()
        connection.sendall(request if number % 4 else request[: moments.randrange(len(request))])
        wanted = moments.choice((0, 0, 1, 20, 400, 2_000))
        received = b""
        while number % 4 and len(received) < wanted and (piece := connection.recv(wanted)):
            received += piece
        leave(connection, abruptly=moments.random() < 0.5)
    assert_all_places_become_free(server, llm)


def test_who_leaves_ends_the_models_work(server: Server, llm: FakeLlm) -> None:
    for reply in (Reply(silent=True), Reply(stall_at=0), TRICKLE):
        llm.default = reply
        llm.hung_up.clear()
        leave(begin(server), abruptly=True)
        assert llm.hung_up.wait(PATIENCE_SECONDS)


def test_readers_who_do_not_read_give_their_places_back(server: Server, llm: FakeLlm) -> None:
    # Told by the question: an answer begins before the model is asked, even that of a visitor who has left.
    llm.answer = lambda request: LONG if SLOWLY in json.dumps(request) else Reply(silent=True)
    with ExitStack() as readers:
        readers.callback(setattr, llm, "answer", None)
        for _ in range(PLACES):
            readers.enter_context(begin(server, SLOWLY, receive_bytes=1_024))
        assert_all_places_become_free(server, llm)


def test_a_connection_that_says_nothing_takes_no_place(server: Server, llm: FakeLlm) -> None:
    with ExitStack() as silent:
        for _ in range(100):
            silent.enter_context(server.connect())
        assert_all_places_become_free(server, llm)


def test_a_half_open_connection_gets_its_answer(server: Server, llm: FakeLlm) -> None:
    llm.default = Reply(deltas=("STATUS: answered\nIt is 96 euros [1].",))
    with begin(server) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert b"event: done" in read_response(connection)
