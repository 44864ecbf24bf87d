"""Messages reach a real mail server and a real web server, as soon as these are there."""

import json
import re
import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app import create_app
from app.features.handover.documents import HandoverDocument
from app.features.handover.mail import email_of
from app.features.handover.services import HandoverServices
from app.features.handover.services import handovers as check
from app.features.handover.step import send
from app.indexing.stopping import never
from app.services import Services
from app.sources.signatures import verify
from app.web.texts import TEXTS
from tests.app.features.handover.town import (
    CONTACT,
    FORM,
    MAILBOX,
    SECRET,
    SENDER,
    WebhookServer,
    converse,
    number_of,
    post,
    send_all,
    town,
)
from tests.fakes.mail import Inbox, mail_server
from tests.services.ports import free_port

Mail = Callable[[Inbox], EmailMessage]


def read(inbox: Inbox) -> EmailMessage:
    [envelope] = inbox.messages
    assert envelope.rcpt_tos == [MAILBOX]
    message = message_from_bytes(envelope.content, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def hand_over(services: Services, **fields: str) -> str:
    client = create_app(services=services).test_client()
    conversation, answer = converse(services)
    given = FORM | {"conversation": conversation, "answer": answer, "answers": "1"} | fields
    return number_of(post(client, **given))


def again_at_once(services: Services) -> None:
    queue = services.feature(HandoverServices).queue
    for each in queue.entries():
        queue.retry(each.number, "ada")
    send_all(services)


def test_an_email_says_number_contact_message_conversation_pages_and_day(tmp_path: Path) -> None:
    inbox, port = Inbox(), free_port()
    with town(tmp_path, {"email": MAILBOX}, smtp_port=port) as services, mail_server(inbox, port):
        number = hand_over(services, name="Mia")
        send_all(services)
        assert services.feature(HandoverServices).queue.one(number).state == "sent"
    message = read(inbox)
    assert (message["To"], message["From"], message["Reply-To"]) == (MAILBOX, SENDER, CONTACT)
    assert message["Subject"] == f"[{number}] Frage an Stadt Otterfurt"
    text = message.get_content()
    assert message.get_content_type() == "text/plain"
    for said in (number, CONTACT, "Mia", "Bitte helfen.", "Wo steht das Rathaus?", "> Das weiß ich nicht."):
        assert said in text
    assert "- Rathaus https://town.example/rathaus" in text
    assert "Frage (nicht beantwortet): Wo steht" in text
    assert re.search(r"Bitte löschen bis: \d\d\.\d\d\.20\d\d\r?$", text, re.M)


def test_while_the_mail_server_is_away_nothing_is_lost(tmp_path: Path) -> None:
    inbox, port = Inbox(), free_port()
    with town(tmp_path, {"email": MAILBOX}, smtp_port=port) as services:
        number, queue = hand_over(services), services.feature(HandoverServices).queue
        send_all(services)
        found = queue.one(number)
        assert (found.state, found.attempts) == ("failing", 1)
        assert found.problem == f"the mail server 127.0.0.1:{port} cannot be used (ConnectionRefusedError)"
        with mail_server(inbox, port):
            inbox.refuses = f"451 not now, {CONTACT}"
            again_at_once(services)
            assert queue.one(number).problem == f"the mail server 127.0.0.1:{port} answers 451"
            inbox.refuses = ""
            again_at_once(services)
        assert queue.one(number).state == "sent"
    assert number in read(inbox).get_content()


def test_a_webhook_gets_the_message_as_json_with_a_signature_that_fits(tmp_path: Path) -> None:
    with (
        WebhookServer() as hook,
        town(tmp_path, {"webhook": f"{hook.address}/in", "secret": SECRET}) as services,
    ):
        number = hand_over(services)
        send_all(services)
    [(headers, body)] = hook.received
    lower = {name.lower(): value for name, value in headers.items()}
    assert verify([SECRET], lower, body, datetime.now(UTC)) == number
    document = json.loads(body)
    assert HandoverDocument.model_validate(document).to_json() == document
    assert (document["site"], document["contact"], document["message"]) == ("town", CONTACT, "Bitte helfen.")
    [exchange] = document["conversation"]
    assert (exchange["question"], exchange["unanswered"]) == ("Wo steht das Rathaus?", True)
    assert exchange["pages"] == [{"title": "Rathaus", "url": "https://town.example/rathaus"}]


def test_a_webhook_that_fails_gets_the_same_message_again(tmp_path: Path) -> None:
    with (
        WebhookServer() as hook,
        town(tmp_path, {"webhook": f"{hook.address}/in", "secret": SECRET}) as services,
    ):
        hook.status = 302
        number = hand_over(services)
        send_all(services)
        queue = services.feature(HandoverServices).queue
        assert queue.one(number).problem == f"the webhook {hook.address}/in answered 302"
        hook.status = 200
        again_at_once(services)
        assert queue.one(number).state == "sent"
    [(first, body), (second, same)] = hook.received
    assert body == same
    assert first["webhook-id"] == second["webhook-id"] == number


def test_two_workers_at_once_send_a_message_once(tmp_path: Path) -> None:
    with ExitStack() as stack:
        hook = stack.enter_context(WebhookServer())
        hook.gate = threading.Event()
        way = {"webhook": hook.address, "secret": SECRET}
        one, two = (stack.enter_context(town(tmp_path, way)) for _ in range(2))
        hand_over(one)
        thread = threading.Thread(target=send, args=(one, never))
        thread.start()
        while not hook.received:
            thread.join(0.01)
        assert send(two, never) is False
        hook.gate.set()
        thread.join()
        assert send(two, never) is False
    assert len(hook.received) == 1


def test_the_background_sends_what_is_due(tmp_path: Path) -> None:
    with (
        WebhookServer() as hook,
        town(tmp_path, {"webhook": hook.address, "secret": SECRET}) as services,
    ):
        hand_over(services)
        assert services.background.features.run_lane("models", never)
        assert len(hook.received) == 1


def test_a_site_without_a_recipient_keeps_the_message_and_says_so(tmp_path: Path) -> None:
    with town(tmp_path, {"email": MAILBOX}) as services:
        number = hand_over(services)
    with town(tmp_path, None) as services:
        send_all(services)
        found = services.feature(HandoverServices).queue.one(number)
        assert found.problem == "the site 'town' no longer has anybody to send it to"
        [line] = check(services)
        assert line.ok and "1 not sent yet, failing since" in line.detail


def test_readiness_complains_after_a_quarter_of_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with town(tmp_path, {"email": MAILBOX}) as services:
        assert [line.detail for line in check(services)] == ["all are sent"]
        hand_over(services)
        send_all(services)
        [line] = check(services)
        assert line.ok and not line.required
        later = datetime.now(UTC) + timedelta(minutes=16)
        monkeypatch.setattr("app.features.handover.services.utc_now", lambda: later)
        [line] = check(services)
        assert not line.ok
    with town(tmp_path / "other", None) as services:
        assert check(services) == []


def test_what_was_never_sent_is_deleted_on_its_day_and_logged_without_what_it_said(tmp_path: Path) -> None:
    later = datetime.now(UTC) + timedelta(days=31)
    with town(tmp_path, {"email": MAILBOX}) as services:
        number = hand_over(services)
        of_feature = services.feature(HandoverServices)
        of_feature.queue._clock = lambda: later
        with capture_logs() as logs:
            services.background.delete_expired()
        assert [entry for entry in logs if entry["event"] == "handover_lost"] == [
            {"event": "handover_lost", "log_level": "error", "number": number, "site": "town", "attempts": 0}
        ]
        assert of_feature.queue.entries() == []


def test_no_log_has_a_contact_or_a_text(tmp_path: Path) -> None:
    with town(tmp_path, {"email": MAILBOX}) as services, capture_logs() as logs:
        hand_over(services)
        send_all(services)
    assert any(entry["event"] == "handover_waits" for entry in logs)
    for said in (CONTACT, "Bitte helfen", "Rathaus"):
        assert said not in str(logs)


INJECTIONS = (
    "mia@visitor.example\r\nBcc: all@town.example",
    "mia@visitor.example\nSubject: other",
    "mia@visitor.example\r\n\r\nbody",
    "Mia <mia@visitor.example>, all@town.example",
    "=?utf-8?q?mia=0D=0ABcc:_a=40b.example?= <mia@visitor.example>",
)


@pytest.mark.parametrize("contact", INJECTIONS)
def test_a_contact_can_add_no_header_and_no_recipient(tmp_path: Path, contact: str) -> None:
    inbox, port = Inbox(), free_port()
    with (
        town(tmp_path, {"email": MAILBOX}, smtp_port=port, name="Town") as services,
        mail_server(inbox, port),
    ):
        hand_over(services, contact=contact, name=contact)
        send_all(services)
    message = read(inbox)
    assert message["Bcc"] is None and message["Reply-To"] is None
    assert message["Subject"].endswith("Frage an Town")
    assert " ".join(contact.split()) in message.get_content()


def test_lines_of_any_length_and_lines_of_a_dot_arrive_whole(tmp_path: Path) -> None:
    inbox, port = Inbox(), free_port()
    text = "x" * 1_900 + "\n.\n.\nEnde"
    with town(tmp_path, {"email": MAILBOX}, smtp_port=port) as services, mail_server(inbox, port):
        hand_over(services, message=text)
        send_all(services)
    assert text in read(inbox).get_content().replace("\r\n", "\n")


def test_the_email_is_in_the_language_of_those_who_read_it() -> None:
    document: dict[str, Any] = {
        "number": "A7K-3QX",
        "site": "town",
        "language": "de",
        "made_at": datetime(2026, 11, 21, tzinfo=UTC),
        "delete_on": "2026-12-22",
        "contact": "069 900090",
        "name": "",
        "message": "",
        "conversation": [],
    }
    made = email_of(HandoverDocument.model_validate(document), "Town", MAILBOX, SENDER, TEXTS["en"])
    assert made["Reply-To"] is None
    assert made["Message-ID"] == "<A7K-3QX.handover@town.example>"
    assert "Please delete by: 22 December 2026" in made.get_content()
