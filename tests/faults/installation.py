"""An installation as it runs: server, workers and schedule, each a real process, and a CMS that feeds it."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx

from app.errors import SendingError
from app.services import Services
from app.settings.settings import Settings
from app.sources.events import changes_of
from app.sources.sender import Sender
from app.sources.signatures import headers
from ingest.types import PageRef, Save
from tests.fakes.command import Command
from tests.fakes.faults_plugin import faulty_plugin, started_with
from tests.faults.worker_group import PATIENCE_SECONDS, Group, wait_until
from tests.services.ports import free_port

SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SOURCE: Final = "town"
SECONDS: Final = {
    "lease_seconds": 10,
    "sweep_seconds": 1,
    "retry_seconds": 1,
    "stop_seconds": 1,
    "conversion_seconds": 1,
}
"""Small ones. From the lease follow a time limit of 8 and a visibility timeout of 30."""

REPEAT_SECONDS: Final = 0.2
WORDS: Final = 200
"""Of a page: enough for several windows."""

Event = dict[str, Any]


class Installation:
    """Sends what editors do and looks at what becomes of it; others do the work.

    Events go to the server, if one was started, else into the receiver of this process.
    """

    def __init__(self, folder: Path, **settings: Any) -> None:
        source = {"secrets": [SECRET], "events_per_minute": 1_000_000}
        own = {"embedder": "hashing", **SECONDS, "sources": {SOURCE: source}, **settings}
        plain = {
            name: json.dumps(value) if isinstance(value, dict | list) else value
            for name, value in own.items()
        }
        self._folder = folder
        self._command = Command(folder, "data", **plain)
        self._plugins = faulty_plugin(folder / "plugins")
        self._open = ExitStack()
        self._worker: Group | None = None
        self._versions = count(1)
        self._port = 0
        self.log = folder / "output.log"
        self.data = self._command.data
        self.services = self._open.enter_context(
            Services(Settings.model_validate({"data": self.data, **own}))
        )
        _ = self.services.indexing.index

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self._port}"

    def close(self) -> None:
        """End everything that was started."""
        self._open.close()

    def start(self, *arguments: str, patch: str = "", **settings: object) -> Group:
        """Start a command, killed at the end; ``patch``: code that Python runs first."""
        folders = [self._plugins]
        if patch:
            folders.insert(0, started_with(self._folder / f"patch{next(self._versions)}", patch))
        path = os.pathsep.join(map(str, folders))
        env = self._command.environment(**settings) | {"PYTHONPATH": path}
        group = Group(arguments, folder=self._folder, env=env, log=self.log)
        self._open.callback(group.kill)
        return group

    def start_worker(self, patch: str = "", **settings: object) -> Group:
        """Start a worker with two processes."""
        return self.start("worker", "--concurrency", "2", patch=patch, **settings)

    def worker(self) -> Group:
        """The worker, started if it does not run."""
        if self._worker is None or not self._worker.runs():
            self._worker = self.start_worker()
        return self._worker

    def serve(self) -> Group:
        """Start the server, at the same address as before, and wait until it answers."""
        self._port = self._port or free_port()
        group = self.start("serve", "--port", str(self._port))
        wait_until(self._answers)
        return group

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz").is_success
        except httpx.TransportError:
            return False

    def send(self, *events: Event) -> list[str]:
        """Send a message; the ids of its jobs."""
        return self.deliver(f"message-{next(self._versions)}", *events)

    def deliver(self, message_id: str, *events: Event) -> list[str]:
        """Send a message, again until it is accepted, as the contract wants it; the ids of its jobs."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.deliver_once(message_id, *events)
            except SendingError:
                assert time.monotonic() < deadline
                time.sleep(REPEAT_SECONDS)

    def deliver_once(self, message_id: str, *events: Event) -> list[str]:
        """The same without a second try. Raises ``SendingError``."""
        body = json.dumps({"events": events}).encode()
        if not self._port:
            signed = headers(SECRET, message_id, int(time.time()), body)
            return [job.id for job in self.services.sources.webhook.receive(SOURCE, signed, body)]
        jobs = Sender(self.url).send(SOURCE, body, secret=SECRET, message_id=message_id)
        return [job["id"] for job in jobs]

    def status(self, job: str) -> tuple[str, str]:
        """How a job stands, and why."""
        found = self.services.deliveries.job(job)
        return found.status, found.reason

    def save(self, ids: Iterable[str], fault: str = "slow") -> None:
        """Send a new version of each page."""
        self.send(*(self.version(page_id, fault) for page_id in ids))

    def new_pages(self, n_pages: int, fault: str = "slow") -> list[str]:
        """Send pages that were not there before; their ids."""
        ids = [f"page-{next(self._versions)}" for _ in range(n_pages)]
        self.save(ids, fault)
        return ids

    def import_pages(self, n_pages: int) -> list[str]:
        """Take pages in that nobody waits for; their ids."""
        ids = [f"page-{next(self._versions)}" for _ in range(n_pages)]
        body = json.dumps({"events": [self.version(page_id) for page_id in ids]}).encode()
        changes = changes_of(SOURCE, body, can_pull=False)
        self.services.store.accept([change for change in changes if isinstance(change, Save)], priority=0)
        self.services.queue.wake(n_pages, interactive=False)
        return ids

    def version(self, page_id: str, fault: str = "slow", **fields: object) -> Event:
        """The event of a new version of a page, which has several windows."""
        number = next(self._versions)
        words = " ".join(f"word{(31 * number + position) % 997}" for position in range(WORDS))
        return {
            "type": "page.saved",
            "id": page_id,
            "language": "en",
            "revision": number,
            "url": f"https://town.example/{page_id}",
            "title": f"Page {page_id}",
            "markdown": f"fault: {fault} {page_id} in version {number}\n\n{words}",
            **fields,
        }

    def deletion(self, page_id: str, **fields: object) -> Event:
        """The event of a page's end."""
        return {"type": "page.deleted", "id": page_id, "revision": next(self._versions), **fields}

    def pending(self, ids: Sequence[str]) -> int:
        """How many of these pages wait."""
        return self.services.store.pending([ref_of(page_id) for page_id in ids])

    def text(self, page_id: str) -> str | None:
        """The content that the index serves; ``None`` where it does not serve the page."""
        return self.texts([page_id]).get(page_id)

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        """The contents of those pages that the index serves, by id."""
        self.services.indexing.index.refresh()
        found = self.services.indexing.index.pages([ref_of(page_id) for page_id in ids])
        return {page.ref.id: page.fields["content"] for page in found}

    def wait_for_pending(self, ids: Sequence[str], most: int) -> None:
        """Wait until so many of these pages at most wait."""
        wait_until(lambda: self.pending(ids) <= most)


def ref_of(page_id: str) -> PageRef:
    """The page of the town with this id."""
    return PageRef(source=SOURCE, id=page_id, language="en")


@contextmanager
def running(folder: Path, **settings: Any) -> Iterator[Installation]:
    """An installation with schedule, worker and server."""
    with installed(folder, **settings) as installation:
        installation.start("beat")
        installation.worker()
        installation.serve()
        yield installation


@contextmanager
def installed(folder: Path, **settings: Any) -> Iterator[Installation]:
    """An installation; what its processes printed is shown if the test fails."""
    installation = Installation(folder, **settings)
    try:
        yield installation
    finally:
        installation.close()
        if installation.log.exists():
            print(installation.log.read_text("utf-8", "replace")[-8_000:])  # noqa: T201
