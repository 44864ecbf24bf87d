"""Editors who do whatever editors do, and remember what must be true in the end.

Each has pages of its own and does one thing after the other, so that the revisions of a page rise with what
its editor wants; in which order the messages arrive is another matter. Whatever happens, the index must serve
of each page what its highest revision says.
"""

import json
import time
from collections.abc import Callable
from random import Random
from typing import Final

import httpx

from app.sources.signatures import headers
from tests.fakes.cms import FakeCms
from tests.faults.installation import SECRET, SOURCE, Event, Installation

PAGES: Final = 40
PAUSE_SECONDS: Final = 0.3
CLOCK_SECONDS: Final = 7_200
LANGUAGE: Final = "en"

Heard = Callable[[list[str]], None]


class Editor:
    """Edits pages of ``installation`` and of the ``cms`` that it fetches from, as ``random`` says.

    ``wanted``: each page's content by its id, ``None`` where there must be none. ``heard`` is called with the
    jobs of every message. ``events``, ``repeats`` and ``refusals`` count what was accepted, sent again, and
    sent with a wrong clock.
    """

    def __init__(
        self, name: str, installation: Installation, cms: FakeCms, random: Random, heard: Heard
    ) -> None:
        self.wanted: dict[str, str | None] = {}
        self.events = self.repeats = self.refusals = 0
        self._name = name
        self._installation = installation
        self._cms = cms
        self._random = random
        self._heard = heard
        self._messages = 0
        self._last: tuple[str, list[Event]] | None = None
        self._late: list[Event] = []
        self._uncommitted: list[str] = []

    def work(self, until: float) -> None:
        """Edit until then (``time.monotonic``); what was held back comes at the end."""
        weights = {
            self._save: 8,
            self._delete: 3,
            self._move: 2,
            self._republish: 2,
            self._overtake: 3,
            self._announce: 2,
            self._repeat: 2,
            self._send_with_wrong_clock: 1,
        }
        while time.monotonic() < until:
            [act] = self._random.choices(list(weights), list(weights.values()))
            act()
            if self._random.random() < 0.3:
                self._catch_up(1)
            time.sleep(self._random.expovariate(1 / PAUSE_SECONDS))
        self._catch_up(len(self._late) + len(self._uncommitted))

    def _save(self) -> None:
        """One page or a few, new or known."""
        ids = {self._any_page() for _ in range(self._random.randint(1, 4))}
        self._send(*(self._version(page_id) for page_id in sorted(ids)))

    def _delete(self) -> None:
        self._send(self._deletion(self._any_page()))

    def _move(self) -> None:
        old, new = self._any_page(), self._new_page()
        self.wanted[old] = None
        self._send(self._version(new) | {"type": "page.moved", "id": old, "new_id": new})

    def _republish(self) -> None:
        """A deleted page comes back without a higher revision."""
        deleted = sorted(page_id for page_id, text in self.wanted.items() if text is None)
        if not deleted:
            return
        event = self._version(self._random.choice(deleted)) | {"republish": True}
        del event["revision"]
        self._send(event)

    def _overtake(self) -> None:
        """What comes later has the lower revision."""
        page_id = self._any_page()
        older = self._random.choice([self._version, self._deletion])(page_id)
        newer = self._random.choice([self._version, self._deletion])(page_id)
        self._late.append(older)
        self._send(newer)

    def _announce(self) -> None:
        """Without its fields, before the CMS can deliver them."""
        page_id = self._any_page()
        record = self._version(page_id)
        self._cms.uncommitted.add((page_id, LANGUAGE))
        self._uncommitted.append(page_id)
        self._cms.pages[page_id, LANGUAGE] = record
        self._send({name: record[name] for name in ("type", "id", "language", "revision")})

    def _repeat(self) -> None:
        """As after an answer that was lost."""
        if self._last is not None:
            self.repeats += 1
            self._installation.deliver(self._last[0], *self._last[1])

    def _send_with_wrong_clock(self) -> None:
        body = json.dumps(self._installation.version("untimely")).encode()
        sent = int(time.time()) + self._random.choice([-CLOCK_SECONDS, CLOCK_SECONDS])
        signed = {"Content-Type": "application/json", **headers(SECRET, self._message_id(), sent, body)}
        try:
            answer = httpx.post(
                f"{self._installation.url}/api/sources/{SOURCE}/events", content=body, headers=signed
            )
        except httpx.TransportError:
            return  # the server is away
        assert not answer.is_success, answer.text
        self.refusals += answer.status_code == httpx.codes.UNAUTHORIZED

    def _catch_up(self, n_pages: int) -> None:
        """Send what was held back, and let the CMS deliver what it announced."""
        for _ in range(n_pages):
            if self._late:
                self._send(self._late.pop(0))
            if self._uncommitted:
                self._cms.uncommitted.discard((self._uncommitted.pop(0), LANGUAGE))

    def _any_page(self) -> str:
        if (len(self.wanted) < PAGES and self._random.random() < 0.3) or not self.wanted:
            return self._new_page()
        return self._random.choice(sorted(self.wanted))

    def _new_page(self) -> str:
        return f"{self._name}-{len(self.wanted)}"

    def _version(self, page_id: str) -> Event:
        event = self._installation.version(page_id, self._random.choice(["none", "slow"]))
        self.wanted[page_id] = event["markdown"]
        return event

    def _deletion(self, page_id: str) -> Event:
        self.wanted[page_id] = None
        return self._installation.deletion(page_id)

    def _send(self, *events: Event) -> None:
        message_id = self._message_id()
        self._heard(self._installation.deliver(message_id, *events))
        self._last = message_id, list(events)
        self.events += len(events)

    def _message_id(self) -> str:
        self._messages += 1
        return f"{self._name}-message-{self._messages}"
