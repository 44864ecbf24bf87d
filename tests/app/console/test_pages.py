"""The pages of the console: what admins and editors see and change."""

from datetime import timedelta
from typing import get_args

import pytest
from bs4 import BeautifulSoup

from app.accounts.types import Role, User
from app.chat.events import Status
from app.chat.outcomes import Outcome
from app.console.texts import TEXTS
from app.errors import IndexUnavailableError
from app.pages.database import utc_now
from app.pages.rebuilds import RebuildState
from app.pages.types import JobStatus, PageState
from app.search.index import current_generation
from app.search.retrieval import Certainty
from app.search.types import GenerationState
from app.services import Services
from app.settings.chat import ChatSettings
from tests.app.console.conftest import OURS, TOKEN, Console
from tests.app.site import XSS, raw_page
from tests.app.web.browser import soup

PAGES = (
    "/",
    "/sources",
    "/sources/town",
    "/sites",
    "/sites/town",
    "/index",
    "/users",
    "/users/ada",
)
ADMIN_PAGES = ("/index", "/users", "/users/ada", "/settings", "/changes")


def page(console: Console, path: str) -> BeautifulSoup:
    answer = console.get(path)
    assert answer.status_code == 200, path
    return soup(answer)


def text(console: Console, path: str) -> str:
    return page(console, path).get_text(" ", strip=True)


def test_both_languages_have_the_same_texts_with_the_same_places() -> None:
    assert TEXTS["de"].keys() == TEXTS["en"].keys()
    for name, english in TEXTS["en"].items():
        assert english.count("{") == TEXTS["de"][name].count("{"), name


@pytest.mark.parametrize(
    ("prefix", "values"),
    [
        ("certainty", Certainty),
        ("generation", GenerationState),
        ("job", JobStatus),
        ("outcome", Outcome),
        ("rebuild", RebuildState),
        ("role", Role),
        ("state", PageState),
        ("status", Status),
    ],
)
def test_every_state_that_a_page_shows_has_a_text(prefix: str, values: object) -> None:
    assert not [value for value in get_args(values) if f"{prefix}_{value}" not in TEXTS["en"]]


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_page_is_whole_in_both_languages_and_lets_nothing_run(admin: Console, language: str) -> None:
    for path in (*PAGES, *ADMIN_PAGES):
        answer = admin.get(f"{path}?lang={language}")
        found = soup(answer)
        assert found.html is not None and found.html["lang"] == language
        assert len(found.select("h1")) == 1
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
        assert found.select("[style], [onclick], [onload]") == []
        assert len(answer.data) < 60_000


def test_the_answer_to_a_form_can_be_read_in_the_other_language(admin: Console) -> None:
    shown = soup(admin.post("/draft?lang=de", site="town", title="Entwurf", text="Ein Text über Boote."))
    form = shown.select_one(".languages form")
    assert form is not None
    fields = {str(field["name"]): str(field["value"]) for field in form.select("input")}
    other = soup(admin.client.post(str(form["action"]), data=fields, headers=OURS))
    assert other.html is not None and other.html["lang"] == "en"
    typed = other.select_one("#text")
    assert typed is not None and typed.get_text(strip=True) == "Ein Text über Boote."


def test_no_log_in_and_nothing_that_was_refused_is_sent_again_in_another_language(
    console: Console, admin: Console
) -> None:
    failed = console.post("/login?lang=de", name="ada", password="a wrong one")
    elsewhere = {"Origin": "https://evil.example"}
    foreign = admin.client.post("/admin/users", data={"name": "eve"}, headers=elsewhere)
    assert [soup(answer).select(".languages form") for answer in (failed, foreign)] == [[], []]
    assert foreign.status_code == 403


def test_a_form_that_was_acted_upon_is_not_sent_again_in_another_language(admin: Console) -> None:
    added = admin.post("/users?lang=de", name="eve", role="editor")
    renewed = admin.post("/users/eve/link?lang=de")
    assert [soup(answer).select(".languages form") for answer in (added, renewed)] == [[], []]
    assert all("/welcome" in answer.text for answer in (added, renewed))


def test_a_language_is_remembered(admin: Console) -> None:
    admin.get("/?lang=de")
    assert "Übersicht" in text(admin, "/")


