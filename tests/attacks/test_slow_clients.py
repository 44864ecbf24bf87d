"""Clients who keep the server waiting keep nobody else waiting."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from app.settings import Settings
from tests.attacks.server import Server, read_response, serving, status_of
from tests.attacks.test_raw_requests import CUT_OFF, get, settings_of
from tests.fakes.llm import FakeLlm


@pytest.fixture(scope="module")
def server(installed: Settings) -> Iterator[Server]:
    with FakeLlm() as llm, serving(settings_of(installed, llm)) as running:
        running.ask(get(b"/healthz"))
        yield running
        assert not [line for line in running.log if "Traceback" in line]


def test_who_does_not_close_his_end_keeps_nobody_waiting(server: Server) -> None:
    with ExitStack() as left:
        for _ in range(20):
            connection = left.enter_context(server.connect())
            connection.sendall(get(b"/healthz"))
            assert status_of(read_response(connection)) == 200


@pytest.mark.parametrize("beginning", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_requests_that_do_not_end_keep_nobody_waiting_for_long(server: Server, beginning: bytes) -> None:
    with ExitStack() as waiting:
        for _ in range(70):
            waiting.enter_context(server.connect()).sendall(beginning)
        assert status_of(server.ask(get(b"/healthz"))) == 200
