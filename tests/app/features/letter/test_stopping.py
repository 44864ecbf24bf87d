"""The letter is stopped by its link alone: at one click in a mail program, by a button on its page."""

import re
from datetime import timedelta
from email import message_from_bytes

from flask.testing import FlaskClient

from app import create_app
from tests.app.features.letter.conftest import ADDRESS, EVERYTHING, Town, content
from tests.app.web.browser import assert_inert, soup
from tests.fakes.mail import mail_server

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


def link_of(town: Town) -> str:
    """The path of the link in a letter that was received."""
    town.ask("Wo ist der Hafen für Luftschiffe?")
    with mail_server(town.inbox, town.port):
        town.run()
    message = town.received()[EVERYTHING]
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    raw = message_from_bytes(town.inbox.messages[0].content)["List-Unsubscribe"]  # not decoded
    found = re.fullmatch(rf"<{re.escape(ADDRESS)}(/letter\?key=[\w-]{{43}})>", raw)
    assert found
    for kind in ("plain", "html"):
        assert f"{ADDRESS}{found[1]}" in content(message, kind)
    town.clock.now += timedelta(days=7)
    return found[1]


def client_of(town: Town) -> FlaskClient:
    return create_app(services=town.services).test_client()


def test_one_click_in_a_mail_program_stops_it_without_log_in(town: Town) -> None:
    link = link_of(town)
    assert EVERYTHING in town.letters.due()
    answer = client_of(town).post(link, data=ONE_CLICK, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200
    assert EVERYTHING not in town.letters.due()
    assert len(town.letters.due()) == 1


def test_opening_the_link_changes_nothing_and_its_button_does(town: Town) -> None:
    link, client = link_of(town), client_of(town)
    opened = client.get(f"{link}&lang=de")
    page = soup(opened)
    assert_inert(page)
    assert EVERYTHING in town.letters.due()
    [form], [button] = page.select("form.ask"), page.select("form.ask button")
    assert form["method"] == "post" and button.get_text() == "Brief abbestellen"
    stopped = soup(client.post(str(form["action"]), data={str(button["name"]): str(button["value"])}))
    assert "keinen Brief mehr" in stopped.get_text()
    assert EVERYTHING not in town.letters.due()
    [again] = stopped.select("form.ask button")
    client.post(str(form["action"]), data={str(again["name"]): str(again["value"])})
    assert EVERYTHING in town.letters.due()


def test_a_key_that_is_unknown_stops_nothing_and_is_404(town: Town) -> None:
    client = client_of(town)
    for key in ("x" * 43, "", "—", "'; DROP TABLE letters"):
        assert client.get("/letter", query_string={"key": key}).status_code == 404
        answer = client.post("/letter", query_string={"key": key}, data=ONE_CLICK)
        assert answer.status_code == 404 and "alt" in soup(client.get("/letter?lang=de")).get_text()
    assert EVERYTHING in town.letters.due()


def test_who_stopped_it_gets_none_by_hand_either(town: Town) -> None:
    link = link_of(town)
    client_of(town).post(link, data=ONE_CLICK)
    assert town.writer.send(EVERYTHING) == "stopped"
