"""The page of the hand-over as a browser without scripts sees it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app import create_app
from app.api.limits import HOURLY
from app.features.handover.services import HandoverServices
from app.pages.database import reading
from app.pages.question_tables import questions
from app.services import Services
from app.web.texts import TEXTS
from tests.app.features.handover.town import (
    CONTACT,
    FORM,
    KEY,
    MAILBOX,
    converse,
    hidden,
    number_of,
    post,
    town,
)
from tests.app.site import XSS
from tests.app.web.browser import ACTIVE, assert_inert, soup

TEXT = TEXTS["de"]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with town(tmp_path, {"email": MAILBOX}) as services:
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def outcome(services: Services, answer: str) -> str:
    with reading(services.engine) as connection:
        return str(
            connection.execute(select(questions.c.outcome).where(questions.c.answer == answer)).scalar()
        )


def stored(services: Services) -> int:
    return len(services.feature(HandoverServices).queue.entries())


def test_the_page_shows_what_is_sent_to_whom_and_until_when(services: Services, client: FlaskClient) -> None:
    conversation, answer = converse(services)
    shown = soup(post(client, conversation=conversation, answer=answer))
    assert_inert(shown)
    text = shown.get_text(" ", strip=True)
    for said in ("Wo steht das Rathaus?", "Das weiß ich nicht.", "nicht beantwortet", f"({MAILBOX})"):
        assert said in text
    [link] = shown.select(".said a")
    assert link["href"] == "https://town.example/rathaus"
    assert hidden(shown)["conversation"] == conversation
    assert not any(conversation in str(each.get("action", "")) for each in shown.select("form"))
    assert stored(services) == 0


def test_a_form_that_is_complete_is_taken_once_and_says_a_number(
    services: Services, client: FlaskClient
) -> None:
    conversation, answer = converse(services)
    fields = hidden(soup(post(client, conversation=conversation, answer=answer)))
    first = post(client, **(FORM | fields))
    number = number_of(first)
    assert (first.status_code, first.headers["Cache-Control"]) == (200, "no-store")
    services.chat.conversations.delete("town", conversation)
    assert number_of(post(client, **(FORM | fields))) == number
    assert stored(services) == 1
    said = soup(first).get_text(" ", strip=True)
    assert "spätestens bis zum " in said and "Stadt Otterfurt" in said


def test_who_hands_a_question_over_was_not_answered_well(services: Services, client: FlaskClient) -> None:
    conversation, answer = converse(services, status="answered", unhelped=False)
    fields = hidden(soup(post(client, conversation=conversation, answer=answer)))
    before = outcome(services, answer)
    post(client, **(FORM | fields))
    assert (before, outcome(services, answer)) == ("answered", "doubtful")


def test_a_form_that_is_changed_and_sent_again_is_another_message(
    services: Services, client: FlaskClient
) -> None:
    first = number_of(post(client, **FORM))
    assert number_of(post(client, **(FORM | {"contact": "069 90009-111"}))) != first
    assert stored(services) == 2


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("consent", "", "handover_no_consent"),
        ("contact", "", "handover_no_contact"),
        ("contact", " \n ", "handover_no_contact"),
        ("contact", "a" * 201, "handover_long"),
        ("name", "a" * 101, "handover_long"),
        ("message", "a" * 2_001, "handover_long"),
        ("message", "", "handover_no_message"),
    ],
)
def test_what_is_missing_is_said_beside_its_field_and_nothing_is_stored(
    services: Services, client: FlaskClient, field: str, value: str, text: str
) -> None:
    answer = post(client, **(FORM | {field: value}))
    assert answer.status_code == 422
    shown = soup(answer)
    [wrong] = shown.select("[aria-invalid=true]")
    assert wrong["name"] == field
    [reason] = shown.select(f"#{wrong['aria-describedby']}")
    assert reason.get_text().startswith(TEXT[text].partition("{")[0])
    assert shown.select("[role=alert]")
    if field != "contact":
        assert shown.select("#contact")[0]["value"] == CONTACT
    assert hidden(shown)["key"] == KEY
    assert stored(services) == 0


def test_a_conversation_that_is_gone_is_said_and_a_message_can_be_sent_without_it(
    services: Services, client: FlaskClient
) -> None:
    shown = soup(post(client, conversation="x" * 22))
    assert TEXT["handover_gone"] in shown.get_text()
    assert "conversation" not in hidden(shown)
    number_of(post(client, **(FORM | hidden(shown))))
    assert stored(services) == 1


def test_a_conversation_that_goes_before_the_form_is_sent_is_not_left_out_silently(
    services: Services, client: FlaskClient
) -> None:
    conversation, answer = converse(services)
    fields = hidden(soup(post(client, conversation=conversation, answer=answer)))
    services.chat.conversations.delete("town", conversation)
    answered = post(client, **(FORM | fields))
    assert answered.status_code == 422
    assert TEXT["handover_gone"] in answered.text
    assert stored(services) == 0


def test_what_is_asked_after_the_page_was_shown_is_not_sent(services: Services, client: FlaskClient) -> None:
    conversation, answer = converse(services)
    fields = hidden(soup(post(client, conversation=conversation, answer=answer)))
    pending = services.chat.conversations.begin("town", "Eine spätere Frage?", conversation)
    services.chat.conversations.finish(pending.answer, {"answer": "x", "status": "answered"})
    number_of(post(client, **(FORM | fields)))
    [kept] = services.feature(HandoverServices).queue.entries()
    assert "Wo steht das Rathaus" in kept.content and "spätere" not in kept.content


def test_a_conversation_of_another_site_is_not_shown(services: Services, client: FlaskClient) -> None:
    pending = services.chat.conversations.begin("other", "Ein Geheimnis?")
    assert "Geheimnis" not in post(client, conversation=pending.conversation).text


def test_pages_of_other_websites_may_send_nothing(services: Services, client: FlaskClient) -> None:
    for origin, sent in (("https://evil.example", FORM), ("https://evil.example", {}), ("null", FORM)):
        refused = client.post("/handover?site=town&lang=de", data=sent, headers={"Origin": origin})
        assert refused.status_code == 404
        assert TEXT["handover_none"] in refused.text
    assert stored(services) == 0


@pytest.mark.parametrize("origin", ["https://www.town.example", "null"])
def test_the_widget_opens_the_page_from_the_website_even_if_that_hides_its_origin(
    services: Services, client: FlaskClient, origin: str
) -> None:
    conversation, _ = converse(services)
    opened = client.post(
        "/handover?site=town&lang=de", data={"conversation": conversation}, headers={"Origin": origin}
    )
    assert opened.status_code == 200
    assert "Wo steht das Rathaus?" in opened.text


def test_an_address_sends_a_few_messages_an_hour_and_others_go_on(
    services: Services, client: FlaskClient
) -> None:
    for number in range(HOURLY["message"]):
        assert post(client, **(FORM | {"key": f"{number}" * 20})).status_code == 200
    refused = post(client, **(FORM | {"key": "x" * 20}))
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 60
    shown = soup(refused)
    assert TEXT["handover_often"] in shown.get_text()
    assert shown.select("#contact")[0]["value"] == CONTACT
    assert post(client, "203.0.113.9", **(FORM | {"key": "y" * 20})).status_code == 200
    assert stored(services) == HOURLY["message"] + 1


def test_all_addresses_of_a_site_together_have_a_limit(services: Services, client: FlaskClient) -> None:
    codes = [
        post(client, f"203.0.{number}.1", **(FORM | {"key": f"key-of-message-{number}"})).status_code
        for number in range(51)
    ]
    assert codes == [200] * 50 + [429]


@pytest.mark.parametrize("text", XSS)
def test_markup_in_fields_and_conversations_is_shown_as_text(
    services: Services, client: FlaskClient, text: str
) -> None:
    conversation, _ = converse(services, question=text, answer=text)
    typed = {"contact": text, "name": text, "message": text, "send": "yes"}
    shown = soup(post(client, conversation=conversation, **typed))
    assert_inert(shown)
    assert shown.select(ACTIVE) == []
    assert len(shown.select("img")) == 1  # ours
    assert shown.select("#contact")[0]["value"] == text


def test_an_address_that_browsers_should_not_open_is_no_link(services: Services, client: FlaskClient) -> None:
    source = {"number": 1, "id": "a", "title": "Böse", "url": "javascript:alert(1)"}
    conversation, _ = converse(services, sources=[source])
    shown = soup(post(client, conversation=conversation))
    assert "Böse" in shown.get_text()
    assert shown.select(".said a") == []


@pytest.mark.parametrize("site", ["other", "nobody"])
def test_a_site_that_hands_nothing_over_has_no_such_page(client: FlaskClient, site: str) -> None:
    assert client.get(f"/handover?site={site}&lang=de").status_code == 404
    assert client.post(f"/handover?site={site}&lang=de", data=FORM).status_code == 404


def test_the_page_sets_no_cookie_and_needs_no_script(client: FlaskClient) -> None:
    answer = client.get("/handover?site=town&lang=en")
    assert "Set-Cookie" not in answer.headers
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert soup(answer).select("script") == []
    assert soup(answer).select("html")[0]["lang"] == "en"
    assert soup(answer).select("#message[required]")


def test_a_message_with_a_lone_surrogate_or_nul_is_stored(services: Services, client: FlaskClient) -> None:
    number_of(
        post(
            client,
            **(FORM | {"message": "a\0b\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace")}),
        )
    )
    assert stored(services) == 1
