"""What becomes of a server that dies, and what a stopping one leaves of the answers that it was writing."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from app.services import Services
from app.settings.settings import Settings
from tests.app.api.events import parse
from tests.app.serving.test_server import COMMAND, PATIENCE_SECONDS, QUESTION, environment, serving
from tests.fakes.llm import FakeLlm, Reply
from tests.faults.worker_group import wait_until


@pytest.fixture
def data(indexed_site: Path, tmp_path: Path) -> Path:
    """A copy of the small installation's data, to be written to."""
    return shutil.copytree(indexed_site, tmp_path / "data")


def children_of(process: "subprocess.Popen[str]") -> list[int]:
    """The processes that it has started."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(child) for child in listed.split()]


def child_of(process: "subprocess.Popen[str]") -> int:
    """The server, whose supervisor was started."""
    return children_of(process)[0]


def test_a_server_that_dies_is_started_again_at_the_same_address(data: Path) -> None:
    with serving([*COMMAND, "serve", "--port", "0"], environment(data)) as (process, url):
        httpx.get(f"{url}healthz", timeout=PATIENCE_SECONDS)
        first = child_of(process)
        os.kill(first, signal.SIGKILL)
        assert httpx.get(f"{url}healthz", timeout=PATIENCE_SECONDS).status_code == 200
        assert child_of(process) != first


def test_a_server_that_is_stopped_before_it_has_started_ends_well(data: Path) -> None:
    with serving([*COMMAND, "serve", "--port", "0"], environment(data)) as (process, _):
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0


def test_a_server_that_is_stopped_before_it_has_read_its_settings_ends_well() -> None:
    settings, pipe = os.pipe()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        files = [listener.fileno(), settings]
        command = [sys.executable, "-P", "-m", "app.serving.supervisor", *map(str, files)]
        supervisor = subprocess.Popen(command, pass_fds=files, text=True)
    with supervisor:
        os.close(settings)
        with os.fdopen(pipe, "wb") as file:
            file.write(b"x" * 68_000)  # a little more than a pipe takes: handing them on waits for the server
        wait_until(lambda: children_of(supervisor))
        server = child_of(supervisor)
        os.kill(server, signal.SIGSTOP)
        supervisor.terminate()
        with suppress(ProcessLookupError):  # it has been ended for not obeying
            os.kill(server, signal.SIGCONT)
        assert supervisor.wait(PATIENCE_SECONDS) == 0


def test_the_server_ends_when_its_supervisor_is_killed(data: Path) -> None:
    with serving([*COMMAND, "serve", "--port", "0"], environment(data)) as (process, url):
        httpx.get(f"{url}healthz", timeout=PATIENCE_SECONDS)
        server = os.pidfd_open(child_of(process))
        process.kill()
        assert select.select([server], [], [], PATIENCE_SECONDS)[0]
        os.close(server)


def test_an_answer_that_was_being_written_is_kept_and_the_conversation_goes_on(
    site_settings: Settings, llm: FakeLlm, data: Path
) -> None:
    llm.script(Reply(deltas=("It is 96 euros.\n\nMore", " later"), stall_at=1))
    model = {"AUSKUNFT_CHAT__BASE_URL": llm.base_url, "AUSKUNFT_CHAT__MODEL": "fake"}
    with serving([*COMMAND, "serve", "--port", "0"], environment(data, **model)) as (process, url):
        body = {"question": QUESTION}
        with httpx.stream("POST", f"{url}api/chat", json=body, timeout=PATIENCE_SECONDS) as response:
            chunks = response.iter_text()
            received = next(chunks)
            while "event: block" not in received:
                received += next(chunks)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_SECONDS)
    ids = parse(received[: received.index("\n\n") + 2])[0][1]
    with Services(site_settings.model_copy(update={"data": data})) as services:
        conversations = services.chat.conversations
        stored = conversations.answer("default", ids["answer"])
        assert stored.status == "interrupted"
        assert stored.document
        assert stored.document["answer"].startswith("It is 96 euros.")
        assert conversations.begin("default", QUESTION, ids["conversation"])
