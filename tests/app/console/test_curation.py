"""What editors decide about answers, by the pages of the console."""

from typing import Any

import pytest

from app.services import Services
from tests.app.console.conftest import Console
from tests.app.site import XSS
from tests.app.web.browser import soup

ASKED = "How much is the dog tax?"
ANSWER = {
    "kind": "answer",
    "site": "town",
    "phrasings": ASKED,
    "text": "It is **free** this year.",
    "save": "",
}


def chat(console: Console, question: str = ASKED) -> str:
    return console.client.post("/api/chat?site=town", json={"question": question}).get_data(as_text=True)


def text(console: Console, path: str) -> str:
    answer = console.get(path)
    assert answer.status_code == 200
    return soup(answer).get_text(" ", strip=True)


def numbers(services: Services) -> list[int]:
    return [entry.number for entry in services.curation.store.entries()]


def test_a_fixed_answer_counts_at_once_and_is_changed_and_removed(
    editor: Console, services: Services
) -> None:
    assert editor.post("/answers/new", **ANSWER).location == "/admin/answers?site=town&done=saved"
    assert "<strong>free</strong>" in chat(editor)
    [number] = numbers(services)
    form = soup(editor.get(f"/answers/{number}"))
    version = form.select_one("input[name=version]")
    assert version is not None
    changed = ANSWER | {"text": "It is gone.", "version": version["value"]}
    assert editor.post(f"/answers/{number}", **changed).status_code == 303
    assert "It is gone." in chat(editor)
    late = editor.post(f"/answers/{number}", **changed)
    assert late.status_code == 409 and "ed" in soup(late).get_text()
    assert editor.post(f"/answers/{number}/remove", version=2).status_code == 303
    assert "96 euros" in chat(editor)
    actors = {entry.actor for entry in services.audit_log.entries()}
    assert "ed" in actors


def test_a_page_is_pinned_by_its_address_or_its_id(editor: Console, services: Services) -> None:
    for page in ("https://town.example/pool", "https://town.example/pool#tickets", "town/pool"):
        fields = {"kind": "pin", "site": "town", "phrasings": f"{ASKED} {page}", "page": page, "save": ""}
        assert editor.post("/answers/new", **fields).status_code == 303, page
    pages = [entry.content.page for entry in services.curation.store.entries()]
    assert {(page.source, page.id) for page in pages if page} == {("town", "pool")}
    services.store.exclude("town", "pool")
    assert "its page is gone" in text(editor, "/answers?lang=en")


def test_what_an_entry_would_catch_is_shown_before_it_is_saved(editor: Console, services: Services) -> None:
    chat(editor)
    seen = editor.post("/answers/new", **{**ANSWER, "preview": ""} | {"phrasings": ASKED})
    shown = soup(seen).select_one("section.notice")
    assert seen.status_code == 200
    assert shown is not None and ASKED in shown.get_text()
    assert numbers(services) == []


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (ANSWER | {"phrasings": " "}, 400),
        (ANSWER | {"text": ""}, 400),
        (ANSWER | {"text": "x" * 60_000}, 400),
        (ANSWER | {"until": "2001-01-01"}, 400),
        (ANSWER | {"until": "tomorrow"}, 400),
        (ANSWER | {"language": "klingon"}, 400),
        (ANSWER | {"site": "law"}, 404),
        (ANSWER | {"site": "nobody"}, 404),
        ({"kind": "pin", "site": "town", "phrasings": ASKED, "page": "town/nothing", "save": ""}, 400),
        ({"kind": "pin", "site": "town", "phrasings": ASKED, "page": "law/1", "save": ""}, 400),
        ({"kind": "synonyms", "site": "town", "words": "one", "save": ""}, 400),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_stored(
    editor: Console, services: Services, fields: dict[str, Any], status: int
) -> None:
    answer = editor.post("/answers/new?lang=en", **fields)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert numbers(services) == []


def test_what_was_typed_stays_in_the_form_when_it_is_refused(editor: Console) -> None:
    refused = soup(editor.post("/answers/new", **ANSWER | {"until": "2001-01-01"}))
    phrasings = refused.select_one("#phrasings")
    assert phrasings is not None and phrasings.get_text() == ASKED


def test_an_editor_of_another_source_finds_no_entry(services: Services, editor: Console) -> None:
    editor.post("/answers/new", **ANSWER)
    [number] = numbers(services)
    other = Console(services).log_in("lee", "law")
    assert other.get(f"/answers/{number}").status_code == 404
    assert other.post(f"/answers/{number}", **ANSWER, version=1).status_code == 404
    assert other.post(f"/answers/{number}/remove", version=1).status_code == 404
    assert other.get("/answers?site=town").status_code == 404
    assert ASKED not in other.get("/answers").text
    assert other.post("/answers/new", **ANSWER).status_code == 404


def test_an_entry_that_is_code_is_shown_as_text(editor: Console, services: Services) -> None:
    for code in XSS:
        fields = ANSWER | {"phrasings": f"What about {code} here", "text": f"Say {code}", "owner": "<b>"}
        assert editor.post("/answers/new", **fields).status_code == 303, code
    for path in ("/answers", *(f"/answers/{number}" for number in numbers(services))):
        page = soup(editor.get(path))
        assert page.select("img[src=x], svg, math, iframe, body[onload], details[ontoggle]") == []
        assert [script["src"] for script in page.select("script")] == ["/admin/static/console.js"]
