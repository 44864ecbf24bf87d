"""Which websites' pages may use the API, and what browsers are told of it."""

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from app import create_app
from app.api.state import MOST_REFUSALS
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings

TOWN = "https://www.town.example"
OTHER = "https://other.example"


@pytest.fixture
def sites(site_settings: Settings) -> Iterator[FlaskClient]:
    """A client of an installation with two sites; ``other`` has sources of its own that hold nothing."""
    tables = [
        SiteSettings(key="town", origins=[TOWN], contact="town@example.org"),
        SiteSettings(key="other", origins=[OTHER], sources=["elsewhere"]),
        SiteSettings(key="gone", origins=[TOWN], suspended=True),
    ]
    with Services(site_settings.model_copy(update={"sites": tables, "host": "0.0.0.0"})) as services:
        yield create_app(services=services).test_client()


def search(client: FlaskClient, site: str, origin: str | None = None) -> int:
    headers = {"Origin": origin} if origin is not None else {}
    query = {"q": "how much is the dog tax", "site": site}
    return client.get("/api/search", query_string=query, headers=headers).status_code


@pytest.mark.parametrize("origin", [None, TOWN])
def test_a_sites_pages_and_programs_get_answers(sites: FlaskClient, origin: str | None) -> None:
    assert search(sites, "town", origin) == 200


@pytest.mark.parametrize(
    ("site", "origin"),
    [
        ("town", OTHER),
        ("town", "null"),
        ("town", ""),
        ("town", f"{TOWN}.evil.example"),
        ("other", TOWN),
        ("gone", TOWN),
        ("nobody", None),
        ("default", None),
        ("default", "http://localhost"),
        ("", None),
    ],
)
def test_all_others_are_told_that_there_is_no_such_site(
    sites: FlaskClient, site: str, origin: str | None
) -> None:
    headers = {"Origin": origin} if origin is not None else {}
    asked = sites.get("/api/search", query_string={"q": "dog tax", "site": site}, headers=headers)
    chat = sites.post(f"/api/chat?site={site}", json={"question": "dog tax"}, headers=headers)
    for response in (asked, chat):
        assert (response.status_code, response.get_json()["code"]) == (404, "not_found")
        assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize(
    ("site", "origin", "reason"),
    [
        ("town", OTHER, f"origin {OTHER} is not among `origins` of site 'town': add it to auskunft.toml"),
        (
            "town",
            "null",
            "this page has no origin: open it from a web server, such as https://www.town.example",
        ),
        ("town", "<b>", "this page's origin is not among `origins` of site 'town': add it to auskunft.toml"),
        ("nobody", TOWN, "site 'nobody' is unknown: use a key declared under [[sites]] in auskunft.toml"),
        ("gone", TOWN, "site 'gone' is unknown: use a key declared under [[sites]] in auskunft.toml"),
    ],
)
def test_whoever_embeds_the_chat_may_read_why_it_is_refused(
    sites: FlaskClient, site: str, origin: str, reason: str
) -> None:
    refused = sites.get(f"/api/site?site={site}", headers={"Origin": origin})
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (404, "*")
    assert refused.headers["Cache-Control"] == "no-store"
    assert (refused.get_json()["code"], refused.get_json()["detail"]) == ("not_found", reason)


def test_without_declared_sites_whoever_embeds_the_chat_is_told_to_declare_one(client: FlaskClient) -> None:
    told = [
        client.get(f"/api/site?site={site}", headers={"Origin": TOWN}).get_json()["detail"]
        for site in ("default", "town")
    ]
    assert told == [
        f"origin {TOWN} is not this service's: declare its website under [[sites]] in auskunft.toml",
        "site 'town' is unknown: use 'default'",
    ]


def test_a_refused_website_is_in_the_log_once_and_strangers_do_not_fill_it(sites: FlaskClient) -> None:
    with capture_logs() as lines:
        for _ in range(3):
            search(sites, "town", OTHER)
            sites.get("/api/site?site=town", headers={"Origin": OTHER})
        search(sites, "nobody")
        for number in range(2 * MOST_REFUSALS):
            search(sites, "town", f"https://evil-{number}.example")
    refused = [line for line in lines if line["event"] == "website_refused"]
    assert (refused[0]["site"], refused[0]["origin"]) == ("town", OTHER)
    assert "is not among `origins`" in refused[0]["reason"]
    assert len(refused) == MOST_REFUSALS
    assert len({line["origin"] for line in refused}) == MOST_REFUSALS


def test_an_unknown_site_is_told_before_anything_that_is_wrong_with_the_request(sites: FlaskClient) -> None:
    assert sites.post("/api/chat?site=nobody", data=b"{").status_code == 404


def test_a_site_is_answered_from_its_own_sources(sites: FlaskClient) -> None:
    query = {"q": "how much is the dog tax", "site": "other"}
    assert sites.get("/api/search", query_string=query).get_json()["hits"] == []
    refused = sites.get("/api/search", query_string={**query, "source": "town"})
    assert (refused.status_code, "unknown source" in refused.get_json()["detail"]) == (400, True)


def test_a_browser_may_read_the_answer_and_the_error_on_the_sites_pages_alone(sites: FlaskClient) -> None:
    answered = sites.get("/api/search?q=dog+tax&site=town", headers={"Origin": TOWN})
    wrong = sites.get("/api/search?q=&site=town", headers={"Origin": TOWN})
    for response in (answered, wrong):
        assert response.headers["Access-Control-Allow-Origin"] == TOWN
        assert response.headers["Access-Control-Expose-Headers"] == "Retry-After"
        assert "Origin" in response.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in response.headers
    assert wrong.status_code == 422
    assert "Access-Control-Allow-Origin" not in sites.get("/api/search?q=dog+tax&site=town").headers


def test_a_preflight_is_answered_for_the_sites_pages_alone(sites: FlaskClient) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    allowed = sites.options("/api/chat?site=town", headers={"Origin": TOWN, **asked})
    assert (allowed.status_code, allowed.data) == (204, b"")
    assert allowed.headers["Access-Control-Allow-Origin"] == TOWN
    assert allowed.headers["Access-Control-Allow-Methods"] == "GET, POST, DELETE"
    assert allowed.headers["Access-Control-Allow-Headers"] == "Content-Type"
    refused = sites.options("/api/chat?site=town", headers={"Origin": OTHER, **asked})
    assert refused.status_code == 404
    assert not [name for name, _ in refused.headers if name.startswith("Access-Control")]


def test_a_forged_host_makes_no_origin_our_own(sites: FlaskClient) -> None:
    headers = {"Host": "evil.example", "Origin": "http://evil.example"}
    assert sites.get("/api/search?q=dog+tax&site=town", headers=headers).status_code == 404
