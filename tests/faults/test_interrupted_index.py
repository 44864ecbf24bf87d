"""Ctrl-C and SIGTERM during long work: it says so at once, ends in good order, and the next run goes on."""

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Final

import pytest

from app.cli.stopping import STOPPING
from app.pages.database import open_engine, sqlite_url
from app.pages.store import PageStore
from tests.fakes.command import SECONDS, Command, Finished, finished
from tests.fakes.faults_plugin import started_with
from tests.fakes.plugin import hanging_plugin
from tests.fakes.processes import running_in_group, wait_for_end_of_group

GO_ON: Final = "interrupted; run the command again to continue"
SIGNALS: Final = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
CHUNKS: Final = 100

SLOW: Final = """
from pathlib import Path

from ingest.embedders.hashing import HashingEmbedder

quick = HashingEmbedder.embed_documents

def slow(self, texts):
    if len(list(Path().glob("batch*"))) == 2:
        Path("embedding").touch()
        time.sleep(60)
    Path(f"batch {time.monotonic()}").touch()
    return quick(self, texts)

if Path("slow").exists():
    HashingEmbedder.embed_documents = slow
"""
"""An embedder that embeds two batches, and is at the third for long."""

BUSY: Final = """
import hashlib
from pathlib import Path

from ingest.embedders.hashing import HashingEmbedder

def busy(self, texts):
    Path("embedding").touch()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

HashingEmbedder.embed_documents = busy
"""
"""An engine that no signal interrupts, as it is not written in Python."""

RESOLVING: Final = """
import hashlib
import socket
from pathlib import Path

def resolving(*_arguments, **_named):
    Path("resolving").touch()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

socket.getaddrinfo = resolving
"""
"""A name server that does not answer, and a resolver that no signal interrupts, as that of the C library."""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "site").mkdir()
    return Command(tmp_path)


def wait_until(process: "Popen[bytes]", happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


def check_that_it_stopped(result: Finished, process: "Popen[bytes]") -> None:
    assert (result.code, result.out) == (130, "")
    lines = result.err.splitlines()  # on a slow machine there is one of progress too
    assert STOPPING in lines
    assert lines[-1] == GO_ON
    wait_for_end_of_group(process.pid)


def check_that_it_was_given_back(command: Command) -> None:
    store = PageStore(open_engine(sqlite_url(command.data / "pages.sqlite")))
    [claim] = store.claim(1, "another worker")
    assert claim.attempts == 1
    store.release("another worker")


@SIGNALS
def test_an_interrupted_conversion_leaves_no_process_and_counts_no_attempt(
    command: Command, number: signal.Signals
) -> None:
    (command.folder / "site" / "page.md").write_text("This page makes its parser hang forever.\n")
    path = {"PYTHONPATH": str(hanging_plugin(command.folder / "plugins"))}
    process = command.start("index", "site", extra=path)
    wait_until(process, lambda: len(running_in_group(process.pid)) == 2)  # until the converting child runs
    process.send_signal(number)
    check_that_it_stopped(finished(process), process)
    check_that_it_was_given_back(command)
    assert command.run("index", "site").out.startswith("1 indexed, 0 unchanged, 0 failed")


def long_page(command: Command) -> None:
    parts = "\n\n".join(f"## Part {number}\n\nThe text of part {number}." for number in range(CHUNKS))
    (command.folder / "site" / "page.md").write_text(f"# Page\n\n{parts * 20}")


@SIGNALS
def test_an_interrupted_page_is_given_back_and_keeps_what_was_embedded(
    command: Command, number: signal.Signals
) -> None:
    long_page(command)
    (command.folder / "slow").touch()
    path = {"PYTHONPATH": str(started_with(command.folder / "start", SLOW))}
    process = command.start("index", "site", extra=path)
    wait_until(process, (command.folder / "embedding").exists)
    process.send_signal(number)
    check_that_it_stopped(finished(process), process)
    check_that_it_was_given_back(command)
    assert len(list(command.folder.glob("batch*"))) == 2
    assert command.run("index", "site").out.startswith("1 indexed, 0 unchanged, 0 failed")


def test_an_interrupted_rebuild_leaves_the_old_index_as_it_was(command: Command) -> None:
    long_page(command)
    assert command.run("index", "site").code == 0
    (command.folder / "slow").touch()
    path = {"PYTHONPATH": str(started_with(command.folder / "start", SLOW))}
    process = command.start("reindex", extra=path, embedders__hashing__dims=64)
    wait_until(process, (command.folder / "embedding").exists)
    process.send_signal(signal.SIGINT)
    check_that_it_stopped(finished(process), process)
    [live] = command.run("generations", "--json").json()
    assert (live["number"], live["state"], live["pages"]) == (1, "live", 1)
    assert command.run("reindex").code == 0


def test_a_busy_engine_delays_neither_the_word_nor_the_end_by_a_second_signal(command: Command) -> None:
    long_page(command)
    path = {"PYTHONPATH": str(started_with(command.folder / "start", BUSY))}
    process = command.start("index", "site", extra=path)
    wait_until(process, (command.folder / "embedding").exists)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert f"{STOPPING}\n".encode() in iter(process.stderr.readline, b"")
    process.send_signal(signal.SIGINT)
    assert finished(process).code == 130
    wait_for_end_of_group(process.pid)
    assert command.run("index", "site").out.startswith("1 indexed, 0 unchanged, 0 failed")


def law_source(command: Command, text_url: str) -> None:
    """Let acts of EU law be fetched from ``text_url``."""
    table = f'kind = "eurlex"\nacts = ["32024R0001"]\ntext_url = "{text_url}/{{celex}}"'
    text = f'fetch_allow = ["127.0.0.1"]\n[sources.eurlex]\n{table}'
    (command.folder / "auskunft.toml").write_text(text, "utf-8")


@SIGNALS
def test_fetching_from_a_website_that_does_not_answer_ends_at_once(
    command: Command, number: signal.Signals
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as website:
        website.settimeout(SECONDS)
        law_source(command, f"http://127.0.0.1:{website.getsockname()[1]}")
        process = command.start("index", "eurlex:32024R0001")
        connection, _ = website.accept()
        with connection:
            connection.settimeout(SECONDS)
            assert connection.recv(16) == b"GET /32024R0001 "
            process.send_signal(number)
            check_that_it_stopped(finished(process), process)


def test_fetching_while_a_name_is_resolved_ends_at_once(command: Command) -> None:
    law_source(command, "http://website.example")
    path = {"PYTHONPATH": str(started_with(command.folder / "start", RESOLVING))}
    process = command.start("index", "eurlex:32024R0001", extra=path)
    wait_until(process, (command.folder / "resolving").exists)
    process.send_signal(signal.SIGINT)
    check_that_it_stopped(finished(process), process)
