"""An installation as the documentation makes it: the shipped files, ``.env``, and Compose's commands."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx

from app.errors import SendingError
from app.sources.sender import Sender
from tests.compose.engine import Engine
from tests.services.ports import free_port

ROOT: Final = Path(__file__).parents[2]
GUIDE: Final = ROOT / "docs/deployment.md"
SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SOURCE: Final = "town"
PATIENCE_SECONDS: Final = 240.0
POLL_SECONDS: Final = 1.0
"""A visitor may search once a second, on average."""

PAUSE_SECONDS: Final = 2.0
COUNTED_SECONDS: Final = 5.0
UNITS: Final = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def commands(heading: str) -> list[str]:
    """The blocks of commands below a heading of the guide, as they stand there."""
    [section] = re.findall(
        rf"^## {heading}\n(.*?)(?=^## )", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def wait_until(happens: Callable[[], object]) -> float:
    """Poll, for containers say in no other way how far they are; the seconds that it took."""
    began = time.monotonic()
    while not happens():
        assert time.monotonic() < began + PATIENCE_SECONDS
        time.sleep(POLL_SECONDS)
    return time.monotonic() - began


def note(figure: str) -> None:
    """Print a figure for the guide; pytest shows it at the end."""
    sys.stdout.write(f"{figure}\n")


class Installation:
    """The shipped files in ``folder``. ``peaks``: the most bytes that each service was seen to need."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.folder = folder
        self.port = free_port()
        self.peaks: dict[str, int] = {}
        self._numbers = count(1)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)

    @property
    def url(self) -> str:
        """The address at which visitors ask."""
        return f"http://127.0.0.1:{self.port}"

    def run(self, script: str) -> str:
        """Run commands of the guide, with nothing on standard input; what they print."""
        done = subprocess.run(
            ["sh", "-euc", script],
            cwd=self.folder,
            env=self.engine.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def set(self, **settings: object) -> None:
        """Add settings to ``.env``."""
        with (self.folder / ".env").open("a", encoding="utf-8") as file:
            for name, value in settings.items():
                text = json.dumps(value) if isinstance(value, dict | list) else str(value)
                file.write(f"{name}='{text}'\n")

    def containers(self) -> dict[str, dict[str, Any]]:
        """What Docker knows of each container, by service."""
        names = self.run("docker compose ps --quiet --all").split()
        found = [self.engine.inspect(name) for name in names]
        return {each["Config"]["Labels"]["com.docker.compose.service"]: each for each in found}

    def healthy(self, service: str) -> bool:
        """True if the service's container runs and its check found no fault."""
        state = self.containers()[service]["State"]
        return bool(state["Running"] and state["Health"]["Status"] == "healthy")

    def kill(self, service: str) -> None:
        """Kill the service's first process, and all others with it, and wait until they are back."""
        before = self.containers()[service]
        os.kill(before["State"]["Pid"], signal.SIGKILL)
        wait_until(lambda: self.containers()[service]["RestartCount"] > before["RestartCount"])

    def send(self) -> str:
        """Send a page until it is accepted; the word that only it contains."""
        word = f"kennwort{next(self._numbers)}x{self.port}"
        event = {
            "type": "page.saved",
            "id": word,
            "language": "de",
            "revision": 1,
            "url": f"https://town.example/{word}",
            "title": f"Bekanntmachung {word}",
            "markdown": f"Die Bekanntmachung {word} liegt im Rathaus aus.",
        }
        body = json.dumps({"events": [event]}).encode()
        wait_until(lambda: self._accepts(word, body))
        return word

    def _accepts(self, message_id: str, body: bytes) -> bool:
        try:
            Sender(self.url).send(SOURCE, body, secret=SECRET, message_id=message_id)
        except SendingError:
            return False
        return True

    def finds(self, word: str) -> bool:
        """True if the page with the word is the first that is found."""
        try:
            answer = httpx.get(f"{self.url}/api/search", params={"q": f"Bekanntmachung {word}"}, timeout=30)
        except httpx.TransportError:
            return False
        hits: list[dict[str, Any]] = answer.json()["hits"] if answer.is_success else []
        return bool(hits) and hits[0]["url"].endswith(word)

    def ask(self, question: str) -> str:
        """The text of the answer, as the API streams it."""
        body = {"question": question}
        answer = httpx.post(f"{self.url}/api/chat?format=markdown", json=body, timeout=120).raise_for_status()
        data = [json.loads(line[5:]) for line in answer.text.splitlines() if line.startswith("data:")]
        return "".join(each.get("text", "") for each in data)

    @contextmanager
    def editor(self) -> Iterator[list[str]]:
        """An editor who saves one page after the other; their words."""
        words: list[str] = []
        leaves = threading.Event()

        def work() -> None:
            while not leaves.is_set():
                words.append(self.send())
                leaves.wait(PAUSE_SECONDS)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield words
        finally:
            leaves.set()
            thread.join()

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Look every few seconds at how much memory each service needs."""
        over = threading.Event()

        def work() -> None:
            while not over.wait(COUNTED_SECONDS):
                listing = self.engine.docker("stats", "--no-stream", "--format", "{{.Name}} {{.MemUsage}}")
                for name, used in re.findall(r"^\S*?auskunft[_-]([a-z]+)\S* (\S+) /", listing, re.MULTILINE):
                    self.peaks[name] = max(self.peaks.get(name, 0), _bytes(used))

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def _bytes(text: str) -> int:
    """Bytes of ``12.3MiB``."""
    match = re.fullmatch(r"([\d.]+)(\w+)", text)
    assert match
    return int(float(match[1]) * UNITS[match[2]])
