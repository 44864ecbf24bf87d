"""A town that hands questions over, its visitor's forms, and servers that take what is sent."""

import threading
from pathlib import Path
from typing import Any, Final

from bs4 import BeautifulSoup
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.features.handover.step import is_due, send
from app.indexing.stopping import never
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from tests.app.web.browser import soup
from tests.fakes.loopback import LoopbackServer, QuietHandler

SECRET: Final = "whsec_" + "QUFB" * 10
MAILBOX: Final = "buergerservice@town.example"
SENDER: Final = "auskunft@town.example"
CONTACT: Final = "mia@visitor.example"
KEY: Final = "k" * 22
FORM: Final = {"send": "yes", "key": KEY, "contact": CONTACT, "message": "Bitte helfen.", "consent": "yes"}


class WebhookServer(LoopbackServer):
    """Keeps what is posted: headers and body. ``status``: what it answers."""

    def __init__(self) -> None:
        super().__init__(_Receiver)
        self.status = 204
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.gate: threading.Event | None = None


class _Receiver(QuietHandler):
    def do_POST(self) -> None:  # noqa: N802 - http.server names it
        hook: WebhookServer = self.server.fake
        body = self.rfile.read(int(self.headers["Content-Length"]))
        hook.received.append((dict(self.headers.items()), body))
        if hook.gate is not None:
            hook.gate.wait(10)
        self.send_response(hook.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def town(
    folder: Path,
    handover: dict[str, Any] | None,
    *,
    smtp_port: int = 1,
    smtp: dict[str, Any] | None = None,
    **changes: Any,
) -> Services:
    """The services of an installation with the site ``town``, which hands over in this way. ``smtp``: more
    of the mail server."""
    site = SiteSettings.model_validate(
        {"key": "town", "name": "Stadt Otterfurt", "language": "de", "origins": ["https://www.town.example"]}
        | {"handover": handover}
        | changes
    )
    server = {"host": "127.0.0.1", "port": smtp_port, "sender": SENDER, "security": "none"} | (smtp or {})
    other = SiteSettings(key="other")
    return Services(load_settings(data=folder, embedder="hashing", sites=[site, other], smtp=server))


def converse(services: Services, question: str = "Wo steht das Rathaus?", **document: Any) -> tuple[str, str]:
    """Store a conversation with one answer that did not help; the ids of both."""
    conversations = services.chat.conversations
    pending = conversations.begin("town", question)
    source = {"number": 1, "id": "a", "title": "Rathaus", "url": "https://town.example/rathaus"}
    given = {"answer": "Das weiß ich nicht.", "status": "no_answer", "unhelped": True, "citations": []}
    conversations.finish(pending.answer, given | {"sources": [source]} | document)
    return pending.conversation, pending.answer


def post(client: FlaskClient, address: str = "198.51.100.7", **fields: str) -> TestResponse:
    """Send the form."""
    return client.post("/handover?site=town&lang=de", data=fields, environ_base={"REMOTE_ADDR": address})


def hidden(page: BeautifulSoup) -> dict[str, str]:
    """The fields of the form that nobody types."""
    return {str(each["name"]): str(each["value"]) for each in page.select("form.ask input[type=hidden]")}


def number_of(answer: TestResponse) -> str:
    """The number that the page tells."""
    [shown] = soup(answer).select(".done strong")
    return shown.get_text()


def send_all(services: Services) -> None:
    """Do what the background step does, until nothing is due."""
    while is_due(services):
        send(services, never)
