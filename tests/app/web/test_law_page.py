"""The chat over a body of law."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from app.web.texts import LANGUAGES, TEXTS
from ingest.types import Save
from tests.app.law.ferries import library
from tests.app.web.test_chat import Reader
from tests.fakes.databases import new_data

FEE = "How much does a crossing cost for each passenger?"
QUESTION = "Combien coûte la traversée pour chaque passager ?"


def one(part: Tag | BeautifulSoup, selector: str) -> Tag:
    """The first element of that kind."""
    return part.select(selector)[0]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation with the ferries' law."""
    folder = tmp_path_factory.mktemp("law")
    with Services(load_settings(data=new_data(folder), embedder="hashing")) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
    return folder


@pytest.fixture
def page(data: Path) -> Iterator[FlaskClient]:
    with Services(load_settings(data=data, embedder="hashing")) as services:
        yield create_app(services=services).test_client()


@pytest.fixture
def chat(page: FlaskClient) -> Reader:
    return Reader(page, "/chat?lang=en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_visitors_choose_the_day_whose_law_they_ask_for_and_it_stays(
    page: FlaskClient, language: str
) -> None:
    reader = Reader(page, f"/chat?lang={language}")
    (label,) = reader.page.select("form#ask label[for=day]")
    assert label.get_text() == TEXTS[language]["law_day"]
    (form,) = reader.page.select("form.ask")
    reader.send(form, q=FEE, at="2023-01-31")
    assert "four euros" in one(reader.turns[0], ".prose").get_text()
    assert one(reader.page, "#day")["value"] == "2023-01-31"


def test_an_answer_from_law_says_as_of_when_and_links_the_text_that_it_is_from(chat: Reader) -> None:
    chat.ask(FEE)
    (turn,) = chat.turns
    assert "seven euros" in one(turn, ".prose").get_text()
    assert f"The law as of {date.today()}." in [note.get_text() for note in turn.select(".notes li")]
    text = one(turn, "ol.sources .place a")
    assert text.get_text() == "text of 2024-06-01"
    assert (
        text["href"] == "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:02020R0001-20240601#anx_I"
    )
    (form,) = chat.page.select("form.ask")
    chat.send(form, q=FEE, at="2023-01-31")
    notes = [note.get_text() for note in chat.turns[1].select(".notes li")]
    assert "The law as of 2023-01-31." in notes


def test_a_question_about_which_act_is_offered_for_the_chosen_day(chat: Reader) -> None:
    (form,) = chat.page.select("form.ask")
    chat.send(form, q="What does Article 1 say?", at="2023-01-31")
    (offered, _) = chat.page.select(".examples button")
    assert offered.get_text() == "Ferries Act"
    assert offered["value"] == "What does Article 1 say – Ferries Act?"
    (form,) = chat.page.select("form.ask")
    assert offered["form"] == form["id"]
    chat.send(form, offered)
    text = one(chat.turns[1], "ol.sources .place a")
    assert text.get_text() == "text of 2020-01-01"


@pytest.mark.parametrize("day", ["tomorrow", "2023-02-30", "31.1.2023"])
def test_what_is_no_day_is_told_and_what_was_typed_is_kept(chat: Reader, day: str) -> None:
    (form,) = chat.page.select("form.ask")
    chat.send(form, q=FEE, at=day)
    assert (chat.status, chat.alert) == (400, TEXTS["en"]["page_no_day"])
    assert one(chat.page, "textarea[name=q]").get_text().strip() == FEE
    assert one(chat.page, "#day")["value"] == day


def test_the_widget_is_told_that_there_is_law(page: FlaskClient) -> None:
    assert page.get("/api/site").get_json()["law"] is True
