"""A real Auskunft that content management systems send to: it can be stopped and given other secrets."""

import base64
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.app.serving.test_server import COMMAND, environment
from tests.services.ports import free_port

SOURCE: Final = "town"
PATIENCE_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.05


def secret(letter: str) -> str:
    """A secret made of one letter."""
    return "whsec_" + base64.b64encode(letter.encode() * 32).decode()


class Auskunft:
    """``auskunft serve`` with the fast embedder, and one source that takes events."""

    def __init__(self, folder: Path) -> None:
        self.secrets = [secret("a")]
        self.url = f"http://127.0.0.1:{free_port()}"
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it on the same data and port, and wait until it answers."""
        secrets = {f"AUSKUNFT_SOURCES__{SOURCE.upper()}__SECRETS": json.dumps(self.secrets)}
        env = environment(self._folder / "data", **secrets)
        command = [*COMMAND, "serve", "--port", self.url.rpartition(":")[2]]
        self._process = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        assert any(re.search(r"http://\S+", line) for line in self._process.stdout), "it did not start"

    def stop(self) -> None:
        """End it; its data stay."""
        if self._process:
            self._process.terminate()
            self._process.communicate(timeout=PATIENCE_SECONDS)
        self._process = None

    def sources(self, question: str) -> list[dict[str, Any]]:
        """The sources of the chat's answer to a question."""
        body = {"question": question}
        answer = httpx.post(f"{self.url}/api/chat", json=body, timeout=PATIENCE_SECONDS).text
        data = re.search(r"^event: sources\ndata: (.*)$", answer, re.M)
        assert data, answer
        found: list[dict[str, Any]] = json.loads(data[1])["sources"]
        return found

    def knows(self, question: str, words: str) -> bool:
        """True if a source of the answer has these words in its title or address."""
        return any(words in source["title"] + source["url"] for source in self.sources(question))


@contextmanager
def running(folder: Path) -> Iterator[Auskunft]:
    """A running Auskunft with its data in ``folder``."""
    started = Auskunft(folder)
    started.start()
    try:
        yield started
    finally:
        started.stop()


def seconds_until(condition: Callable[[], bool], within: float = PATIENCE_SECONDS) -> float:
    """Wait until the condition holds; return how long that took. Fails after ``within`` seconds."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < within, f"not within {within} s"
        time.sleep(POLL_SECONDS)
    return time.monotonic() - begun
