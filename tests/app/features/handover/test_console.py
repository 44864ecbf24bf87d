"""Hand-overs on the pages of the console, for admins alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.features.handover.services import HandoverServices
from app.services import Services
from tests.app.console.conftest import Console
from tests.app.features.handover.town import CONTACT, FORM, MAILBOX, number_of, post, send_all, town
from tests.app.site import XSS
from tests.app.web.browser import ACTIVE, soup


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with town(tmp_path, {"email": MAILBOX}) as services:
        yield services


def text(console: Console, path: str) -> str:
    answer = console.get(path)
    assert answer.status_code == 200
    return soup(answer).get_text(" ", strip=True)


def test_the_list_has_the_state_and_no_contact_and_one_that_is_opened_has_it(services: Services) -> None:
    admin = Console(services).log_in()
    number = number_of(post(admin.client, **FORM))
    send_all(services)
    listed = text(admin, "/handovers?lang=en")
    assert number in listed and "not delivered" in listed and "ConnectionRefusedError" in listed
    assert CONTACT not in listed
    opened = text(admin, f"/handovers/{number}")
    assert CONTACT in opened and "Bitte helfen." in opened


def test_one_is_sent_again_and_deleted_by_a_button(services: Services) -> None:
    admin = Console(services).log_in()
    number = number_of(post(admin.client, **FORM))
    send_all(services)
    queue = services.feature(HandoverServices).queue
    assert not queue.is_due()
    assert admin.post(f"/handovers/{number}/retry").status_code == 303
    assert queue.is_due()
    assert admin.post(f"/handovers/{number}/delete").status_code == 303
    assert queue.entries() == []
    assert "Nachricht gelöscht" in text(admin, "/changes?lang=de")


def test_one_that_is_not_there_is_a_page_that_says_so(services: Services) -> None:
    admin = Console(services).log_in()
    answers = [admin.get("/handovers/AAA-AAA"), admin.post("/handovers/AAA-AAA/retry")]
    answers.append(admin.post("/handovers/AAA-AAA/delete"))
    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_editors_and_strangers_see_none(services: Services) -> None:
    editor = Console(services).log_in("ed", "town")
    assert editor.get("/handovers").status_code == 403
    assert "/admin/handovers" not in editor.get("/").text
    assert Console(services).get("/handovers").status_code == 303


@pytest.mark.parametrize("markup", XSS)
def test_markup_in_a_message_is_shown_as_text(services: Services, markup: str) -> None:
    admin = Console(services).log_in()
    number = number_of(post(admin.client, **(FORM | {"contact": markup, "name": markup, "message": markup})))
    shown = soup(admin.get(f"/handovers/{number}"))
    assert markup.strip() in shown.select("dd")[0].get_text()
    assert [each for each in shown.select(ACTIVE) if not each.find_parent("header")] == []
