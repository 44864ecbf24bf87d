"""The page about the service: what it tells, and what it does not."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient
from pydantic import SecretStr

from app import create_app
from app.api.limits import OTHER_FACTOR
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.judge import JudgeSettings
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from app.web.answers import energy_parts, energy_sentence
from app.web.texts import LANGUAGES, TEXTS
from tests.app.web.browser import assert_inert, soup

SITES = [SiteSettings(key="town", retention_days=12)]
Start = Callable[..., FlaskClient]


@pytest.fixture
def start(site_settings: Settings, indexed_site: Path, tmp_path: Path) -> Iterator[Start]:
    """A client of an installation."""
    with ExitStack() as stack:

        def started(**changes: Any) -> FlaskClient:
            data = shutil.copytree(indexed_site, tmp_path / "data")
            settings = site_settings.model_copy(update={"data": data, "sites": SITES, **changes})
            return create_app(services=stack.enter_context(Services(settings))).test_client()

        yield started


def page_of(client: FlaskClient, site: str = "town", language: str = "en") -> BeautifulSoup:
    response = client.get(f"/about?site={site}&lang={language}")
    assert response.status_code == 200
    page = soup(response)
    assert_inert(page)
    return page


def facts(page: BeautifulSoup) -> dict[str, str]:
    """The sentences by their terms."""
    terms = [term.get_text() for term in page.select("dl.facts dt")]
    texts = [" ".join(text.get_text(" ").split()) for text in page.select("dl.facts dd")]
    return dict(zip(terms, texts, strict=True))


def test_it_tells_model_search_hardware_storage_energy_and_what_is_stored(start: Start) -> None:
    told = facts(page_of(start()))
    assert [*told] == [
        "Language model",
        "Search",
        "Machine of this service",
        "Storage",
        "Energy of an answer",
        "What is stored",
    ]
    assert told["Language model"].startswith("None.")
    assert "by their words alone" in told["Search"]
    assert "Cores: " in told["Machine of this service"]
    assert "SQLite" in told["Storage"]
    assert "It is not known here" in told["Energy of an answer"]
    assert "until 12 days" in told["What is stored"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_in_german_and_english(start: Start, language: str) -> None:
    page = page_of(start(), language=language)
    html, heading = page.html, page.h1
    assert html is not None and html["lang"] == language
    assert heading is not None and heading.get_text() == TEXTS[language]["about"]


def test_it_tells_no_addresses_folders_or_keys(start: Start, tmp_path: Path) -> None:
    chat = ChatSettings(
        base_url="http://10.0.0.7:8080/v1", model="/srv/models/llama.gguf", api_key=SecretStr("very-secret")
    )
    text = page_of(start(chat=chat)).get_text()
    assert "llama.gguf" in text
    assert "It runs on a different machine" in text
    assert "also on the language model's machine" in text
    for secret in ("10.0.0.7", "8080", "/srv", "very-secret", str(tmp_path)):
        assert secret not in text


def test_an_unknown_site_gets_an_error_page(start: Start) -> None:
    response = start().get("/about?site=nobody&lang=en")
    assert response.status_code == 404
    assert soup(response).select("[role=alert]")


def test_it_can_be_reached_from_the_chat(start: Start) -> None:
    client = start()
    chat = soup(client.get("/chat?site=town&lang=de"))
    (link,) = [a for a in chat.select("a") if a.get_text() == "Über diesen Dienst"]
    assert client.get(str(link["href"])).status_code == 200


def test_what_the_data_centre_adds_is_a_part_of_its_own_but_not_of_a_declared_model() -> None:
    energy = {"parts": {"cpu": 0.5, "gpu": 1.5, "model": 9.0}, "pue": 1.1}
    assert energy_parts(energy, "en") == [
        "Processor: 0.5 Wh",
        "Graphics processor: 1.5 Wh",
        "Language model: 9 Wh",
        "Data centre, cooling and losses: 0.2 Wh",
    ]
    assert energy_parts(None, "en") == []


def test_numbers_are_written_as_the_language_does() -> None:
    energy = {"wh": 0.0000421, "basis": "estimated", "hair_dryer_seconds": 1_234.5, "phone_percent": 0.537}
    assert energy_sentence(energy, "de") == (
        "Energie: 0,000042 Wh (geschätzt), so viel wie 1200 s Föhnen oder 0,54 % einer Handyladung."
    )
    assert energy_sentence(energy | {"basis": "measured"}, "en") == (
        "Energy: 0.000042 Wh (measured), like 1200 s of a hair dryer or 0.54 % of a phone charge."
    )
    assert energy_sentence(None, "en") == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("judge", "is_graded", "is_elsewhere"),
    [
        ({}, False, False),
        ({"live_answers": 7}, True, False),
        ({"live_answers": 7, "model": "judge", "base_url": "https://judge.example/v1"}, True, True),
    ],
)
def test_it_tells_that_answers_are_graded_and_where_only_if_they_are(
    start: Start, judge: dict[str, Any], is_graded: bool, is_elsewhere: bool, language: str
) -> None:
    texts = TEXTS[language]
    chat = ChatSettings(base_url="http://127.0.0.1:9/v1", model="small")
    client = start(chat=chat, judge=JudgeSettings.model_validate(judge))
    told = facts(page_of(client, language=language))[texts["about_privacy"]]
    assert (texts["about_graded"].format(count=7) in told) == is_graded
    assert (texts["about_graded_elsewhere"] in told) == is_elsewhere


def test_it_counts_against_the_limit_of_other_pages(start: Start) -> None:
    site = SiteSettings(key="town", name="Town", sources=["town"], questions_per_minute=1)
    client = start(sites=[site])
    answers = [client.get("/about?site=town") for _ in range(OTHER_FACTOR + 1)]
    assert [answer.status_code for answer in answers] == [200] * OTHER_FACTOR + [429]
    assert "Retry-After" in answers[-1].headers
    assert "dl" not in {tag.name for tag in soup(answers[-1]).find_all()}
