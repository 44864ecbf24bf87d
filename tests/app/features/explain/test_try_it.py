"""Trying a question in the console: its answer, its way, and why a page is not found."""

from urllib.parse import urlencode

from bs4 import BeautifulSoup

from app.features.questions.services import QuestionServices
from app.services import Services
from tests.app.console.conftest import Console
from tests.app.console.test_messages import ENGLISH, said
from tests.app.site import XSS
from tests.app.web.browser import soup

TAX = "How much is the dog tax?"


def tried(console: Console, question: str = TAX, page: str = "", site: str = "town") -> BeautifulSoup:
    query = urlencode({"q": question, "page": page, "site": site, "lang": "en"})
    answer = console.get(f"/try?{query}")
    assert answer.status_code == 200
    return soup(answer)


def test_a_question_shows_its_answer_and_its_whole_way_and_is_not_stored(
    admin: Console, services: Services
) -> None:
    text = tried(admin).get_text(" ", strip=True)
    assert "96 euros" in text
    for told in (
        "Words searched for",
        "dog, tax",
        "Pages found",
        "Text blocks",
        "Text that was read",
        "Times",
    ):
        assert told in text, told
    assert list(services.feature(QuestionServices).questions.all()) == []


def test_why_a_page_is_not_found_is_said_with_what_to_do(admin: Console, services: Services) -> None:
    services.store.exclude("town", "dog-tax")
    why = tried(admin, page="https://town.example/dog-tax#x").select_one("section.notice")
    assert why is not None
    assert "taken out" in why.get_text() and why.select("li")
    unknown = tried(admin, page="https://town.example/nothing").select_one("section.notice")
    assert unknown is not None and unknown.get_text(strip=True)


def test_a_page_that_is_read_needs_no_change(admin: Console) -> None:
    why = tried(admin, page="https://town.example/dog-tax").select_one("section.notice.done")
    assert why is not None


def test_a_page_that_was_found_leads_to_what_was_read_of_it_and_back(editor: Console) -> None:
    page, website = tried(editor).select("#source-1 a")
    assert page["href"] == "/admin/pages/town/en/dog-tax"
    assert str(website["href"]).startswith("https://town.example/dog-tax")
    report = soup(editor.get("/pages/town/en/dog-tax"))
    assert report.select("main a[href='/admin/try?page=https://town.example/dog-tax']")


def test_an_editor_asks_their_own_sites_alone(editor: Console, services: Services) -> None:
    assert "96 euros" in tried(editor).get_text()
    assert editor.get("/try?q=dog+tax&site=law").status_code == 404
    assert Console(services).log_in("lee", "law").get("/try?q=dog+tax&site=town").status_code == 404


def test_what_cannot_be_asked_is_said(admin: Console) -> None:
    assert admin.get("/try").status_code == 200
    assert admin.get("/try?site=town&q=" + "x" * 5_000).status_code == 400
    assert admin.get("/try?site=nobody&q=dog").status_code == 404


def test_questions_and_pages_that_are_code_are_shown_as_text(admin: Console) -> None:
    for code in XSS:
        found = tried(admin, f"quarantine report {code}", page=code)
        assert found.select("img, svg, math, iframe, details[ontoggle]") == found.select("header img")
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
        links = [str(link["href"]) for link in found.select("a[href]")]
        assert [link for link in links if link.startswith("javascript:")] == []


def test_a_question_that_is_too_long_is_refused_in_german(german: Console) -> None:
    message = said(german.get(f"/try?q={'x' * 2_001}"))
    assert not ENGLISH.search(message), message
