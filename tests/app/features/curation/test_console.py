"""What editors decide about answers, by the pages of the console."""

from dataclasses import replace
from typing import Any

import pytest

from app.features.curation.content import KINDS, Content
from app.features.curation.services import CurationServices
from app.features.questions.services import QuestionServices
from app.services import Services
from tests.app.console.conftest import PASSWORD, TOKEN, Console
from tests.app.console.test_numbers import NUMBERS
from tests.app.console.test_unsent import TYPED, form_of, labels_of, send_late, submit
from tests.app.features.explain.test_try_it import TAX, tried
from tests.app.site import XSS, raw_page
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
    return [entry.number for entry in services.feature(CurationServices).store.entries()]


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


def test_a_fixed_answer_is_paused_and_counts_again(editor: Console, services: Services) -> None:
    editor.post("/answers/new", **ANSWER)
    [number] = numbers(services)
    paused = editor.post(f"/answers/{number}", **ANSWER, version=1, paused="on")
    assert paused.location == "/admin/answers?site=town&done=saved_paused"
    assert "96 euros" in chat(editor)
    assert soup(editor.get("/answers")).select(".badge.wait")
    assert soup(editor.get(f"/answers/{number}")).select("input[name=paused][checked]")
    editor.post(f"/answers/{number}", **ANSWER, version=2)
    assert "<strong>free</strong>" in chat(editor)


def test_a_page_is_pinned_by_its_address_or_its_id(editor: Console, services: Services) -> None:
    for page in (
        "https://town.example/pool",
        "https://town.example/pool#tickets",
        "town/pool",
        "outdoor pool",
    ):
        fields = {"kind": "pin", "site": "town", "phrasings": f"{ASKED} {page}", "page": page, "save": ""}
        assert editor.post("/answers/new", **fields).status_code == 303, page
    pages = [entry.content.page for entry in services.feature(CurationServices).store.entries()]
    assert {(page.source, page.id) for page in pages if page} == {("town", "pool")}
    services.store.exclude("town", "pool")
    assert "its page is gone" in text(editor, "/answers?lang=en")


def test_a_pin_keeps_its_page_when_another_has_its_address(editor: Console, services: Services) -> None:
    fields = {"kind": "pin", "site": "town", "phrasings": ASKED, "page": "town/pool", "save": ""}
    editor.post("/answers/new", **fields)
    [number] = numbers(services)
    form = soup(editor.get(f"/answers/{number}")).select_one("input#page")
    assert form is not None and form["value"] == "https://town.example/pool"
    save = raw_page("bath", "Bath", "A bath.")
    services.store.accept([replace(save, page=replace(save.page, url="https://town.example/pool"))])
    form = soup(editor.get(f"/answers/{number}")).select_one("input#page")
    assert form is not None and form["value"] == "town/pool"


def test_pages_are_offered_to_be_pinned_and_words_of_several_name_these(editor: Console) -> None:
    offered = soup(editor.get("/answers/new?kind=pin")).select("datalist option")
    assert ("https://town.example/pool", "Outdoor pool") in {(each["value"], each.text) for each in offered}
    answer = editor.post(
        "/answers/new", kind="pin", site="town", phrasings=ASKED, page="town.example", save=""
    )
    assert answer.status_code == 400
    assert "Outdoor pool (https://town.example/pool)" in soup(answer).get_text()


def test_the_log_of_changes_tells_a_pinned_page_without_braces(admin: Console) -> None:
    pin = {"kind": "pin", "site": "town", "phrasings": ASKED, "page": "outdoor pool"}
    assert admin.post("/answers/new", **pin, save="").status_code == 303
    told = text(admin, "/changes")
    assert "town · pool" in told and "{" not in told


def test_the_log_of_changes_says_in_words_what_was_paused_and_leads_there(
    german: Console, services: Services
) -> None:
    german.post("/answers/new", **ANSWER)
    [number] = numbers(services)
    german.post(f"/answers/{number}", **ANSWER, version=1, paused="on")
    [paused, *_] = soup(german.get("/changes")).select("tbody tr")
    assert "Pausiert ja" in paused.get_text(" ", strip=True)
    assert "version" not in paused.get_text().casefold()
    assert [link["href"] for link in paused.select("a")] == [f"/admin/answers/{number}"]


def test_the_preview_of_a_pin_names_the_page_that_the_words_found(editor: Console) -> None:
    pin = {"kind": "pin", "site": "town", "phrasings": ASKED, "page": "outdoor pool"}
    seen = soup(editor.post("/answers/new", **pin, preview=""))
    field = seen.select_one("input#page")
    assert field is not None and field["value"] == "https://town.example/pool"
    assert [link["href"] for link in seen.select("#preview a")] == ["/admin/pages/town/en/pool"]
    assert "Page: Outdoor pool" in seen.get_text()


