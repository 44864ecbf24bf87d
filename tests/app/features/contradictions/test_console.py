"""Contradictions on the pages of the console."""

import pytest
from sqlalchemy import event

from app.console.texts import TEXTS
from app.features.contradictions.services import ContradictionServices
from app.features.contradictions.statements import statements_of
from app.features.contradictions.store import DuePage, FoundContradiction, Passage
from app.services import Services
from app.settings.sources import SourceSettings
from ingest.types import PageRef
from tests.app.console.conftest import TOKEN, Console
from tests.app.console.test_numbers import NUMBERS
from tests.app.site import XSS
from tests.app.web.browser import soup

ONE, OTHER = (PageRef(source="town", id=name, language="en") for name in ("dog-tax", "pool"))


def contradict(services: Services, one: str, other: str, kind: str = "amount") -> None:
    store = services.feature(ContradictionServices).store
    [due] = [page for page in store.due(100) if page.ref == ONE] or [DuePage(ref=ONE, sequence=1)]
    found = FoundContradiction(
        one=Passage(ref=ONE, text=one), other=Passage(ref=OTHER, text=other), kind=kind
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
    [entry] = services.feature(ContradictionServices).store.entries()
    assert editor.post(f"/contradictions/{entry.number}/dismiss").status_code == 303
    assert "96 euros" not in text(editor, "/contradictions")
    assert "96 euros" in text(editor, "/contradictions?dismissed=1")
    editor.post(f"/contradictions/{entry.number}/restore")
    assert "96 euros" in text(editor, "/contradictions")


def test_each_side_has_its_page_by_title_and_the_way_into_the_cms(
    editor: Console, services: Services
) -> None:
    services.settings.sources["town"] = SourceSettings(edit_url="https://cms.example/edit/{id}")
    contradict(services, "The tax is 96 euros.", "The tax is 105 euros.")
    sides = soup(editor.get("/contradictions")).select(".sides blockquote")
    known = {str(link["href"]): link.get_text() for side in sides for link in side.select("a")}
    assert known["/admin/pages/town/en/dog-tax"] == "Dog tax"
    assert "https://cms.example/edit/dog-tax" in known


def test_a_longer_list_asks_the_database_no_more_often(editor: Console, services: Services) -> None:
    asked: list[str] = []
    event.listen(services.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))

    def often(found: list[FoundContradiction]) -> int:
        services.feature(ContradictionServices).store.replace(DuePage(ref=ONE, sequence=1), found)
        editor.get("/contradictions")
        asked.clear()
        assert len(soup(editor.get("/contradictions")).select(".pair")) == len(found)
        return len(asked)

    others = [PageRef(source="town", id=name, language="en") for name in ("pool", "bins", "school", "gone")]
    found = [
        FoundContradiction(
            one=Passage(ref=ONE, text="96 euros"), other=Passage(ref=ref, text="105 euros"), kind="money"
        )
        for ref in others
    ]
    assert often(found) == often(found[:1])


def test_what_differs_is_marked_and_the_overview_counts_what_nobody_dismissed(
    editor: Console, services: Services
) -> None:
    contradict(services, "The tax is 96 euros, due on 1 May.", "The tax is 105 euros, due on 1 May.", "money")
    marks = [mark.get_text() for mark in soup(editor.get("/contradictions")).select("mark")]
    assert marks == ["96 euros", "105 euros"]
    said = "Two passages of your pages contradict each other."
    assert said in text(editor, "/?lang=en")
    other = Console(services).log_in("lee", "law")
    assert said not in text(other, "/?lang=en")
    [entry] = services.feature(ContradictionServices).store.entries()
    editor.post(f"/contradictions/{entry.number}/dismiss")
    assert said not in text(editor, "/?lang=en")


def test_an_editor_of_another_source_sees_none(services: Services) -> None:
    contradict(services, "The tax is 96 euros.", "The tax is 105 euros.")
    other = Console(services).log_in("lee", "law")
    assert "96 euros" not in text(other, "/contradictions")
    [entry] = services.feature(ContradictionServices).store.entries()
    assert other.post(f"/contradictions/{entry.number}/dismiss").status_code == 404


def test_passages_that_are_code_are_shown_as_text(admin: Console, services: Services) -> None:
    contradict(services, " ".join(XSS), " ".join(XSS))
    found = soup(admin.get("/contradictions"))
    assert found.select("img, svg, math, iframe, details[ontoggle]") == found.select("header img")


def test_every_kind_of_figure_that_may_contradict_has_a_name() -> None:
    sentence = (
        "Am 3. Mai um 8:30 Uhr: 5 Euro, 10 Prozent, 3 Tage, 2 Monate, 5 Minuten, 2 Millionen, Tel. 069 900090"
    )
    kinds = {kind for each in statements_of(sentence, "", "de") for kind in each.values}
    assert {"date", "time", "money", "percent", "days", "months", "minutes", "millions"} <= kinds
    for kind in kinds:
        assert kind.startswith("of ") or f"contradiction_{kind}" in TEXTS["de"], kind


def test_the_log_says_in_german_that_one_was_dismissed(editor: Console, services: Services) -> None:
    services.audit_log.record("mia", "contradiction.dismiss", "x")
    assert "Widerspruch verworfen" in text(Console(services).log_in(), "/changes?lang=de")


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_a_number_that_no_contradiction_has_is_no_fault(admin: Console, number: str) -> None:
    replies = [admin.post(f"/contradictions/{number}/dismiss")]
    api, headers = f"/api/admin/contradictions/{number}/dismissal", {"Authorization": f"Bearer {TOKEN}"}
    replies += [admin.client.open(api, method=method, headers=headers) for method in ("PUT", "DELETE")]
    assert {reply.status_code for reply in replies} == {404}
