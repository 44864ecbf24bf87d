"""The pages in the console: found, looked at, indexed again, taken out and brought back."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.pages.types import Delivery
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sources import SourceSettings
from ingest.converters.process import ConverterProcess
from tests.app.console.conftest import Console
from tests.app.field_site import FIELDS
from tests.app.site import PAGES, XSS, raw_page
from tests.app.web.browser import soup


def titles(console: Console, query: str = "") -> list[str]:
    answer = console.get(f"/pages{query}")
    assert answer.status_code == 200
    return [link.get_text() for link in soup(answer).select("tbody th a")]


def text(console: Console, path: str) -> str:
    answer = console.get(path)
    assert answer.status_code == 200, path
    return soup(answer).get_text(" ", strip=True)


def test_pages_are_found_by_title_address_and_state(admin: Console) -> None:
    assert titles(admin, "?q=dog") == ["Dog tax"]
    assert titles(admin, "?q=town.example/pool") == ["Outdoor pool"]
    assert titles(admin, "?q=nothing") == []
    assert len(titles(admin, "?state=indexed&source=town")) == len(PAGES)
    assert titles(admin, "?state=failed") == []


def test_a_page_shows_its_state_and_the_chunks_of_what_was_read(admin: Console) -> None:
    page = soup(admin.get("/pages/town/en/dog-tax?lang=en"))
    chunks = [each.get_text() for each in page.select(".chunk pre")]
    assert "".join(chunks).startswith("The dog tax is 96 euros")
    assert "in answers" in page.get_text()


def test_a_long_text_is_read_part_by_part(admin: Console, services: Services) -> None:
    lines = [f"Zeile {number}: Öffnungszeiten der Übergänge." for number in range(2_000)]
    services.store.accept([raw_page("long", "Long", "\n\n".join(lines))])
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    path, parts = "/pages/town/en/long?lang=en", []
    while True:
        answer = admin.get(path)
        found = soup(answer)
        assert len(answer.data) < 60_000
        parts += [each.get_text().removeprefix("\n") for each in found.select(".chunks pre")]
        following = [link for link in found.select("main a") if link.get_text() == "Next part"]
        if not following:
            break
        path = str(following[0]["href"]).removeprefix("/admin")
    text = "".join(parts)
    assert [line for line in lines if line not in text] == []
    assert "\ufffd" not in text
    assert soup(admin.get("/pages/town/en/long?from=-9")).select(".chunks pre")
    assert admin.get("/pages/town/en/long?from=99999999999").status_code == 200


def test_a_page_lists_its_versions_as_far_as_they_are_known(admin: Console, services: Services) -> None:
    def versions() -> list[str]:
        rows = soup(admin.get("/pages/town/en/pool?lang=en")).select("tbody tr")
        return [row.get_text(" ", strip=True) for row in rows]

    [imported] = versions()
    assert "newest" in imported and "in use" in imported and "kB stored" in imported
    assert "no later than" in imported and "import, fetch or an older message" in imported
    for number in range(2):
        delivery = Delivery(source="town", id=f"message-{number}", digest=f"{number:064}")
        save = raw_page("pool", "Pool", f"The pool opens at {number}.")
        services.deliveries.accept(delivery, [save, raw_page("bath", "Bath", "Warm.")])
    newest, before, served = versions()
    assert "message-1" in newest and "24 characters received" in newest and "newest" in newest
    assert "message-0" in before and "24 characters received" in before
    assert "in use" in served and "not known" in served and "not kept" in served
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    newest, before = versions()
    assert "in use" in newest and "in use" not in before
    assert "no later than" not in newest + before


def test_a_page_is_taken_out_and_brought_back(editor: Console, services: Services) -> None:
    out = editor.post("/pages/town/en/dog-tax/take-out")
    assert out.location == "/admin/pages/town/en/dog-tax?done=take_out"
    ask = editor.client.post("/api/chat?site=town", json={"question": "How much is the dog tax?"})
    assert "96 euros" not in ask.get_data(as_text=True)
    shown = text(editor, "/pages/town/en/dog-tax?lang=de")
    assert "aus Antworten genommen https" in shown and "ältere Version" not in shown
    editor.post("/pages/town/en/dog-tax/bring-back")
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    ask = editor.client.post("/api/chat?site=town", json={"question": "How much is the dog tax?"})
    assert "96 euros" in ask.get_data(as_text=True)
    assert "ed" in text(editor, "/pages/town/en/dog-tax?lang=en")


def test_a_page_is_indexed_again_and_not_said_to_have_come_anew(editor: Console, services: Services) -> None:
    facts = soup(editor.get("/pages/town/en/pool")).select_one("dl.facts")
    assert editor.post("/pages/town/en/pool/reindex").status_code == 303
    assert services.store.pending() == 1
    assert soup(editor.get("/pages/town/en/pool")).select_one("dl.facts") == facts


def test_failed_pages_are_on_the_overview_and_tried_again_from_the_list(
    admin: Console, services: Services
) -> None:
    def fail(*names: str) -> None:
        services.store.accept([raw_page(name, "", "") for name in names])
        while services.store.pending():
            services.indexing.indexer.sync_pages()

    fail("blank")
    assert "One page could not be indexed." in text(admin, "/?lang=en")
    fail("bare")
    notice = soup(admin.get("/?lang=en")).select_one(".notice a")
    assert notice is not None and "2 pages could not" in text(admin, "/?lang=en")
    listed = str(notice["href"]).removeprefix("/admin")
    assert "The page has no text." in text(admin, listed)
    stranger = Console(services).log_in("lee", "law")
    assert "could not be indexed" not in text(stranger, "/?lang=en")
    stranger.post("/pages/retry")
    assert services.store.pending() == 0
    assert admin.post("/pages/retry", q="bare").location == "/admin/pages?state=failed&done=retry"
    assert services.store.pending() == 1
    assert "The page has no text." in text(admin, listed) and "bare" not in text(admin, listed)
    assert admin.post("/pages/retry", after="nonsense").status_code == 400


def test_an_editor_of_another_source_finds_no_page(services: Services) -> None:
    other = Console(services).log_in("lee", "law")
    assert titles(other) == titles(other, "?source=town") == []
    assert other.get("/pages/town/en/dog-tax").status_code == 404
    for action in ("reindex", "take-out", "bring-back"):
        assert other.post(f"/pages/town/en/dog-tax/{action}").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/pages/town/en/nothing", 404),
        ("/pages/town/english/dog-tax", 404),
        ("/pages?after=nonsense", 400),
    ],
)
def test_what_is_not_there_is_said(admin: Console, path: str, status: int) -> None:
    assert admin.get(path).status_code == status


def test_pages_that_are_code_are_shown_as_text(admin: Console) -> None:
    for path in ("/pages?q=quarantine", *(f"/pages/town/en/evil-{number}" for number in range(len(XSS)))):
        found = soup(admin.get(path))
        assert found.select("img, svg, math, iframe, details[ontoggle]") == found.select("header img")
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
        links = [str(link["href"]) for link in found.select("a[href]")]
        assert [link for link in links if link.startswith("javascript:")] == []


def test_a_page_shows_the_values_of_declared_fields_and_what_counts_for_none(
    field_services: Services,
) -> None:
    console = Console(field_services).log_in("fields")
    shown = soup(console.get("/pages/town/en/permit?lang=de"))
    facts = {
        term.get_text(): detail.get_text(" ", strip=True)
        for term, detail in zip(shown.select(".facts dt"), shown.select(".facts dd"), strict=True)
    }
    assert facts["Amt"] == "Building"
    assert facts["year"] == "unknown keine Zahl, zählt nicht"
    assert facts["day"] == "2026-01-31"
    both = text(console, "/pages/town/en/building?lang=en")
    assert "Office Building, Registry year 2025 day empty" in both


@pytest.mark.parametrize(
    ("office", "shown", "left_out"),
    [
        (f"Registry; {'long ' * 60}; Building; {'x' * 257}", "Office Registry, Building long long", 2),
        (f'["{"long " * 60}"]', "Office long long", 1),
        (f'["Registry", "{"x" * 257}", "\\ud800"]', "Office Registry xxx", 2),
        (" ; ", "Office empty", 0),
        ("[]", "Office empty", 0),
        ('[""]', "Office empty", 0),
    ],
)
def test_a_page_shows_each_keyword_that_is_left_out_and_an_empty_list_as_none(
    tmp_path: Path, converter: ConverterProcess, office: str, shown: str, left_out: int
) -> None:
    save = raw_page("form", "Form", "The form is due in May.")
    with Services(load_settings(data=tmp_path, embedder="hashing", fields=FIELDS)) as services:
        services.indexing.converter = converter
        services.store.accept([replace(save, page=replace(save.page, metadata={"office": office}))])
        services.indexing.indexer.sync_pages()
        page = text(Console(services).log_in("keywords"), "/pages/town/en/form?lang=en")
    assert shown in page
    assert page.count("too long, left out") == left_out


def test_a_page_is_edited_in_the_cms_where_the_settings_say_how(admin: Console, services: Services) -> None:
    path = "/pages/town/en/dog-tax?lang=en"
    assert "Edit in the CMS" not in text(admin, path)
    services.settings.sources["town"] = SourceSettings(edit_url="https://cms.example/edit/{id}")
    [link] = [each for each in soup(admin.get(path)).select("main a") if each.get_text() == "Edit in the CMS"]
    assert link["href"] == "https://cms.example/edit/dog-tax"
