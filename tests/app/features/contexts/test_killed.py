"""SIGKILL, Ctrl-C and SIGTERM while contexts are written: what is there is kept, the next run asks for the
rest alone."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.app.features.contexts.scripted import document_of, passage_of, writes_contexts
from tests.fakes.command import Command, finished
from tests.fakes.llm import FakeLlm, Reply
from tests.fakes.processes import wait_for_end_of_group
from tests.fakes.site import write_site

pytestmark = pytest.mark.faults

PAGES = 8
PARALLEL = 3
STOP_SECONDS = 2.0


class Gate:
    """Lets a model write so many contexts, then none until it is opened."""

    def __init__(self, passes: int) -> None:
        self._passes = passes
        self._lock = threading.Lock()
        self.reached = threading.Event()
        self.asked: Counter[tuple[str, str]] = Counter()

    def __call__(self, request: dict[str, object]) -> Reply:
        with self._lock:
            self.asked[document_of(request), passage_of(request)] += 1
            self._passes -= 1
            if self._passes >= 0:
                return writes_contexts(request)
            self.reached.set()
        return Reply(silent=True)

    def open(self) -> None:
        """Let it write all."""
        self._passes = 1_000_000


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def command(tmp_path: Path, llm: FakeLlm) -> Command:
    """Some pages, indexed, whose chunks lack contexts."""
    write_site(tmp_path / "site", PAGES, Random(1))
    model: dict[str, Any] = {
        "contexts__model": "fake",
        "contexts__base_url": llm.base_url,
        "contexts__parallel": PARALLEL,
    }
    command = Command(tmp_path, preset="contextual", **model)
    assert command.run("index", "site").code == 0
    return command


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_who_is_ended_loses_only_what_was_being_written(command: Command, llm: FakeLlm, number: int) -> None:
    [source] = command.run("contexts", "--json").json()["sources"]
    llm.answer = gate = Gate(passes=source["chunks"] // 2)
    process = command.start("contexts", "--write")
    assert gate.reached.wait(60)
    process.send_signal(number)
    started = time.monotonic()
    ended = finished(process)
    assert time.monotonic() - started < STOP_SECONDS
    assert ended.code == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    wait_for_end_of_group(process.pid)

    gate.open()
    done = command.run("contexts", "--write")
    assert done.code == 0, done
    [source] = command.run("contexts", "--json").json()["sources"]
    assert (source["written"], source["due"]) == (source["chunks"], 0)
    assert len(gate.asked) == source["chunks"]
    assert gate.asked.total() - len(gate.asked) <= PARALLEL, "only what was under way is asked for again"


def test_a_server_writes_contexts_by_itself(command: Command, llm: FakeLlm) -> None:
    llm.answer = writes_contexts
    server = command.start("serve", "--port", "0")
    try:
        deadline = time.monotonic() + 60
        while command.run("contexts", "--json").json()["sources"][0]["due"]:
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        server.terminate()
        finished(server)
    [source] = command.run("contexts", "--json").json()["sources"]
    assert source["written"] == source["chunks"]
