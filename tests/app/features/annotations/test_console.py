"""The pages where people cut units of law and give them references."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_plus, unquote

import pytest

from app.features.annotations.cuts import MARK
from app.features.annotations.services import AnnotationServices
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from ingest.types import PageRef
from tests.app.console.conftest import OURS, Console
from tests.app.console.test_numbers import NUMBERS
from tests.app.features.annotations.law import import_law, index_all
from tests.app.features.annotations.test_annotations import FAQ, article, import_faq, with_text
from tests.app.law.ferries import FERRIES, SOURCE, library
from tests.app.site import XSS
from tests.app.web.browser import soup

LIST = "/annotations?lang=en"


@pytest.fixture
def services(indexed_law: Path, tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    data = shutil.copytree(indexed_law, tmp_path / "data")
    with Services(load_settings(data=data, embedder="hashing")) as services:
        services.indexing.converter = converter
        yield services


@pytest.fixture
def editor(services: Services) -> Console:
    return Console(services).log_in("ed", SOURCE)


def path(ref: PageRef) -> str:
    return f"/annotations/unit/{ref.source}/{ref.language}/{ref.id}"


def area(console: Console, path: str, name: str = "text") -> str:
    found = soup(console.get(path)).select_one(f"textarea#{name}")
    assert found is not None
    return found.get_text().removeprefix("\n")


def shown(console: Console, path: str) -> str:
    return soup(console.get(path)).get_text(" ", strip=True)


def cut(console: Console, ref: PageRef, **fields: str) -> int:
    """Cut the unit before its second word, and give it a reference; the status."""
    text = area(console, path(ref)).replace(MARK, "").replace(" ", f" {MARK}", 1)
    given = {"cut": "on", "refer": "on", "text": text, "references": f"{FERRIES}/art_1", "version": "0"}
    return console.post(path(ref), **(given | fields)).status_code


def test_a_unit_is_found_cut_and_given_its_references(editor: Console, services: Services) -> None:
    ref = article(services)
    found = soup(editor.get(f"/annotations?q={FERRIES}+art_2"))
    assert path(ref) in {str(link["href"]).removeprefix("/admin") for link in found.select("main li a")}
    assert cut(editor, ref) == 303
    unit = services.feature(AnnotationServices).desk.unit(ref)
    assert unit.annotation is not None and len(unit.cuts) == 1
    assert unit.references == (f"{FERRIES}/art_1",)
    assert area(editor, path(ref)).count(MARK) == 1
    assert area(editor, path(ref), "references") == f"{FERRIES}/art_1"
    assert "active" in shown(editor, LIST)
    assert [(each.actor, each.action) for each in services.audit_log.entries()] == [("ed", "annotation.save")]


@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("Article 2", "art_2"),
        ("Artikel 2", "art_2"),
        ("Art. 2 Ferries Act", "art_2"),
        ("annex I of the Ferries Act", "anx_I"),
        ("Anhang 1", "anx_I"),
        ("Erwägungsgrund 1", "rct_1"),
    ],
)
def test_a_unit_is_found_by_what_people_call_it(editor: Console, words: str, unit: str) -> None:
    found = soup(editor.get(f"/annotations?q={quote_plus(words)}"))
    [first, *_] = found.select("main li a")
    assert unquote(str(first["href"])).partition("@")[0].endswith(FERRIES)
    assert unquote(str(first["href"])).endswith(f"/{unit}")


def test_a_number_is_not_found_within_another(editor: Console) -> None:
    assert "20" in FERRIES
    assert soup(editor.get("/annotations?q=art_1+20")).select("main li a") == []


def test_the_units_found_are_shown_with_their_numbers(editor: Console) -> None:
    assert "Article 2: Dogs" in shown(editor, "/annotations?q=Article+2")


def test_a_page_of_a_website_is_found_and_cut_from_its_own_page(editor: Console, services: Services) -> None:
    import_faq(services)
    [first] = soup(editor.get("/annotations?q=faq")).select("main li a")
    assert str(first["href"]) == f"/admin{path(FAQ)}"
    page = soup(editor.get(f"/pages/{FAQ.source}/{FAQ.language}/{FAQ.id}"))
    assert f"/admin{path(FAQ)}" in {str(link["href"]) for link in page.select("main a")}
    assert cut(editor, FAQ, references=f"2: {FERRIES}/art_1") == 303
    assert services.feature(AnnotationServices).desk.unit(FAQ).references == (f"2:{FERRIES}/art_1",)


def test_a_changed_text_is_flagged_and_what_was_set_is_taken_over(
    editor: Console, services: Services
) -> None:
    ref = article(services)
    cut(editor, ref)
    old = services.feature(AnnotationServices).desk.unit(ref)
    import_law(services, with_text(library(), ref, f"By law: {old.text}"))
    assert "the text has changed" in shown(editor, LIST)
    [link] = soup(editor.get(LIST)).select("tbody th a")
    proposed = area(editor, str(link["href"]).removeprefix("/admin"))
    assert proposed.partition(MARK)[2] == old.text[old.cuts[0] :]
    assert editor.post(
        path(ref), cut="on", refer="on", text=proposed, references=f"{FERRIES}/art_1", version="0"
    )
    assert [state for _, state in services.feature(AnnotationServices).desk.entries()] == [
        "current",
        "changed",
    ]
    stale = services.feature(AnnotationServices).desk.entries()[1][0]
    editor.post(f"/annotations/{stale.number}/remove", version=str(stale.version))
    assert [state for _, state in services.feature(AnnotationServices).desk.entries()] == ["current"]


def test_what_was_set_is_removed_and_found_automatically_again(editor: Console, services: Services) -> None:
    ref = article(services)
    before = area(editor, path(ref))
    cut(editor, ref)
    annotation = services.feature(AnnotationServices).desk.unit(ref).annotation
    assert annotation is not None
    editor.post(f"/annotations/{annotation.number}/remove", version="1")
    index_all(services)
    assert area(editor, path(ref)) == before
    assert services.audit_log.entries()[0].action == "annotation.remove"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"text": "Another text."}, 400),
        ({"references": "art_3"}, 400),
        ({"references": f"{FERRIES}/art_1 {FERRIES}/art_1"}, 400),
        ({"references": " ".join(f"{FERRIES}/art_{n}" for n in range(99))}, 400),
        ({"version": "3"}, 404),
        ({"text": "x" * 2_000_000}, 413),
    ],
)
def test_what_cannot_be_kept_is_said_and_changes_nothing(
    editor: Console, services: Services, fields: dict[str, str], status: int
) -> None:
    assert cut(editor, article(services), **fields) == status
    assert services.feature(AnnotationServices).desk.entries() == []


def test_of_two_people_the_second_is_told_of_the_first(editor: Console, services: Services) -> None:
    ref = article(services)
    assert (cut(editor, ref), cut(editor, ref)) == (303, 409)


def test_an_editor_of_another_source_finds_nothing(editor: Console, services: Services) -> None:
    ref = article(services)
    cut(editor, ref)
    other = Console(services).log_in("lee", "town")
    assert FERRIES not in shown(other, LIST)
    assert soup(other.get(f"/annotations?q={FERRIES}")).select("main li a") == []
    assert other.get(path(ref)).status_code == 404
    assert other.post(path(ref), cut="on", text="x").status_code == 404
    number = services.feature(AnnotationServices).desk.entries()[0][0].number
    assert other.post(f"/annotations/{number}/remove", version="1").status_code == 404


def test_texts_of_law_that_are_code_are_shown_as_text(editor: Console, services: Services) -> None:
    ref = article(services)
    import_law(services, with_text(library(), ref, "\n\n".join(XSS)))
    for each in (path(ref), f"/annotations?q={XSS[0][:9]}"):
        found = soup(editor.get(each))
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
        assert found.select("main :is(img, svg, math, iframe, [onload], [ontoggle])") == []


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_page_is_whole_in_both_languages(editor: Console, language: str) -> None:
    found = soup(editor.get(f"/annotations?lang={language}"))
    assert found.html is not None and found.html["lang"] == language
    assert len(found.select("h1")) == 1
    assert found.select("[style], [onclick], [onload]") == []


def test_the_log_says_in_german_that_a_text_was_annotated(editor: Console, services: Services) -> None:
    services.audit_log.record("mia", "annotation.save", "x")
    assert "Abschnitte oder Verweise von Hand festgelegt" in shown(
        Console(services).log_in(), "/changes?lang=de"
    )


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_a_number_that_no_annotation_has_is_no_fault(editor: Console, number: str) -> None:
    replies = [editor.get(path.format(number)) for path in ("/annotations?below={}", "/annotations?from={}")]
    replies += [editor.post(f"/annotations/{number}/remove", version=number)]
    api = (("GET", f"?below={number}"), ("DELETE", f"/{number}?version={number}"))
    replies += [
        editor.client.open(f"/api/admin/annotations{address}", method=method, headers=OURS)
        for method, address in api
    ]
    assert all(reply.status_code < 500 for reply in replies), [reply.status_code for reply in replies]