def test_an_editor_has_no_page_of_admins_and_none_of_other_sources(editor: Console) -> None:
    for path in ADMIN_PAGES:
        assert editor.get(path).status_code == 403, path
    for path in ("/sources/law", "/sites/law", "/sources/nothing"):
        assert editor.get(path).status_code == 404, path
    sites = [link.get_text() for link in page(editor, "/sites?lang=en").select("main tbody a")]
    assert sites == ["Town"]
    assert [link.get_text() for link in page(editor, "/sources?lang=en").select("main tbody a")] == ["town"]
    assert "Users" not in text(editor, "/?lang=en")


def test_an_editor_whose_pages_no_chat_answers_from_alone_is_told_why_there_is_nothing(
    services: Services,
) -> None:
    services.settings.sites = []
    editor = Console(services).log_in("ed", "town")
    for path in ("/", "/sites", "/answers", "/questions"):
        assert "sites that search nothing but your sources" in text(editor, f"{path}?lang=en"), path
    assert "nothing but your sources" not in text(Console(services).log_in("mia"), "/?lang=en")


def test_the_overview_says_that_all_is_well_and_how_many_pages_there_are(services: Services) -> None:
    services.settings.sites = services.settings.sites[:1]
    admin = Console(services).log_in("ada")
    overview = text(admin, "/?lang=en")
    assert "Everything works." in overview
    assert "16 in answers" in overview
    assert "First steps" in overview and "Try a question" in overview


def test_a_site_that_can_answer_nothing_is_on_the_overview_and_among_the_websites(admin: Console) -> None:
    overview = text(admin, "/?lang=en")
    assert "Visitors of a website get no answers." in overview
    assert 'site "law" searches source "law", which has no pages; sources with pages: town' in overview
    told = [found.get_text() for found in page(admin, "/sites?lang=en").select("p.notice")]
    assert told == ["These have no pages, so nothing is found in them: law. Sources with pages: town."]


def test_an_editor_is_told_of_their_own_websites_alone(services: Services) -> None:
    editor = Console(services).log_in("kim", "law")
    assert "town" not in text(editor, "/?lang=en").lower()
    told = [found.get_text() for found in page(editor, "/sites?lang=en").select("p.notice")]
    assert told == ["These have no pages, so nothing is found in them: law. Sources with pages: –."]


def test_the_first_steps_are_for_those_who_can_take_them(editor: Console) -> None:
    assert "First steps" not in text(editor, "/?lang=en")


def test_the_site_without_settings_has_the_same_name_everywhere(services: Services) -> None:
    services.settings.sites = []
    admin = Console(services).log_in("ada")
    for path in ("/sites", "/sites/default"):
        found = page(admin, f"{path}?lang=de").select_one("main")
        assert "Chat über alle Seiten" in str(found), path


def test_a_dead_model_is_on_the_overview_with_what_it_means(services: Services) -> None:
    services.settings.sites = services.settings.sites[:1]
    services.settings.chat = ChatSettings(base_url="http://127.0.0.1:9/v1", model="gone")
    overview = text(Console(services).log_in(), "/?lang=de")
    assert "Um eine Sache muss sich jemand kümmern." in overview
    assert "wörtliche Auszüge" in overview
    assert "ist nicht erreichbar" in overview


def test_the_overview_counts_the_questions_of_the_week(services: Services) -> None:
    admin = Console(services).log_in()
    for question in ("How much is the dog tax?", "What is the airspeed of a swallow?"):
        answer = admin.client.post("/api/chat?site=town", json={"question": question})
        assert answer.get_data() and answer.status_code == 200
    figures = page(admin, "/?lang=en").select_one("dl.figures")
    assert figures is not None
    assert "Questions in the last seven days 2" in figures.get_text(" ", strip=True)
    assert "50 % were answered well." in text(admin, "/?lang=en")
    week = f"since={(utc_now() - timedelta(days=7)).date()}"
    assert all(week in str(link["href"]) for link in figures.select("a[href*=questions]"))


