"""``auskunft handovers`` on the command line."""

import json
from pathlib import Path

from app import create_app
from app.features.handover.services import HandoverServices
from tests.app.features.handover.town import CONTACT, FORM, MAILBOX, SENDER, number_of, post, send_all, town
from tests.fakes.command import Command

SITES = json.dumps([{"key": "town", "handover": {"email": MAILBOX}}])


def test_they_are_listed_without_what_they_say_and_sent_again(tmp_path: Path) -> None:
    command = Command(tmp_path, sites=SITES, smtp__host="127.0.0.1", smtp__sender=SENDER)
    assert command.run("handovers", "list").out.strip() == "no hand-overs"
    with town(tmp_path / "data", {"email": MAILBOX}) as services:
        number = number_of(post(create_app(services=services).test_client(), **FORM))
        send_all(services)
        listed = command.run("handovers", "list").out
        assert number in listed and "failing" in listed and CONTACT not in listed
        [document] = command.run("handovers", "list", "--json").json()
        assert (document["number"], document["site"], document["attempts"]) == (number, "town", 1)
        queue = services.feature(HandoverServices).queue
        assert not queue.is_due()
        command.run("handovers", "retry", number)
        assert queue.is_due()
    complaint = command.run("handovers", "retry", "AAA-AAA").complaint(2)
    assert "there is no hand-over 'AAA-AAA'" in complaint