def test_the_preview_of_a_paused_entry_says_that_it_counts_for_no_question(editor: Console) -> None:
    paused = soup(editor.post("/answers/new", **{**ANSWER, "preview": ""}, paused="on"))
    assert "applies to no question. Otherwise:" in paused.get_text()
    assert "Otherwise:" not in soup(editor.post("/answers/new", **{**ANSWER, "preview": ""})).get_text()


def test_a_fixed_answer_is_shown_as_the_chat_shows_it(editor: Console) -> None:
    seen = soup(editor.post("/answers/new", **{**ANSWER, "preview": ""})).select_one("div.answer")
    assert seen is not None and "<strong>free</strong>" in str(seen)
    editor.post("/answers/new", **ANSWER)
    listed = soup(editor.get("/answers"))
    assert "It is free this year." in listed.get_text()
    assert listed.select("tbody a[href^='/admin/try?q=How+much']")


def test_an_entry_leads_to_trying_it_out(editor: Console) -> None:
    editor.post("/answers/new", kind="synonyms", site="town", words="hound\ndog", save="")
    assert soup(editor.get("/answers")).select("main a[href='/admin/try?q=hound&site=town']")


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


def test_what_editors_decided_about_the_answer_is_said_with_a_link_to_it(
    editor: Console, services: Services
) -> None:
    entry = services.feature(CurationServices).desk.add(
        "town", "answer", Content(phrasings=[TAX], text="It is free."), "ed", confirmed=True
    )
    notice = tried(editor).select_one("p.notice.done")
    assert notice is not None and "fixed answer of the editors" in notice.get_text()
    assert [link["href"] for link in notice.select("a")] == [f"/admin/answers/{entry.number}"]


def test_a_question_leads_to_a_fixed_answer_to_it(editor: Console, services: Services) -> None:
    chat(editor)
    [asked] = services.feature(QuestionServices).questions.all()
    page = soup(editor.get(f"/questions/{asked.id}"))
    links = [str(link["href"]) for link in page.select('main a[href*="/answers/new"]')]
    for link, kind in zip(links, ("answer", "pin"), strict=True):
        assert link.startswith(f"/admin/answers/new?kind={kind}&site=town&phrasing=How+much")
        form = soup(editor.get(link.removeprefix("/admin"))).select_one("#phrasings")
        assert form is not None and form.get_text() == ASKED


def test_the_log_says_in_german_that_something_was_decided(german: Console, services: Services) -> None:
    services.audit_log.record("mia", "curation.add", "x")
    assert "Eintrag der Redaktion angelegt" in text(german, "/changes")


def test_what_was_typed_is_back_after_the_log_in_and_sent_by_a_click_alone(
    admin: Console, services: Services
) -> None:
    entry = {
        "kind": "answer",
        "site": "town",
        "phrasings": "Wo ist\nder <b>Otter</b>?\n",
        "text": '\nIm "Fluss" &amp; am Markt.',
        "owner": "Käthe",
        "save": "",
    }
    late = send_late(admin, "/answers/new", **entry)
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    assert "der <b>Otter</b>?" in soup(back).get_text()
    assert numbers(services) == []
    assert "Saved." in soup(submit(admin, form_of(back))).get_text()
    [stored] = services.feature(CurationServices).store.entries()
    assert stored.content.phrasings == ["Wo ist", "der <b>Otter</b>?"]
    assert (stored.content.text, stored.changed_by) == (entry["text"].strip(), "ada")


def test_everything_that_people_type_has_a_label(admin: Console) -> None:
    forms = [form_of(admin.get(f"/answers/new?kind={kind}&site=town")) for kind in KINDS]
    typed = {str(field["name"]) for form in forms for field in form.select(TYPED)}
    assert {"phrasings", "words", "page", "until"} <= typed
    assert typed <= labels_of(admin).keys()


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_a_number_that_no_entry_has_is_no_fault(admin: Console, number: str) -> None:
    api, headers = "/api/admin/curation", {"Authorization": f"Bearer {TOKEN}"}
    replies = [admin.get(f"/answers/{number}"), admin.get(f"/answers?below={number}")]
    replies += [admin.client.get(f"{api}{path}{number}", headers=headers) for path in ("/", "?below=")]
    assert {reply.status_code for reply in replies} <= {200, 400, 404, 422}
    changed = [admin.post(f"/answers/{number}{path}", version=number) for path in ("", "/remove")]
    changed.append(admin.client.delete(f"{api}/{number}?version={number}", headers=headers))
    assert {reply.status_code for reply in changed} <= {404, 422}
