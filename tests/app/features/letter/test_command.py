"""``auskunft letter`` on the command line."""

import json
from pathlib import Path
from typing import Any

from app.features.questions.services import QuestionServices
from app.services import Services
from app.settings.settings import load_settings
from tests.fakes.command import Command
from tests.fakes.mail import Inbox, mail_server
from tests.services.ports import free_port

TO = "web@town.example"


def test_it_is_shown_and_sent_once_to_each(tmp_path: Path) -> None:
    inbox, port = Inbox(), free_port()
    gone = {"email": "gone@town.example", "user": "gone"}
    letter: dict[str, Any] = {
        "letter__to": json.dumps([TO, gone]),
        "public_url": "https://auskunft.town.example",
    }
    smtp: dict[str, Any] = {
        "smtp__host": "127.0.0.1",
        "smtp__port": port,
        "smtp__sender": TO,
        "smtp__security": "none",
    }
    command = Command(tmp_path, **letter, **smtp)
    assert "nothing to say" in command.run("letter").out
    with Services(load_settings(data=tmp_path / "data", embedder="hashing")) as services:
        conversations = services.chat.conversations
        answer = conversations.begin("default", "Is there a casino?").answer
        document = {"answer": "A.", "status": "no_answer", "sources": [], "citations": []}
        conversations.finish(answer, document)
        services.feature(QuestionServices).groups.keep({answer: (1, 0)}, 0)
    shown = command.run("letter").out
    assert f"To: {TO}\nSubject: Weekly letter: Auskunft\n" in shown and "* Is there a casino?" in shown
    assert "To: gone@town.example\n\nthere is no user 'gone'" in shown
    failed = command.run("letter", "--send")
    assert failed.code == 1 and "cannot be used" in failed.out
    with mail_server(inbox, port):
        sent = command.run("letter", "--send")
        assert sent.code == 1
        assert sent.out.splitlines()[0] == f"{TO}: sent" and "there is no user 'gone'" in sent.out
        assert "had this week's" in command.run("letter", "--send").out
    assert [envelope.rcpt_tos for envelope in inbox.messages] == [[TO]]


def test_without_recipients_it_is_shown_but_not_sent(tmp_path: Path) -> None:
    command = Command(tmp_path)
    assert command.run("letter").out.startswith("To: nobody")
    assert "[letter] to" in command.run("letter", "--send").complaint(2)
