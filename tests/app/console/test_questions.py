"""What visitors asked, on the pages of the console."""

import pytest
from bs4 import BeautifulSoup

from app.services import Services
from tests.app.console.conftest import Console
from tests.app.site import XSS, raw_page
from tests.app.web.browser import soup

TAX = "How much is the dog tax?"
SWALLOW = "What is the airspeed of an unladen swallow?"


def ask(console: Console, question: str, site: str = "town") -> str:
    answer = console.client.post(f"/api/chat?site={site}", json={"question": question})
    return answer.get_data(as_text=True).split('"answer": "')[1].split('"')[0]


def page(console: Console, path: str) -> BeautifulSoup:
    answer = console.get(path)
    assert answer.status_code == 200, path
    return soup(answer)


def listed(console: Console, query: str = "") -> list[str]:
    return [link.get_text() for link in page(console, f"/questions{query}").select("tbody th a")]


@pytest.fixture
def asked(admin: Console) -> Console:
    """An admin, after visitors asked two questions."""
    ask(admin, TAX)
    ask(admin, SWALLOW)
    return admin


def test_questions_are_listed_newest_first_and_filtered(asked: Console) -> None:
    assert listed(asked) == [SWALLOW, TAX]
    assert listed(asked, "?outcome=answered") == [TAX]
    assert listed(asked, "?outcome=unanswered") == [SWALLOW]
    assert listed(asked, "?text=dog") == [TAX]
    assert listed(asked, "?since=2001-01-01&until=2001-01-02") == []
    assert listed(asked, "?site=law") == []


def test_a_question_shows_its_answer_sources_and_what_to_do(admin: Console) -> None:
    found = page(admin, f"/questions/{ask(admin, TAX)}?lang=en")
    text = found.get_text(" ", strip=True)
    assert "96 euros" in text and "Dog tax" in text
    links = [str(link["href"]) for link in found.select("main p.buttons a")]
    assert links[0].startswith("/admin/try?q=How+much")


def test_asking_again_after_an_edit_names_the_changed_page(admin: Console, services: Services) -> None:
    answer = ask(admin, TAX)
    same = soup(admin.post(f"/questions/{answer}/replay?lang=en")).get_text(" ", strip=True)
    assert "Nothing differs." in same
    services.store.accept(
        [raw_page("dog-tax", "Dog tax", "The dog tax is 105 euros a year for the first dog.")]
    )
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    now = soup(admin.post(f"/questions/{answer}/replay?lang=en"))
    today = now.select_one("section[aria-labelledby=today]")
    assert today is not None
    text = today.get_text(" ", strip=True)
    assert "changed Dog tax town/dog-tax" in text and "105 euros" in text
    other = Console(services).log_in("lee", "law")
    assert other.post(f"/questions/{answer}/replay").status_code == 404


def test_questions_are_grouped_in_the_background(asked: Console, services: Services) -> None:
    ask(asked, "How much does the dog tax cost?")
    assert "Not grouped yet" in page(asked, "/questions/groups?lang=en&site=town").get_text()
    assert asked.post("/questions/groups").location == "/admin/questions/groups?done=grouping"
    while services.background.steps.run_once(lambda: False):
        pass
    text = page(asked, "/questions/groups?lang=en&site=town").get_text(" ", strip=True)
    assert SWALLOW in text or "grouped in the background" in text


def test_an_editor_sees_the_questions_of_their_sites_alone(asked: Console, services: Services) -> None:
    other = Console(services).log_in("lee", "law")
    answer = ask(asked, TAX)
    assert listed(other) == []
    for path in (f"/questions/{answer}", "/questions?site=town", "/questions/groups?site=town"):
        assert other.get(path).status_code == 404, path
    assert TAX not in other.get("/questions/export").text
    editor = Console(services).log_in("ed", "town")
    assert listed(editor) == [TAX, SWALLOW, TAX]


def test_they_are_downloaded_without_formulas(admin: Console) -> None:
    ask(admin, "=HYPERLINK(1) dog tax?")
    answer = admin.get("/questions/export")
    assert answer.mimetype == "text/csv"
    assert "\n=" not in answer.text and ",=" not in answer.text


@pytest.mark.parametrize("query", ["since=never", "after=nonsense", "until=2026-13-01"])
def test_a_filter_that_cannot_be_is_refused(admin: Console, query: str) -> None:
    assert admin.get(f"/questions?{query}").status_code == 400


def test_questions_that_are_code_are_shown_as_text(admin: Console) -> None:
    answers = [ask(admin, f"What is the dog tax {code}") for code in XSS]
    for path in ("/questions", *(f"/questions/{answer}" for answer in answers)):
        found = page(admin, path)
        assert found.select("img, svg, math, iframe, details[ontoggle]") == found.select("header img")
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