def test_users_are_added_changed_and_removed_and_the_log_tells_of_it(
    admin: Console, services: Services
) -> None:
    answer = soup(admin.post("/users", name="lee", role="editor", sources=["town"]))
    link = answer.select_one("#link")
    assert link is not None and "/admin/welcome?key=" in link.get_text()
    assert services.users.get("lee").sources == frozenset({"town"})
    checked = soup(admin.get("/users/lee")).select("input[checked]")
    assert [each["value"] for each in checked] == ["editor", "town"]
    admin.post("/users/lee", role="admin")
    assert services.users.get("lee").is_admin
    assert soup(admin.post("/users/lee/link")).select_one("#link")
    admin.post("/users/lee/remove")
    assert [account.user.name for account in services.users.all()] == ["ada"]
    actions = [entry.action for entry in services.audit_log.entries()]
    assert actions == ["user.remove", "user.link", "user.change", "user.add"]
    assert {entry.actor for entry in services.audit_log.entries()} == {"ada"}
    assert "user changed lee Role editor admin" in text(admin, "/changes?lang=en")


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("/users", {"name": "a b", "role": "editor"}, 400),
        ("/users", {"name": "ada", "role": "admin"}, 409),
        ("/users", {"name": "lee", "role": "king"}, 400),
        ("/users", {"name": "lee", "role": "editor", "sources": "nothing"}, 400),
        ("/users", {"name": "x" * 999, "role": "editor"}, 400),
        ("/users/ada", {"role": "editor"}, 400),
        ("/users/ada/remove", {}, 400),
        ("/users/nobody", {"role": "editor"}, 404),
        ("/users/nobody/remove", {}, 404),
        ("/users/nobody/link", {}, 404),
        ("/index/rebuild", {"source": "nothing"}, 404),
        ("/index/rebuild/unknown/cancel", {}, 404),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    admin: Console, services: Services, path: str, fields: dict[str, str], status: int
) -> None:
    answer = admin.post(path, **fields)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert [account.user.name for account in services.users.all()] == ["ada"]
    assert services.audit_log.entries() == []


def test_an_earlier_search_index_is_used_again(admin: Console, services: Services) -> None:
    index = services.indexing.index
    before = current_generation(index, services.store.id).number
    services.indexing.rebuilder.build()
    [form] = soup(admin.get("/index")).select("form[action$=rollback]")
    assert form["action"] == f"/admin/index/{before}/rollback"
    assert admin.post(f"/index/{before}/rollback").status_code == 303
    assert current_generation(index, services.store.id).number != before, "a worker does it"
    waiting = soup(admin.get("/index?lang=en"))
    assert f"use search index {before} again" in waiting.get_text(" ", strip=True)
    assert "Catching up on what has changed" in waiting.get_text(" ", strip=True)
    assert waiting.select("form[action$=rollback] button[disabled]")
    troubles = [each.get_text() for each in page(admin, "/?lang=en").select(".troubles h2")]
    assert TEXTS["en"]["check_rebuild"] not in troubles, "nobody has to look at it"
    services.indexing.rebuild_queue.advance()
    assert current_generation(index, services.store.id).number == before
    [done] = services.indexing.rebuild_queue.all()
    assert (done.state, done.written, done.failed) == ("done", index.count(before), 0)
    assert admin.post(f"/index/{before}/rollback").status_code == 400
    assert admin.post("/index/99/rollback").status_code == 404


def test_a_rebuild_is_asked_for_and_given_up(admin: Console, services: Services) -> None:
    assert admin.post("/index/rebuild", source="").status_code == 303
    [rebuild] = services.indexing.rebuild_queue.all()
    again = admin.post("/index/rebuild", source="")
    assert again.status_code == 409
    assert admin.post(f"/index/rebuild/{rebuild.id}/cancel").status_code == 303
    assert services.indexing.rebuild_queue.get(rebuild.id).cancelled


def test_a_source_shows_its_last_messages(admin: Console) -> None:
    source = text(admin, "/sources/town?lang=en")
    assert "No messages yet." in source and "16 in answers" in source


