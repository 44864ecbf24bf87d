"""The search page as a browser without scripts sees it."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import create_app
from app.errors import IndexUnavailableError
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from app.web.texts import LANGUAGES, TEXTS
from tests.app.api.test_failures import SECRET, Failing, failing_client
from tests.app.site import XSS
from tests.app.web.browser import assert_inert, soup

QUESTION: Final = "How much is the dog tax in euros?"


def load(client: FlaskClient, **query: str) -> BeautifulSoup:
    response = client.get("/", query_string=query)
    assert response.status_code == 200
    return soup(response)


def test_the_form_searches_and_its_second_button_asks(client: FlaskClient) -> None:
    page = load(client, lang="en")
    (form,) = page.select("form")
    assert (form["action"], form["method"]) == ("/", "get")
    sent = {item["name"]: item.get("value") for item in form.select("input")}
    assert sent == {"q": "", "site": "default", "lang": "en"}
    search, ask = form.select("button")
    assert not search.has_attr("formaction")
    assert (ask["formmethod"], ask["formaction"]) == ("post", "/chat?site=default&lang=en#latest")
    assert_inert(page)


def test_a_search_lists_pages_with_the_passage_that_matches_and_opens_it(client: FlaskClient) -> None:
    page = load(client, q=QUESTION)
    (first, *_) = page.select(".hits > li")
    assert first.a
    assert first.a.get_text() == "Dog tax"
    assert first.a["href"] == "https://town.example/dog-tax#:~:text=The%20dog%20tax%20is"
    assert "96 euros" in first.get_text()
    assert {mark.get_text() for mark in first.select("mark")} == {"Dog", "dog", "dogs", "tax", "euros"}
    assert page.select("#hits-heading")[0].get_text() == "1 page found"
    assert page.select_one("#question[value]")
    assert_inert(page)


def test_how_near_a_page_is_no_reader_is_told_in_percent(client: FlaskClient) -> None:
    assert "%" not in load(client, q=QUESTION).get_text()


def test_a_search_without_hits_says_so(client: FlaskClient) -> None:
    text = load(client, q="xyzzy plugh frobnitz qwertz").get_text()
    assert "Nothing found for “xyzzy plugh frobnitz qwertz”." in text
    assert TEXTS["en"]["search_tips"] in text


def test_a_misspelt_word_is_corrected_and_the_page_says_so(client: FlaskClient) -> None:
    page = load(client, q="quarentine", lang="en")
    assert "Results for quarantine." in page.select(".corrected")[0].get_text()
    assert page.select(".hits > li")


def test_parts_of_a_long_list_lead_to_each_other(client: FlaskClient) -> None:
    first = load(client, q="quarantine", lang="en")
    assert f"{len(XSS)} pages found" in first.select("#hits-heading")[0].get_text()
    assert not first.select("[rel=prev]")
    (after,) = first.select("[rel=next]")
    second = soup(client.get(str(after["href"])))
    assert len(first.select(".hits > li")) + len(second.select(".hits > li")) == len(XSS)
    assert "Page 2 of 2" in second.select(".parts")[0].get_text()
    assert not second.select("[rel=next]")
    assert_inert(second)


@pytest.mark.parametrize("number", ["0", "-1", "x", "9999999", "²", "1e3", ""])
def test_odd_numbers_of_parts_show_one_that_there_is(client: FlaskClient, number: str) -> None:
    assert load(client, q="quarantine", page=number).select(".hits > li")


def test_a_list_is_narrowed_by_a_link_and_widened_again(client: FlaskClient) -> None:
    page = load(client, q="quarantine", written_in="de", lang="en")
    assert not page.select(".hits > li")
    every, english = page.select(".filters p")[0].select("a")
    assert english.get_text(" ", strip=True) == f"English {len(XSS)}"
    assert soup(client.get(str(english["href"]))).select(".filters [aria-current]")
    assert len(soup(client.get(str(every["href"]))).select(".hits > li")) == 10


def test_a_limited_search_says_how(client: FlaskClient) -> None:
    (note,) = load(client, q="dog frobnitz").select(".notes li")
    assert "No page has all these words" in note.get_text()


@pytest.mark.parametrize("payload", XSS)
def test_a_hostile_question_is_shown_and_does_nothing(client: FlaskClient, payload: str) -> None:
    page = load(client, q=f"How much is the dog tax {payload}")
    (question,) = page.select("#question")
    assert question["value"] == f"How much is the dog tax {payload}"
    assert_inert(page)


@pytest.mark.parametrize("number", range(len(XSS)))
def test_a_hostile_page_is_shown_and_does_nothing(client: FlaskClient, number: int) -> None:
    page = load(client, q=f"quarantine report of parcel {number} in full")
    assert XSS[number] in page.get_text() or "Quarantine report" in page.get_text()
    assert_inert(page)


@pytest.mark.parametrize(
    ("header", "query", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", {}, "de"),
        ("en-GB", {}, "en"),
        ("fr", {}, "en"),
        ("", {}, "en"),
        ("de", {"lang": "en"}, "en"),
        ("en", {"lang": "de"}, "de"),
        ("de", {"lang": "<script>"}, "de"),
    ],
)
def test_the_page_speaks_the_readers_language(
    client: FlaskClient, header: str, query: dict[str, str], language: str
) -> None:
    page = soup(client.get("/", query_string=query, headers={"Accept-Language": header}))
    assert page.html
    assert page.h1
    assert page.html["lang"] == language
    assert page.h1.get_text() == TEXTS[language]["page_heading"]


def test_the_other_language_shows_the_same_search(client: FlaskClient) -> None:
    page = load(client, q=QUESTION, lang="en")
    german = soup(client.get(page.select_one("nav [hreflang=de]")["href"]))  # type: ignore[index]
    assert german.html
    assert german.html["lang"] == "de"
    assert german.select_one("#question")["value"] == QUESTION  # type: ignore[index]


def test_both_languages_say_everything() -> None:
    assert set(TEXTS) == set(LANGUAGES)
    assert TEXTS["de"].keys() == TEXTS["en"].keys()


def test_every_field_has_a_label_and_every_section_a_heading(client: FlaskClient) -> None:
    page = load(client, q=QUESTION)
    labelled = {item["for"] for item in page.select("label")}
    assert {item["id"] for item in page.select("input:not([type=hidden])")} == labelled
    assert all(page.find(id=str(item["aria-labelledby"])) for item in page.select("section"))


@pytest.mark.parametrize("question", ["x" * 2_001, "\u200b\u2060"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_that_cannot_be_searched_gets_a_page_that_says_so(
    client: FlaskClient, question: str, language: str
) -> None:
    response = client.get("/", query_string={"q": question, "lang": language})
    assert response.status_code == 400
    (alert,) = soup(response).select("[role=alert]")
    assert alert.get_text() == TEXTS[language]["error_question"]


@pytest.mark.parametrize(
    "query", ["q=", "q=%20", "q=a%00b%00c+d", "q=%ff%fe", "q=dog&mode=%00", "q=dog&q=tax"]
)
def test_an_odd_address_still_gets_a_page(client: FlaskClient, query: str) -> None:
    assert client.get(f"/?{query}").status_code == 200


def test_the_page_says_that_it_failed_and_not_why(site_services: Services) -> None:
    response = failing_client(site_services, Failing(IndexUnavailableError(SECRET))).get("/?q=dog+tax")
    assert response.status_code == 503
    assert "try again later" in response.text
    assert "secret" not in response.text


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(), st.sampled_from(["ask", "search"]))
def test_no_question_breaks_the_page(client: FlaskClient, question: str, mode: str) -> None:
    encoded = quote(question, errors="surrogatepass")
    assert client.get(f"/?q={encoded}&mode={mode}").status_code in {200, 400}


def test_of_several_sites_a_visitor_chooses_one_and_sees_what_was_searched_for(
    site_settings: Settings,
) -> None:
    sites = [SiteSettings(key="town", sources=["town"]), SiteSettings(key="staff", sources=["elsewhere"])]
    with Services(site_settings.model_copy(update={"sites": sites})) as services:
        visitor = create_app(services=services).test_client()
        offered = soup(visitor.get("/", query_string={"q": "dog tax", "lang": "en"}))
        links = {link.get_text(): str(link["href"]) for link in offered.select("main a")}
        assert "96 euros" in visitor.get(links["town"]).text
        assert "96 euros" not in visitor.get(links["staff"]).text


def test_the_chat_leads_to_it(client: FlaskClient) -> None:
    chat = soup(client.get("/chat", query_string={"lang": "en"}))
    [link] = [each for each in chat.select("main a") if each.get_text() == "Search the pages"]
    assert soup(client.get(str(link["href"]))).select("form[role=search]")


def test_without_it_the_chat_is_the_start_page(site_services: Services) -> None:
    with Services(site_services.settings, features=()) as core:
        visitor = create_app(services=core).test_client()
        start = soup(visitor.get("/", query_string={"lang": "en"}))
        assert start.select("form.ask")
        assert start.select_one("nav [hreflang=de]")["href"] == "/?lang=de"  # type: ignore[index]
        assert "Search the pages" not in start.get_text()


class TestSites:
    @pytest.fixture
    def public(self, site_settings: Settings) -> Iterator[FlaskClient]:
        """Seen from everywhere: ``town`` has all pages, ``other`` none, ``gone`` is suspended."""
        sites = [
            SiteSettings(key="town"),
            SiteSettings(key="other", sources=["elsewhere"]),
            SiteSettings(key="gone", suspended=True),
        ]
        with Services(site_settings.model_copy(update={"sites": sites, "host": "0.0.0.0"})) as services:
            yield create_app(services=services).test_client()

    def test_a_sites_pages_alone_are_found(self, public: FlaskClient) -> None:
        assert load(public, q=QUESTION, site="town").select(".hits li")
        assert not load(public, q=QUESTION, site="other").select(".hits li")

    @pytest.mark.parametrize("key", ["default", "", "gone", "nobody", "<script>"])
    @pytest.mark.parametrize("question", ["", QUESTION])
    def test_on_a_site_that_there_is_not_nothing_can_be_found(
        self, public: FlaskClient, key: str, question: str
    ) -> None:
        response = public.get("/", query_string={"q": question, "site": key})
        assert response.status_code == 404
        page = soup(response)
        assert not page.select(".hits")
        assert TEXTS["en"]["error_site"] in page.get_text()
        assert_inert(page)

    def test_whoever_searches_too_often_is_told_so(self, site_settings: Settings) -> None:
        sites = [SiteSettings(key="town", questions_per_minute=1)]
        with Services(site_settings.model_copy(update={"sites": sites})) as services:
            visitor = create_app(services=services).test_client()
            for _ in range(3):
                assert load(visitor, q=QUESTION, site="town").select(".hits li")
            response = visitor.get("/", query_string={"q": QUESTION, "site": "town"})
            assert response.status_code == 429
            assert int(response.headers["Retry-After"]) > 0
            assert TEXTS["en"]["error_limit"].partition("{")[0] in soup(response).get_text()
            assert load(visitor, site="town")
