"""``POST /api/sources/<source>/draft``: what editors see of a draft in their CMS."""

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.feature import installed
from app.features.explain.draft_document import CmsReportDocument
from app.features.explain.services import ExplainServices
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from app.sources.signatures import headers
from app.sources.webhook import DRAFTS_PER_MINUTE
from ingest.converters.process import ConverterProcess
from ingest.types import Save
from tests.app.api.cms import SECOND_SECRET, SECRET
from tests.app.features.explain.test_draft_api import DOG_TAX, SAUNA, asked, rows
from tests.app.site import raw_page

SITES = [
    SiteSettings(key="town", sources=["town"]),
    SiteSettings(key="council", sources=["law"]),
]
HTML = "<h2>Sauna</h2><p>The sauna is open on Sunday from ten to eight.</p><p>Bring your own towels.</p>"


@pytest.fixture
def settings(indexed_site: Path, site_settings: Settings, tmp_path: Path) -> Settings:
    """Those of an installation whose town and council have a CMS each."""
    data = shutil.copytree(indexed_site, tmp_path / "data")
    sources = {
        "town": {"secrets": [SECRET]},
        "law": {"secrets": [SECOND_SECRET]},
        "mute": {"kind": "folder"},
    }
    changes = {"data": data, "sites": SITES, "sources": sources}
    return Settings.model_validate(site_settings.model_dump() | changes)


@pytest.fixture
def services(settings: Settings, converter: ConverterProcess) -> Iterator[Services]:
    """Visitors asked one question that no page answers, and one that a page does."""
    with Services(settings) as services:
        services.indexing.draft_converter = converter
        asked(services, SAUNA, "no_answer")
        asked(services, SAUNA.upper(), "no_answer")
        asked(services, DOG_TAX, "answered")
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


def ask(client: FlaskClient, *, source: str = "town", secret: str = SECRET, **draft: Any) -> TestResponse:
    body = json.dumps({"language": "en", "title": "Sauna", "html": HTML} | draft).encode()
    signed = headers(secret, "draft", int(time.time()), body)
    url = f"/api/sources/{source}/draft"
    return client.post(url, data=body, headers=signed, content_type="application/json")


def said(client: FlaskClient, **draft: Any) -> dict[str, Any]:
    answer = ask(client, **draft)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.get_json()
    jsonschema_rs.validate(CmsReportDocument.model_json_schema(), document)
    return document


def test_a_draft_answers_the_open_question_that_it_has_a_passage_for(client: FlaskClient) -> None:
    document = said(client)
    [answer] = document["answers"]
    assert answer["question"].casefold() == SAUNA.casefold()
    assert (answer["outcome"], answer["before"]) == ("answered", None)
    assert answer["passage"].startswith("The sauna is open on Sunday from ten to eight.")
    assert (document["left"], document["contradictions"]) == (0, [])


def test_questions_that_a_draft_says_nothing_to_are_left_out(client: FlaskClient) -> None:
    assert said(client, title="Parking", html="<p>Parking costs two euros an hour.</p>")["answers"] == []


def test_an_open_question_of_the_page_itself_is_listed_though_the_draft_does_not_answer_it(
    client: FlaskClient, services: Services
) -> None:
    asked(services, "May the dog tax of guide dogs be paid back?", "no_answer")
    pages = {"title": "Markets", "html": "<p>Flowers, cheese, bread.</p>"}
    assert said(client, **pages)["answers"] == []
    [own] = said(client, id="dog-tax", **pages)["answers"]
    assert (own["outcome"], own["passage"]) == ("unanswered", "")


def test_a_draft_does_not_compete_with_the_page_that_it_replaces(client: FlaskClient) -> None:
    shorter = {"title": "Dog tax", "html": "<p>The dog tax is 96 euros a year.</p>", "question": DOG_TAX}
    [new] = said(client, **shorter)["answers"]
    [replacing] = said(client, id="dog-tax", **shorter)["answers"]
    assert (new["outcome"], new["before"]["url"]) == ("doubtful", "https://town.example/dog-tax")
    assert (replacing["outcome"], replacing["before"]) == ("answered", None)
    other = {"title": "Markets", "html": "<p>Flowers, cheese, bread.</p>", "question": DOG_TAX}
    [silent] = said(client, id="dog-tax", **other)["answers"]
    assert silent["outcome"] == "unanswered"
    assert silent["before"] is None or silent["before"]["title"] != "Dog tax"


def test_a_question_of_ones_own_is_asked_alone(client: FlaskClient) -> None:
    document = said(client, question="Do I have to bring towels?", html=f"{HTML}<p>The fee is 9 euros.</p>")
    [answer] = document["answers"]
    assert answer["question"] == "Do I have to bring towels?"
    assert "Bring your own towels." in answer["passage"]
    assert document["contradictions"] == []


def test_a_page_that_stays_first_is_named_with_its_address(client: FlaskClient) -> None:
    [answer] = said(client, question=DOG_TAX, html="<p>Dogs and their tax are a subject of this page.</p>")[
        "answers"
    ]
    assert answer["outcome"] != "answered"
    assert answer["before"] == {"title": "Dog tax", "url": "https://town.example/dog-tax"}


