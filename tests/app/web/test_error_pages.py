"""Errors in a browser are pages that say what to do; everything else gets problem documents."""

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from tests.app.web.browser import soup

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
PROBLEM = "application/problem+json"


@pytest.fixture
def app(site_services: Services) -> APIFlask:
    """The application, with an address that breaks."""
    app = create_app(services=site_services)
    app.add_url_rule("/broken", view_func=lambda: str(1 / 0), endpoint="broken")
    return app


@pytest.fixture
def client(app: APIFlask) -> FlaskClient:
    return app.test_client()


HEADINGS = {
    404: {"de": "Seite nicht gefunden", "en": "Page not found"},
    405: {"de": "lässt sich so nicht verwenden", "en": "cannot be used in this way"},
    500: {"de": "Das geht gerade nicht", "en": "does not work at the moment"},
}


@pytest.mark.parametrize(
    ("asked", "status"),
    [("GET /nowhere", 404), ("DELETE /", 405), ("GET /broken", 500)],
)
@pytest.mark.parametrize(("spoken", "language"), [("de-AT,de", "de"), ("fr", "en")])
def test_a_browser_gets_a_page_in_the_readers_language_with_a_way_home(
    client: FlaskClient, asked: str, status: int, spoken: str, language: str
) -> None:
    method, path = asked.split()
    response = client.open(path, method=method, headers={"Accept": BROWSER, "Accept-Language": spoken})
    page = soup(response)
    assert response.status_code == status
    assert page.html
    assert page.html["lang"] == language
    assert [HEADINGS[status][language] in each.get_text() for each in page.select("main h1")] == [True]
    assert [link["href"] for link in page.select("main a")] == ["/"]
    assert [link["href"] for link in page.select("header nav a")] == ["?lang=en", "?lang=de"]
    assert not page.select("script, style, [style]")
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert {"accept", "accept-language"} <= {name.lower() for name in response.vary}
    assert ("Allow" in response.headers) == (status == 405)


def test_the_language_can_be_changed(client: FlaskClient) -> None:
    given = {"Accept": BROWSER, "Accept-Language": "en"}
    assert "Seite nicht gefunden" in client.get("/nowhere?lang=de", headers=given).text


@pytest.mark.parametrize(
    "accepted", ["*/*", "application/json", "text/html;q=0.5,application/json", "image/*", ""]
)
def test_programs_get_the_problem(client: FlaskClient, accepted: str) -> None:
    response = client.get("/nowhere", headers={"Accept": accepted})
    assert (response.status_code, response.mimetype) == (404, PROBLEM)


@pytest.mark.parametrize("path", ["/api/nowhere", "/api/search", "/api/answers/x"])
def test_the_api_answers_browsers_with_problems_too(client: FlaskClient, path: str) -> None:
    response = client.get(path, headers={"Accept": BROWSER})
    assert response.status_code in (404, 422)
    assert response.mimetype == PROBLEM
