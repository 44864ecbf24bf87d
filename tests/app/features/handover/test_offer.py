"""A person is offered where an answer does not help, on sites that have one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.chat.text.catalogue import LANGUAGES
from app.features.handover.offer import offer
from tests.app.features.handover.town import MAILBOX, converse, town
from tests.app.web.browser import soup

FORM = "https://www.town.example/contact"


@contextmanager
def client_of(folder: Path, handover: dict[str, Any] | None) -> Iterator[FlaskClient]:
    with town(folder, handover) as services:
        converse(services)
        yield create_app(services=services).test_client()


def ask(client: FlaskClient, question: str) -> Any:
    return soup(client.post("/chat?site=town&lang=de", data={"q": question}))


def test_every_language_of_the_chat_has_a_label(tmp_path: Path) -> None:
    with town(tmp_path, {"email": MAILBOX}) as services:
        offered = offer(services, services.chat.sites.all()[0])
    assert offered is not None
    assert set(offered.labels) == set(LANGUAGES)


def test_the_site_tells_the_widget_what_it_offers_in_its_language(tmp_path: Path) -> None:
    with client_of(tmp_path, {"email": MAILBOX}) as client:
        told = client.get("/api/site?site=town").get_json()["offers"]
        assert told == [{"label": "Einen Menschen fragen", "address": "handover", "posted": True}]
        [turkish] = client.get("/api/site?site=town&language=tr").get_json()["offers"]
        assert turkish["label"] == "Bir kişiye sor"
        assert client.get("/api/site?site=other").get_json()["offers"] == []


def test_below_a_refusal_the_page_offers_a_person_with_the_ids_in_a_form(tmp_path: Path) -> None:
    with client_of(tmp_path, {"email": MAILBOX}) as client:
        shown = ask(client, "Wo steht das Rathaus?")
        [offer] = shown.select("form.offer")
        assert offer["action"] == "/handover?site=town&lang=de"
        ids = {field["name"]: field["value"] for field in offer.select("input")}
        assert set(ids) == {"conversation", "answer"} and all(ids.values())
        opened = soup(client.post(offer["action"], data=ids))
        assert "Wo steht das Rathaus?" in opened.select(".said h3")[0].get_text()


@pytest.mark.parametrize("greeting", ["Hallo!", "Vielen Dank!"])
def test_below_a_greeting_nobody_is_offered_until_it_is_rated_down(tmp_path: Path, greeting: str) -> None:
    with client_of(tmp_path, {"email": MAILBOX}) as client:
        shown = ask(client, greeting)
        assert shown.select("form.offer") == []
        ids = {field["name"]: field["value"] for field in shown.select("form.feedback input")}
        for rating, offers in (("up", 0), ("down", 1)):
            rated = soup(client.post("/chat/feedback?site=town&lang=de", data=ids | {"rating": rating}))
            assert len(rated.select("form.offer")) == offers


@pytest.mark.parametrize("wish", ["Ich will mit einem Menschen sprechen", "Ich möchte mich beschweren"])
def test_who_asks_for_a_person_or_complains_is_offered_one(tmp_path: Path, wish: str) -> None:
    with client_of(tmp_path, {"email": MAILBOX}) as client:
        assert len(ask(client, wish).select("form.offer")) == 1


def test_a_form_of_the_town_is_linked_to(tmp_path: Path) -> None:
    with client_of(tmp_path, {"form": FORM}) as client:
        shown = ask(client, "Wo steht das Rathaus?")
        [link] = shown.select(".offer a")
        assert (link["href"], link.get_text()) == (FORM, "Einen Menschen fragen")
        assert shown.select("form.offer") == []
        assert client.get("/handover?site=town").status_code == 404


def test_without_a_hand_over_nothing_is_offered(tmp_path: Path) -> None:
    with client_of(tmp_path, None) as client:
        assert ask(client, "Wo steht das Rathaus?").select(".offer") == []
