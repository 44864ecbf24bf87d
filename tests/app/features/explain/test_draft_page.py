"""The page that asks a draft visitors' questions."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, inspect, select, table
from werkzeug.test import TestResponse

from app.console.unsent import labels
from app.features.questions.services import QuestionServices
from app.pages.database import reading
from app.services import Services
from app.settings.sites import SiteSettings
from app.settings.sources import SourceSettings
from tests.app.console.conftest import PASSWORD, Console
from tests.app.console.test_german import english
from tests.app.console.test_messages import ENGLISH, said
from tests.app.console.test_unsent import TYPED, form_of, send_late, submit
from tests.app.features.explain.test_draft_api import DOG_TAX, SAUNA, TEXT, asked
from tests.app.site import XSS, raw_page
from tests.app.web.browser import soup
from tests.fakes.web_server import web_server

PLACE = "town|town"


def ask(console: Console, **fields: Any) -> TestResponse:
    return console.post("/draft?lang=en", **({"place": PLACE, "language": "en"} | fields))


def text(answer: TestResponse) -> str:
    return soup(answer).get_text(" ", strip=True)


def rows(services: Services) -> dict[str, int]:
    """The number of rows of each table of the database."""
    with reading(services.engine) as connection:
        names = inspect(connection).get_table_names()
        counts = {name: select(func.count()).select_from(table(name)) for name in names}
        return {name: connection.scalar(count) or 0 for name, count in counts.items()}


def test_a_draft_answers_what_no_page_answers_and_stays_behind_what_one_does(
    editor: Console, services: Services
) -> None:
    asked(services, SAUNA, "no_answer")
    asked(services, DOG_TAX, "answered")
    before = rows(services)
    answer = ask(editor, text=TEXT, title="Sauna")
    assert answer.status_code == 200
    shown = text(answer)
    assert "It answers 1 of 1 questions that no page answers" in shown
    assert "It would come first for 0 of 1 questions that a page answers" in shown
    assert "from ten to eight" in shown
    winners = [link.get_text() for link in soup(answer).select("td a")]
    assert winners == ["Dog tax"]
    assert rows(services) == before


def test_html_is_read_as_pages_are_and_kept_in_the_form(editor: Console, services: Services) -> None:
    asked(services, SAUNA, "no_answer")
    html = "<main><h1>Sauna</h1><p>The sauna is open on Sunday.</p></main>"
    answer = ask(editor, text=html, format="html")
    assert "It answers 1 of 1" in text(answer)
    area = soup(answer).select_one("textarea")
    assert area is not None and area.get_text().strip() == html


def test_a_better_draft_comes_before_the_page_of_today(editor: Console, services: Services) -> None:
    asked(services, DOG_TAX, "answered")
    better = ask(editor, text="How much is the dog tax for the first dog? 96 euros.", title=DOG_TAX)
    assert "It would come first for 1 of 1" in text(better)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"text": " \n "}, 400),
        ({"text": "a\0b"}, 400),
        ({"text": "a", "url": "https://town.example/a"}, 400),
        ({"url": "https://other.example/a"}, 400),
        ({"url": "x" * 99_999}, 400),
        ({"text": "a", "place": "law|law"}, 404),
        ({"text": "a", "place": "nothing"}, 404),
        ({"text": "x" * 2_000_000}, 413),
    ],
)
def test_a_draft_that_cannot_be_asked_is_refused_with_a_reason(
    editor: Console, fields: dict[str, str], status: int
) -> None:
    answer = ask(editor, **fields)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_an_editor_is_offered_their_own_sources_and_no_question_of_others(
    editor: Console, services: Services
) -> None:
    asked(services, "When is the sauna of the court open?", "no_answer", site="law")
    offered = [str(each["value"]) for each in soup(editor.get("/draft")).select("#place option")]
    assert offered == [PLACE]
    assert "court" not in text(ask(editor, text=TEXT))


def test_a_draft_and_questions_that_are_code_are_shown_as_text(editor: Console, services: Services) -> None:
    first, *others = XSS
    ask_about(services, first)
    for code in XSS:
        assert_draft_is_text(editor, title=code, text=f"{TEXT}\n\n{code}")
    for code in others:
        ask_about(services, code)
    assert_draft_is_text(editor, title=first, text="\n\n".join((TEXT, *XSS)))


def ask_about(services: Services, code: str) -> None:
    asked(services, f"When is the sauna open? {code}", "no_answer")
    asked(services, f"Which quarantine? {code}", "answered")


def assert_draft_is_text(editor: Console, title: str, text: str) -> None:
    found = soup(ask(editor, text=text, title=title, url=""))
    assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
    assert found.select("img[src=x], svg, math, details[ontoggle], iframe, [onload]") == []


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (404, "text/html", b""),
        (401, "text/html", b""),
        (500, "text/html", b""),
        (302, "text/html", b""),
        (200, "image/png", b"\x89PNG"),
        (200, "", b""),
        (200, "text/plain", b"\xff\xfeabc"),
        (200, "text/plain", b"Gr\xfc\xdfe"),
        (200, "text/plain", b"%PDF-1.7\0"),
        (200, "text/html", b"<html></html>"),
        (200, "text/html", b"<meta charset=nothing>\xfc"),
    ],
)
def test_what_is_wrong_with_a_preview_is_said_in_german(
    services: Services, status: int, kind: str, body: bytes
) -> None:
    with web_server(status, body, {"Content-Type": kind, "Location": "/"}) as url:
        site = SiteSettings(key="town", sources=["town"], origins=[url])
        changes = {"sites": [site], "fetch_allow": ["127.0.0.1"]}
        with Services(services.settings.model_copy(update=changes)) as allowed:
            console = Console(allowed).log_in()
            console.get("/?lang=de")
            answer = console.post("/draft", place="town|town", url=f"{url}/preview")
    assert answer.status_code in (422, 503)
    assert english(answer) == []


def test_what_is_wrong_with_a_draft_is_said_in_german(german: Console) -> None:
    sent = [
        {"text": ""},
        {"text": "a\0b"},
        {"text": "a", "url": "https://a.example"},
        {"url": "https://a.example"},
    ]
    for fields in sent:
        message = said(german.post("/draft", place="town|town", **fields))
        assert not ENGLISH.search(message), message


def test_a_long_draft_comes_back_after_the_log_in(admin: Console) -> None:
    long = "Öffnungszeiten & Preise\n" * 20_000
    late = send_late(admin, "/draft", text=long, title="Bad")
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    sent = form_of(back).select_one("input[name=text]")
    assert sent is not None and str(sent["value"]) == long


def test_everything_that_people_type_has_a_label(editor: Console) -> None:
    form = form_of(editor.get("/draft"))
    typed = {str(field["name"]) for field in form.select(TYPED)}
    assert "url" in typed
    assert typed <= labels(editor.services.features).keys()


def test_a_draft_without_a_text_is_refused_in_german(editor: Console) -> None:
    editor.get("/?lang=de")
    assert "Fügen Sie einen Text ein" in soup(editor.post("/draft")).get_text()


@pytest.fixture
def gap(services: Services) -> str:
    """The id of a group of one question that no page answers."""
    asked(services, SAUNA, "no_answer")
    questions = services.feature(QuestionServices)
    [record] = questions.questions.newest().questions
    questions.groups.keep({record.id: (1, 0)}, 0)
    return record.id


def test_a_gap_begins_a_draft_of_what_such_a_page_needs(editor: Console, gap: str) -> None:
    listed = soup(editor.get("/questions/groups?lang=en"))
    [begin] = [str(link["href"]) for link in listed.select("main a.button") if "draft" in str(link["href"])]
    form = form_of(editor.get(begin.removeprefix("/admin") + "&lang=en"))
    values = {str(each["name"]): str(each["value"]) for each in form.select("input[value]")}
    assert (values["gap"], values["title"]) == (gap, "Sauna Sunday")
    area = form.select_one("textarea")
    assert area is not None
    written = area.get_text().strip()
    assert written.startswith("[to be added]\n\n## Where and when\n\n[to be added]")
    filled = written.replace("[to be added]", TEXT, 1)
    asked_back = soup(ask(editor, text=filled, title="Sauna", gap=gap))
    assert asked_back.select(f".trail a[href*='{gap}']")
    told = asked_back.select_one("div[role=status]")
    assert told is not None and told.select(f"a[href*='{gap}']")
    assert "it answers 1 of 1" in told.get_text() and "checked in the text: 6" in told.get_text()


def test_what_is_still_to_be_written_answers_nothing(editor: Console, gap: str) -> None:
    blank = "[to be added]\n\n## The sauna on Sunday\n\n[to be added]\n"
    assert ask(editor, text="[to be added]", title="Sauna", gap=gap).status_code == 400
    refused = ask(editor, text=blank, title="Sauna", gap=gap)
    assert refused.status_code == 400 and "fill in the marked places" in text(refused)
    other = ask(editor, text=f"{blank}\n## Pets\n\nDogs stay outside.", title="Sauna on Sunday", gap=gap)
    assert "to be added" not in " ".join(cell.get_text() for cell in soup(other).select("td"))


def test_a_draft_that_has_the_contact_alone_answers_nothing(
    editor: Console, services: Services, gap: str
) -> None:
    services.settings.contact = "Town hall, 069 90009-100"
    begun = form_of(editor.get(f"/draft?gap={gap}&lang=en")).select_one("textarea")
    assert begun is not None and services.settings.contact in begun.get_text()
    refused = ask(editor, text=begun.get_text(), title="Sauna Sunday", gap=gap)
    assert refused.status_code == 400 and "fill in the marked places" in text(refused)


def test_a_draft_for_a_gap_of_another_site_is_not_there(services: Services, gap: str) -> None:
    other = Console(services).log_in("lee", "law")
    assert other.get(f"/draft?gap={gap}").status_code == 404
    assert other.get("/draft?gap=unknown").status_code == 404


def test_a_draft_that_contradicts_a_page_names_both_texts(editor: Console, services: Services) -> None:
    services.settings.sources["town"] = SourceSettings(edit_url="https://cms.example/edit/{id}")
    written = "The dog tax is 120 euros a year for the first dog."
    contradicts = "section[aria-labelledby=contradicts]"
    found = soup(ask(editor, text=written, title="Dog tax")).select_one(contradicts)
    assert found is not None
    shown = found.get_text(" ", strip=True)
    assert written in shown and "96 euros" in shown
    assert len(found.select(".pair")) == 1
    assert found.select("a[href='https://cms.example/edit/dog-tax']")
    same = soup(ask(editor, text=written.replace("120", "96"), title="Dog tax"))
    [none] = same.select(contradicts)
    assert "contradicts no page" in none.get_text() and not none.select(".pair")


def test_a_draft_tells_nothing_of_pages_that_its_editor_may_not_see(services: Services) -> None:
    both = SiteSettings(key="both", sources=["town", "council"])
    sites = [*services.settings.sites, both]
    fee = raw_page("fee", "Berths", "A berth in the harbour costs 240 euros a year.")
    services.store.accept([replace(fee, page=replace(fee.page, ref=replace(fee.page.ref, source="council")))])
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    draft = {"text": "A berth in the harbour costs 250 euros a year.", "title": "Berths"}
    with Services(services.settings.model_copy(update={"sites": sites})) as joined:
        seen = {
            name: "240 euros" in text(ask(Console(joined).log_in(name, *sources), **draft))
            for name, sources in (("ada", ()), ("ed", ("town",)))
        }
    assert seen == {"ada": True, "ed": False}