def test_the_settings_show_no_secret_and_where_each_comes_from(
    admin: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUSKUNFT_LOG_LEVEL", "error")
    shown = page(admin, "/settings?lang=en")
    rows = {row.th.get_text(): row.get_text(" ", strip=True) for row in shown.select("tbody tr") if row.th}
    assert TOKEN not in shown.get_text()
    assert rows["log_level"].endswith("variable")
    assert rows["port"].endswith("default")
    assert "chat.model" in rows


def test_names_that_are_code_are_shown_as_text(admin: Console, services: Services) -> None:
    for number, code in enumerate(XSS):
        services.audit_log.record(code[:64], f"a{number}", code, {"text": code}, {"text": code})
    services.store.accept([raw_page("evil-99", XSS[0], XSS[1])])
    for path in PAGES + ADMIN_PAGES:
        found = page(admin, path)
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"], path
        assert found.select("img[src=x], svg, math, base, details[ontoggle], iframe[srcdoc]") == [], path


def test_what_is_not_there_or_not_allowed_is_a_page_in_the_users_language(
    editor: Console, console: Console
) -> None:
    for path in ("/nothing", "/pages/law", "/sites/law"):
        missing = editor.get(f"{path}?lang=de")
        assert missing.status_code == 404, path
        assert "gehört zu Quellen, die nicht Ihre sind" in soup(missing).get_text(), path
        assert soup(missing).select("nav.menu a[href='/admin/pages']"), path
    refused = editor.get("/users?lang=de")
    assert refused.status_code == 403
    assert "Diese Seite ist für die Administration." in soup(refused).get_text()
    assert console.get("/nothing").location == "/admin/login?next=/admin/nothing"


def test_what_cannot_be_undone_is_asked_for_twice(admin: Console, services: Services) -> None:
    services.users.add(User(name="lee", role="editor"))
    [removal] = soup(admin.get("/users/lee?lang=en")).select("details.removal:not([open])")
    assert "This cannot be undone." in removal.get_text()
    assert [form["action"] for form in removal.select("form")] == ["/admin/users/lee/remove"]


def test_a_site_shows_the_line_that_embeds_it(admin: Console) -> None:
    line = page(admin, "/sites/town").select_one("#embed")
    assert line is not None
    assert line.get_text() == '<script src="http://localhost/widget.js" data-site="town" async></script>'


def test_what_is_not_there_is_said(admin: Console) -> None:
    for path in ("/users/nobody", "/sources/nothing", "/sites/nothing"):
        assert admin.get(path).status_code == 404, path


def test_errors_and_wrong_methods_below_admin_are_pages(
    admin: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.get("/?lang=de")
    wrong = [("POST", "/nothing"), ("DELETE", "/users"), ("PUT", "/"), ("POST", "/static/console.js")]
    for method, path in (*wrong, ("GET", "/static/nothing.css")):
        answer = admin.client.open(f"/admin{path}", method=method, headers=OURS)
        assert (answer.status_code, answer.mimetype) == (404, "text/html"), (method, path)
        assert "Nicht gefunden" in soup(answer).get_text(), (method, path)
        assert answer.headers["Cache-Control"] == "no-store", (method, path)
    monkeypatch.setattr("app.console.sites.visible_sites", lambda: 1 / 0)
    broken = admin.get("/sites")
    assert (broken.status_code, broken.mimetype) == (500, "text/html")
    assert "Etwas ist schiefgegangen" in soup(broken).get_text()
    assert "division" not in broken.text


def test_what_does_not_work_now_has_a_title_of_its_own_and_says_when_to_come_back(
    admin: Console, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise IndexUnavailableError("no node of http://search:9200 answers")

    admin.get("/?lang=de")
    monkeypatch.setattr("app.console.sites.visible_sites", fail)
    later = admin.get("/sites")
    assert (later.status_code, later.headers["Retry-After"]) == (503, "30")
    assert [each.get_text() for each in soup(later).select("h1")] == ["Das geht gerade nicht"]
    assert "search:9200" not in later.text
    for _ in range(30):
        flood = console.post("/login", name="ada", password="wrong")
        if flood.status_code == 429:
            break
    assert flood.status_code == 429 and int(flood.headers["Retry-After"]) > 0
    assert "Too many attempts." in soup(flood).get_text()


def test_a_character_that_cannot_be_stored_is_named(admin: Console) -> None:
    answer = soup(admin.post("/users?lang=de", name="a\0b", role="admin")).get_text()
    assert "NUL-Zeichen" in answer and "zu lang" not in answer


def test_the_log_of_changes_says_in_german_what_was_done(admin: Console, services: Services) -> None:
    for action in ("user.add", "rebuild.request"):
        services.audit_log.record("mia", action, "x")
    changes = text(admin, "/changes?lang=de")
    for said in ("Benutzer hinzugefügt", "Neuaufbau angefordert"):
        assert said in changes, said
