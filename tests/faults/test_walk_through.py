"""The walk-through of docs/operations.md, as written; only where things are is another place."""

import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.fakes.command import PROGRAM, Command
from tests.fakes.processes import wait_for_end_of_group
from tests.services.ports import free_port
from tests.services.redis import RedisServer

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 240
FAST: Final = {"retry_seconds": 1, "sweep_seconds": 1, "lease_seconds": 20}


def script(folder: Path, redis: RedisServer, port: int) -> str:
    """The commands, with what the test has of its own: a folder, a port, and a Redis that runs already."""
    guide = ROOT.joinpath("docs", "operations.md").read_text("utf-8")
    section = guide.partition("### A walk-through")[2].partition("\n## ")[0]
    commands = "".join(re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE))
    commands, started = re.subn(r"^redis-server .*\n", "", commands, flags=re.MULTILINE)
    places = {
        "redis://127.0.0.1:6379/0": redis.url,
        "127.0.0.1:8000": f"127.0.0.1:{port}",
        "/tmp/": f"{folder}/",
    }
    assert started == 1
    for written, own in places.items():
        assert written in commands
        commands = commands.replace(written, own)
    return commands


def run(commands: str, environment: dict[str, str], log: Path) -> str:
    """What the commands print; everything that they have started ends with them."""
    with log.open("w") as output:
        shell = subprocess.Popen(
            ["bash", "-e", "-c", commands],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        code = shell.wait(SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        wait_for_end_of_group(shell.pid)
    printed = log.read_text("utf-8")
    assert code == 0, printed
    return printed


def test_the_walk_through_ends_green_with_one_page_less(tmp_path: Path, private_redis: RedisServer) -> None:
    port = free_port()
    command = Command(tmp_path, "walk", port=port, **FAST)
    environment = command.environment() | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    printed = run(script(tmp_path, private_redis, port), environment, tmp_path / "log")
    assert "24 indexed\n" in printed
    assert "| erster Hund | 72 € |" in printed
    assert "Dackel die Hälfte" in printed
    assert re.search(r"^2[34] pages, 0 failed in [\d.]+ s: generation 2 is live$", printed, re.MULTILINE)
    status = printed[printed.rindex("page store") - 4 :]
    assert re.findall(r"^BAD.*", status, re.MULTILINE) == []
    assert status.endswith("town: 23 indexed, 1 deleted\n")
