"""``auskunft worker`` and ``auskunft beat`` where they cannot begin."""

from pathlib import Path

import pytest

from tests.fakes.command import Command

NOBODY = "redis://:secret@127.0.0.1:1/0"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_without_a_broker_they_say_what_to_set(command: Command, name: str) -> None:
    assert "AUSKUNFT_BROKER_URL" in command.run(name).complaint(2)


def test_an_unknown_queue_is_refused(command: Command) -> None:
    said = command.run("worker", "--queues", "interactive,fast", broker_url=NOBODY).complaint(2)
    assert "unknown queue 'fast': choose from interactive, bulk" in said


@pytest.mark.parametrize("url", ["amqp://127.0.0.1", "127.0.0.1:6379"])
def test_another_kind_of_broker_is_refused(command: Command, url: str) -> None:
    assert "redis://host:6379/0" in command.run("status", broker_url=url).complaint(2)


def test_while_the_broker_is_away_a_worker_says_so_and_keeps_trying(command: Command) -> None:
    process = command.start("worker", broker_url=NOBODY)
    assert process.stderr is not None
    said = process.stderr.readline().decode()
    assert said.startswith("auskunft: the broker at redis://127.0.0.1:1/0 does not answer")
    assert said.rstrip().endswith("trying until it does")
    lines = (line.decode() for line in process.stderr)
    assert any("Trying again" in line for line in lines)
    process.kill()
    process.communicate()
