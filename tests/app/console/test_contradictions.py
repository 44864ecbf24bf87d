"""Contradictions, and answers that a save changed, on the pages of the console."""

from app.contradictions.store import DuePage, FoundContradiction, Passage
from app.services import Services
from ingest.types import PageRef
from tests.app.console.conftest import Console
from tests.app.site import XSS
from tests.app.web.browser import soup

ONE, OTHER = (PageRef(source="town", id=name, language="en") for name in ("dog-tax", "pool"))


def contradict(services: Services, one: str, other: str) -> None:
    store = services.contradictions.store
    [due] = [page for page in store.due(100) if page.ref == ONE] or [DuePage(ref=ONE, sequence=1)]
    found = FoundContradiction(
        one=Passage(ref=ONE, text=one), other=Passage(ref=OTHER, text=other), kind="amount"
    )
    store.replace(due, [found])


def text(console: Console, path: str) -> str:
    answer = console.get(path)
    assert answer.status_code == 200
    return soup(answer).get_text(" ", strip=True)


def test_both_passages_are_shown_and_dismissed_and_listed_again(editor: Console, services: Services) -> None:
    contradict(services, "The tax is 96 euros.", "The tax is 105 euros.")
    listed = text(editor, "/contradictions?lang=en")
    assert "96 euros" in listed and "105 euros" in listed
    [entry] = services.contradictions.store.entries()
    assert editor.post(f"/contradictions/{entry.number}/dismiss").status_code == 303
    assert "96 euros" not in text(editor, "/contradictions")
    assert "96 euros" in text(editor, "/contradictions?dismissed=1")
    editor.post(f"/contradictions/{entry.number}/restore")
    assert "96 euros" in text(editor, "/contradictions")


def test_an_editor_of_another_source_sees_none(services: Services) -> None:
    contradict(services, "The tax is 96 euros.", "The tax is 105 euros.")
    other = Console(services).log_in("lee", "law")
    assert "96 euros" not in text(other, "/contradictions")
    [entry] = services.contradictions.store.entries()
    assert other.post(f"/contradictions/{entry.number}/dismiss").status_code == 404


def test_passages_that_are_code_are_shown_as_text(admin: Console, services: Services) -> None:
    contradict(services, " ".join(XSS), " ".join(XSS))
    found = soup(admin.get("/contradictions"))
    assert found.select("img, svg, math, iframe, details[ontoggle]") == found.select("header img")


def test_a_message_of_another_source_is_not_there(admin: Console) -> None:
    assert admin.get("/sources/town/messages/unknown").status_code == 404
