"""The sample site as visitors of its town see it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient

from app import create_app
from app.demo.town import town
from app.services import Services
from tests.app.web.browser import soup

PAGES = sorted(town().pages)


@pytest.fixture(scope="module")
def visitor(site_services: Services) -> Iterator[FlaskClient]:
    yield create_app(services=site_services, demo=True).test_client()


def of_the_town(page: BeautifulSoup, address: str) -> list[str]:
    """The addresses below the town's that a page leads to or is made of."""
    named = [str(element.get("href") or element.get("src")) for element in page.select("[href], [src]")]
    return [url for url in (urljoin(address, name) for name in named) if "/otterfurt/" in url]


def test_there_are_german_and_english_pages_of_every_kind_of_file() -> None:
    assert {(page.partition("/")[0], page.rpartition(".")[2]) for page in PAGES} == {
        ("de", "html"),
        ("de", "md"),
        ("de", "txt"),
        ("en", "html"),
        ("en", "md"),
    }


@pytest.mark.parametrize("page_id", PAGES)
class TestPage:
    def test_every_link_leads_to_a_page_and_a_place_in_it(self, visitor: FlaskClient, page_id: str) -> None:
        address = f"http://localhost/otterfurt/{page_id}"
        links = of_the_town(soup(visitor.get(address)), address)
        assert len(links) > 8
        for link in links:
            response = visitor.get(urlsplit(link).path)
            assert response.status_code == 200, link
            fragment = urldefrag(link).fragment
            assert not fragment or soup(response).find(id=fragment), link

    def test_it_can_be_read_and_found_ones_way_in(self, visitor: FlaskClient, page_id: str) -> None:
        page = soup(visitor.get(f"/otterfurt/{page_id}"))
        assert page.html
        assert page.html["lang"] == page_id[:2]
        assert [skip["href"] for skip in page.select(".skip")] == ["#content"]
        assert len(page.select("main#content h1")) == len(page.select("h1")) == 1
        is_home = page_id.endswith("index.html")
        assert len(page.select(".breadcrumb [aria-current]")) == (0 if is_home else 1)
        assert len(page.select("header nav a")) == 5
        levels = [int(heading.name[1]) for heading in page.select("h1, h2, h3")]
        assert all(deeper - level <= 1 for level, deeper in pairwise(levels))
        assert all(table.parent and table.parent.get("aria-label") for table in page.select("table"))

    def test_it_has_the_chat_and_no_other_script(self, visitor: FlaskClient, page_id: str) -> None:
        response = visitor.get(f"/otterfurt/{page_id}")
        scripts = [script.attrs for script in soup(response).select("script")]
        assert scripts == [{"src": "/widget.js", "data-site": "demo", "async": ""}]

    def test_no_search_engine_lists_an_invented_town(self, visitor: FlaskClient, page_id: str) -> None:
        response = visitor.get(f"/otterfurt/{page_id}")
        assert response.headers["X-Robots-Tag"] == "noindex"
        assert "erfunden" in response.text or "fictional" in response.text
        assert not soup(response).select("a[href^='https:'], link[href^='https:']")


@pytest.mark.parametrize("page_id", ["de/kita.html", "de/buergeramt.html", "en/visitors.html"])
def test_what_is_hidden_in_a_page_is_not_shown(visitor: FlaskClient, page_id: str) -> None:
    page = soup(visitor.get(f"/otterfurt/{page_id}"))
    assert not re.search("Entwurf|Draft:", page.get_text())
    assert not page.select("[style]")


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("ending", ["", "/"])
def test_the_address_of_a_language_leads_to_its_home_page(
    visitor: FlaskClient, language: str, ending: str
) -> None:
    response = visitor.get(f"/otterfurt/{language}{ending}", follow_redirects=True)
    assert (response.status_code, response.request.path) == (200, f"/otterfurt/{language}/index.html")


def test_a_text_file_has_headings_and_paragraphs(visitor: FlaskClient) -> None:
    page = soup(visitor.get("/otterfurt/de/feuerwehr.txt"))
    assert "Rauchmelder" in [heading.get_text() for heading in page.select("h2")]
    assert len(page.select("main p")) > 10


@pytest.mark.parametrize(("spoken", "language"), [("de-AT,de", "de"), ("en-GB", "en"), ("fr", "de")])
def test_the_demo_begins_in_the_town_in_the_readers_language(
    visitor: FlaskClient, spoken: str, language: str
) -> None:
    response = visitor.get("/", headers={"Accept-Language": spoken}, follow_redirects=True)
    assert response.request.path == f"/otterfurt/{language}/index.html"


@pytest.mark.parametrize(
    "path", ["nothing.html", "fr", "de//", "en/nothing.html", "../__init__.py", "de/%00", "de/..%2fstyle.css"]
)
def test_a_page_that_is_not_there_says_so(visitor: FlaskClient, path: str) -> None:
    response = visitor.get(f"/otterfurt/{path}")
    assert response.status_code == 404
    page = soup(response)
    assert page.h1
    assert page.h1.get_text() == ("Page not found" if path.startswith("en") else "Seite nicht gefunden")
    assert page.select("main a")


def test_only_the_demo_has_the_town(client: FlaskClient) -> None:
    assert client.get("/otterfurt/de/index.html").status_code == 404
    assert client.get("/").status_code == 200
