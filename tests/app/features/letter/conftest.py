"""A town whose editors get a letter by a real mail server; it is a Monday morning."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from app.accounts.types import User
from app.chat.conversations import AnswerRecord
from app.features.letter.services import LetterServices
from app.features.letter.step import send
from app.features.letter.writer import LetterWriter
from app.features.questions.services import QuestionServices
from app.indexing.stopping import never
from app.services import Services
from app.settings.settings import Settings
from ingest.converters.process import ConverterProcess
from tests.app.console.conftest import SITES, TOKEN
from tests.fakes.mail import Inbox
from tests.services.ports import free_port

BERLIN: Final = ZoneInfo("Europe/Berlin")
ADDRESS: Final = "https://auskunft.town.example"
EVERYTHING: Final = "web@town.example"
LAW: Final = "law@town.example"
LETTER: Final[dict[str, Any]] = {
    "to": [{"email": EVERYTHING, "language": "de"}, {"email": LAW, "user": "otto", "language": "en"}]
}


@dataclass
class Clock:
    """The letter's clock. Begins on the next Monday, 8:00 in Berlin, as questions are asked now."""

    now: datetime = field(init=False)

    def __post_init__(self) -> None:
        real = datetime.now(BERLIN)
        day = real.date() + timedelta(days=-real.weekday() % 7)
        monday = datetime.combine(day, time(8), BERLIN)
        self.now = monday if monday > real else monday + timedelta(days=7)

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Town:
    """An installation with a letter, and what visitors ask there."""

    services: Services
    clock: Clock
    inbox: Inbox
    port: int
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def letters(self) -> LetterServices:
        return self.services.feature(LetterServices)

    @property
    def writer(self) -> LetterWriter:
        return self.services.feature(LetterWriter)

    def ask(self, question: str, status: str = "no_answer", *, site: str = "town", **more: Any) -> str:
        """Ask a question, which is a group of its own; the id of its answer."""
        conversations = self.services.chat.conversations
        begun = conversations.begin(site, question)
        document = {"answer": "A.", "status": status, "sources": [], "citations": []} | more
        conversations.finish(begun.answer, document, record=AnswerRecord(provenance={"pages": []}))
        self.numbers[begun.answer] = len(self.numbers) + 1
        ranked = {answer: (number, 0) for answer, number in self.numbers.items()}
        self.services.feature(QuestionServices).groups.keep(ranked, 0)
        return begun.answer

    def run(self) -> int:
        """Do what the background does, until nothing is due; how often something was."""
        count = 0
        while send(self.services, never):
            count += 1
        return count

    def received(self) -> dict[str, EmailMessage]:
        """The e-mails that the mail server took, one for each address."""
        found: dict[str, EmailMessage] = {}
        for envelope in self.inbox.messages:
            [to] = envelope.rcpt_tos
            message = message_from_bytes(envelope.content, policy=default)
            assert isinstance(message, EmailMessage) and to not in found
            found[to] = message
        return found


def town_settings(data: Path, settings: Settings, port: int, **changes: Any) -> Settings:
    smtp = {"host": "127.0.0.1", "port": port, "sender": "auskunft@town.example", "security": "none"}
    given = {"data": data, "sites": SITES, "admin_token": TOKEN, "smtp": smtp, "letter": LETTER}
    return Settings.model_validate(settings.model_dump() | given | {"public_url": ADDRESS} | changes)


@pytest.fixture
def port() -> int:
    """Where the mail server is, or will be."""
    return free_port()


@pytest.fixture
def services(
    indexed_site: Path, site_settings: Settings, tmp_path: Path, converter: ConverterProcess, port: int
) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(town_settings(data, site_settings, port)) as services:
        services.indexing.converter = converter
        services.users.add(User(name="otto", role="editor", sources=frozenset({"law"})))
        yield services


@pytest.fixture
def town(services: Services, port: int) -> Town:
    clock = Clock()
    services.feature(LetterServices).clock = clock
    return Town(services, clock, Inbox(), port)


def content(message: EmailMessage, kind: str) -> str:
    """One of a letter's two texts: ``plain`` or ``html``."""
    body = message.get_body((kind,))
    assert body is not None
    text: str = body.get_content()
    return text.replace("\r\n", "\n")