FEE = {"title": "Dog tax", "html": "<p>The dog tax is 120 euros a year for the first dog.</p>"}


def test_a_draft_contradicts_other_pages_but_not_the_one_that_it_replaces(client: FlaskClient) -> None:
    [found] = said(client, **FEE)["contradictions"]
    assert found["own"] == "The dog tax is 120 euros a year for the first dog."
    assert found["other"] == "The dog tax is 96 euros a year for the first dog."
    assert found["page"] == {"title": "Dog tax", "url": "https://town.example/dog-tax"}
    assert said(client, id="dog-tax", **FEE)["contradictions"] == []


def test_without_the_feature_there_are_no_contradictions(settings: Settings) -> None:
    features = [each for each in installed() if not each.objections]
    assert len(features) < len(installed())
    with Services(settings, features) as services:
        assert said(create_app(services=services).test_client(), **FEE)["contradictions"] == []


def test_an_address_that_is_no_web_address_is_not_linked(client: FlaskClient, services: Services) -> None:
    [answer] = said(client, question="What does the quarantine of parcel 3 say?", html="<p>Parcel.</p>")[
        "answers"
    ]
    assert answer["before"]["url"] == ""
    assert "Quarantine" in answer["before"]["title"]


def test_nothing_of_a_draft_is_stored_or_logged(
    client: FlaskClient, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    before = rows(services)
    said(client, html=f"{HTML}<p>quetzalcoatl</p>", question="quetzalcoatl?")
    said(client, html=f"{HTML}<p>quetzalcoatl</p>")
    assert rows(services) == before
    out, err = capsys.readouterr()
    assert "quetzalcoatl" not in out + err


@pytest.mark.parametrize(
    ("draft", "status", "remedy"),
    [
        ({"html": ""}, 422, "html"),
        ({"html": None}, 422, "html"),
        ({"colour": "red"}, 422, "colour"),
        ({"html": "x" * 1_100_000}, 413, "send its text without images"),
        ({"question": "x" * 2_001}, 422, "question"),
        ({"id": "\0"}, 422, "id"),
        ({"language": "english"}, 422, "language"),
        ({"site": "council"}, 404, "name the site by its key: town"),
        ({"source": "nowhere"}, 404, "no source of this name is configured"),
        ({"source": "mute"}, 403, "does not accept messages"),
        ({"secret": SECOND_SECRET}, 401, "no signature matches"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_remedy(
    client: FlaskClient, draft: dict[str, Any], status: int, remedy: str
) -> None:
    answer = ask(client, **draft)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert remedy in answer.get_json()["detail"]


def test_a_form_of_another_website_is_refused(client: FlaskClient) -> None:
    body = b"html=x"
    signed = headers(SECRET, "draft", int(time.time()), body)
    assert client.post("/api/sources/town/draft", data=body, headers=signed).status_code == 415


def test_a_key_opens_no_questions_of_a_site_that_searches_other_sources_too(settings: Settings) -> None:
    with Services(settings.model_copy(update={"sites": [SiteSettings(key="portal")]})) as services:
        asked(services, SAUNA, "no_answer", site="portal")
        client = create_app(services=services).test_client()
        assert len(said(client)["answers"]) == 1
        page = raw_page("council", "Council", "The council meets on Monday.").page
        law = replace(page, ref=replace(page.ref, source="law"))
        services.store.accept([Save(page=law)])
        services.indexing.indexer.sync_pages()
        assert ask(client).status_code == 404


def test_a_source_without_a_site_of_its_own_is_told_what_to_do(settings: Settings) -> None:
    changed = settings.model_copy(update={"sites": [SiteSettings(key="council", sources=["law"])]})
    with Services(changed) as services:
        answer = ask(create_app(services=services).test_client())
    assert answer.status_code == 404
    assert "add it to a site's sources in auskunft.toml" in answer.get_json()["detail"]


def test_before_the_first_page_is_published_there_is_nothing_to_ask(client: FlaskClient) -> None:
    answer = ask(client, source="law", secret=SECOND_SECRET)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")
    assert "publish one first" in answer.get_json()["detail"]


def test_the_only_source_is_asked_as_the_site_that_names_none(settings: Settings) -> None:
    with Services(settings.model_copy(update={"sites": []})) as services:
        asked(services, SAUNA, "no_answer", site="default")
        assert len(said(create_app(services=services).test_client())["answers"]) == 1


def test_too_many_drafts_wait_and_messages_do_not(client: FlaskClient, services: Services) -> None:
    statuses = [ask(client, html="").status_code for _ in range(DRAFTS_PER_MINUTE)]
    refused = ask(client, html="")
    assert set(statuses) == {422}
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (429, True)
    services.sources.webhook.rehearse("town")


def test_questions_that_there_is_no_time_for_are_counted(settings: Settings) -> None:
    with Services(settings) as services:
        asked(services, SAUNA, "no_answer")
        late = iter([0.0, 100.0])
        of_feature = services.feature(ExplainServices)
        of_feature.drafts = replace(of_feature.drafts, clock=lambda: next(late))
        document = said(create_app(services=services).test_client())
    assert (document["answers"], document["left"]) == ([], 1)
