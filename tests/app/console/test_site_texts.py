"""Texts of a site, written in the console in the place of the settings'."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from bs4 import Tag

from app.chat.service import VisitorQuestion
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from tests.app.console.conftest import Console
from tests.app.web.browser import soup
from tests.fakes.command import Command

PATH = "/sites/town/texts"
WRITTEN = {
    "site_name": "Otterfurt",
    "subject": "The services of the town of Otterfurt",
    "contact": "Town hall, 0555 4711\r\nhall@town.example",
    "examples": "Is the pool open?\r\n\r\nWas kostet die Hundesteuer?\r\nIs the pool open?\r\n",
}
UNANSWERED = "Is there a Zeppelin to Mars?"


def shown(services: Services, language: str = "en") -> dict[str, Any]:
    """What the chat is told of the site."""
    answer = Console(services).client.get(f"/api/site?site=town&language={language}")
    document: dict[str, Any] = answer.get_json()
    return {name: document[name] for name in ("name", "contact", "examples")}


def answer(services: Services) -> str:
    """What a visitor reads whom no page answers."""
    site = services.chat.sites.find("town", None)
    asked = VisitorQuestion(question=UNANSWERED, conversation=None, sources=frozenset({"town"}))
    return "".join(str(event) for event in services.chat.service.begin(site, asked).events())


def element(page: Any, selector: str) -> Tag:
    found = page.select_one(selector)
    assert isinstance(found, Tag), selector
    return found


def test_what_is_saved_counts_from_the_next_question_on_in_every_process(
    admin: Console, services: Services
) -> None:
    with Services(services.settings) as other:
        assert shown(other)["name"] == "Town"
        assert "0555 4711" not in answer(other)
        saved = admin.post(PATH, version=0, **WRITTEN)
        assert (saved.status_code, saved.location) == (303, f"/admin{PATH}?done=site_texts")
        for process in (services, other):
            assert shown(process) == {
                "name": "Otterfurt",
                "contact": "Town hall, 0555 4711\nhall@town.example",
                "examples": ["Is the pool open?"],
            }
            assert shown(process, "de")["examples"] == ["Was kostet die Hundesteuer?"]
            assert "0555 4711" in answer(process)
            assert process.chat.sites.all()[0].subject == WRITTEN["subject"]
    assert "Otterfurt" in soup(admin.get("/sites")).get_text()


def test_the_preview_is_the_chat_with_what_was_typed_and_stores_nothing(
    admin: Console, services: Services
) -> None:
    page = soup(admin.get(PATH, query_string=WRITTEN | {"preview": "1", "lang": "en", "version": "0"}))
    assert element(page, "#site_name")["value"] == "Otterfurt"
    assert "0555 4711" in element(page, ".answer").get_text()
    frame = str(element(page, "iframe")["src"]).removeprefix("/admin")
    assert element(page, "iframe")["sandbox"] == ["allow-same-origin"], "what its links lead to sends no form"
    framed = admin.get(frame)
    assert "form-action 'none'" in framed.headers["Content-Security-Policy"]
    assert "form-action 'self'" not in framed.headers["Content-Security-Policy"]
    chat = soup(framed)
    assert element(chat, ".brand").get_text(strip=True) == "Otterfurt"
    assert [each["value"] for each in chat.select(".examples button")] == ["Is the pool open?"]
    assert chat.select("script") == []
    german = soup(admin.get(frame.replace("lang=en", "lang=de")))
    assert [each["value"] for each in german.select(".examples button")] == ["Was kostet die Hundesteuer?"]
    assert "Example questions" in soup(admin.get(PATH)).get_text(), "the frame chose the console's language"
    assert shown(services)["name"] == "Town"
    assert services.site_texts.all() == {}


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("site_name", "x" * 101, "Höchstens 100 Zeichen"),
        ("subject", "x" * 201, "Höchstens 200 Zeichen"),
        ("contact", "x" * 501, "Höchstens 500 Zeichen"),
        ("examples", "\n".join(f"Frage {number}?" for number in range(7)), "Höchstens 6 Fragen"),
        ("examples", "Wo?\n" + "x" * 201, "Frage 2: Höchstens 200 Zeichen"),
    ],
)
def test_what_cannot_be_saved_is_said_beside_its_field_and_nothing_is_stored(
    german: Console, services: Services, field: str, text: str, message: str
) -> None:
    refused = german.post(PATH, **(WRITTEN | {field: text}))
    page = soup(refused)
    assert refused.status_code == 400
    [told] = page.select(".problem")
    assert message in told.get_text()
    wrong = element(page, '[aria-invalid="true"]')
    assert (wrong["name"], str(told["id"]) in str(wrong["aria-describedby"])) == (field, True)
    assert (wrong.get("value") or wrong.get_text().removeprefix("\n")) == text
    seen = soup(german.get(PATH, query_string=WRITTEN | {field: text, "preview": "1"}))
    assert (len(seen.select(".problem")), seen.select("iframe")) == (1, [])
    assert services.site_texts.all() == {}


def test_line_breaks_and_characters_that_no_database_stores_do_no_harm(
    admin: Console, services: Services
) -> None:
    admin.post(PATH, site_name="A\r\nB\0 <script>", subject="one\ntwo\u202e", contact="\0", examples="\0\n")
    assert services.site_texts.all()["town"].texts == {
        "name": "A B\ufffd <script>",
        "subject": "one two",
        "contact": "\ufffd",
        "examples": ["\ufffd"],
    }
    assert soup(admin.get("/sites/town")).select("h1 script") == []


def test_the_log_says_who_changed_what_in_the_readers_language(german: Console) -> None:
    german.post(PATH, version=0, **WRITTEN)
    german.post(f"{PATH}/back", version=1)
    rows = soup(german.get("/changes")).select("tbody tr")
    back, changed = (row.get_text(" ", strip=True) for row in rows[:2])
    for text in ("ada", "Texte der Website geändert", "Name", "Town", "Otterfurt", "Thema", "Beispielfragen"):
        assert text in changed
    assert "Texte der Website aus der Einstellungsdatei wiederhergestellt" in back


def test_the_file_counts_again_on_demand_and_always_for_what_was_not_changed(
    admin: Console, services: Services
) -> None:
    admin.post(PATH, version=0, site_name="Otterfurt")
    assert services.site_texts.all()["town"].texts == {"name": "Otterfurt"}
    renamed = SiteSettings(key="town", name="Renamed", contact="0555 1", sources=["town"])
    with Services(services.settings.model_copy(update={"sites": [renamed]})) as later:
        assert shown(later) == {"name": "Otterfurt", "contact": "0555 1", "examples": []}
        page = soup(Console(later).log_in("max").get(f"{PATH}?lang=en"))
        assert "In the settings file: Renamed" in element(page, "#site_name-hint").get_text()
        assert "settings file" not in element(page, "#contact-hint").get_text()
    assert admin.post(f"{PATH}/back", version=1).location == f"/admin{PATH}?done=site_texts_back"
    assert shown(services)["name"] == "Town"
    assert "Otterfurt" not in soup(admin.get(PATH)).get_text()


def test_two_admins_cannot_overwrite_each_other(admin: Console, services: Services) -> None:
    late = Console(services).log_in("max")
    assert admin.post(PATH, version=0, site_name="One").status_code == 303
    for path in (PATH, f"{PATH}/back"):
        refused = late.post(path, version=0, site_name="Other")
        assert refused.status_code == 409
        assert "ada" in element(soup(refused), ".failure").get_text()
    assert shown(services)["name"] == "One"
    assert admin.post(PATH, version=1, site_name="One").status_code == 303
    assert services.site_texts.all()["town"].version == 1, "nothing was changed"


def test_who_changes_texts_that_are_no_longer_there_is_told_so(german: Console, services: Services) -> None:
    refused = german.post(PATH, version=3, site_name="Otterfurt")
    told = element(soup(refused), ".failure").get_text()
    assert refused.status_code == 409
    assert "gibt es nicht mehr" in told
    assert "None" not in told
    assert services.site_texts.all() == {}


def test_a_site_that_nobody_declared_has_texts_too(site_settings: Settings, tmp_path: Path) -> None:
    settings = site_settings.model_copy(update={"data": tmp_path, "contact": "0555 1"})
    with Services(settings) as services:
        admin = Console(services).log_in("ada")
        assert "0555 1" in soup(admin.get("/sites/default/texts")).get_text()
        admin.post("/sites/default/texts", version=0, site_name="Ottertown", contact="0555 2")
        site = services.chat.sites.main
        assert site is not None
        assert (site.name, site.contact) == ("Ottertown", "0555 2")


def test_editors_may_not_change_them_and_are_told_who_may(editor: Console, admin: Console) -> None:
    assert (editor.get(PATH).status_code, editor.post(PATH, **WRITTEN).status_code) == (403, 403)
    shown = editor.get("/sites/town?lang=en").text
    assert PATH not in shown and "Admins can change the name" in shown
    assert PATH in admin.get("/sites/town").text


def test_settings_and_config_say_that_the_console_says_so(
    admin: Console, services: Services, tmp_path: Path
) -> None:
    admin.post(PATH, version=0, site_name="Otterfurt")
    row = next(row for row in soup(admin.get("/settings?lang=en")).select("tr") if "sites.town" in row.text)
    assert row.get_text(" ", strip=True) == "sites.town.name Otterfurt console"
    listed = admin.client.get("/api/admin/settings").get_json()["settings"]
    assert {"name": "sites.town.name", "value": "Otterfurt", "origin": "console"} in listed
    command = Command(tmp_path, services.settings.data)
    (tmp_path / "auskunft.toml").write_text('[[sites]]\nkey = "town"\n', "utf-8")
    printed = command.run("config")
    [line] = [each for each in printed.out.splitlines() if each.startswith("sites.town.name")]
    assert line.split() == ["sites.town.name", "=", "'Otterfurt'", "#", "console"]
    assert command.run("config", "--json").json()["console"] == {"sites.town.name": "Otterfurt"}


def test_texts_of_a_site_that_is_gone_or_suspended_are_not_in_force(
    admin: Console, services: Services, tmp_path: Path
) -> None:
    admin.post(PATH, version=0, site_name="Otterfurt")
    suspended = SiteSettings(key="town", sources=["town"], suspended=True)
    for sites in ([SiteSettings(key="other")], [suspended]):
        with Services(services.settings.model_copy(update={"sites": sites})) as later:
            console = Console(later).log_in(f"max-{sites[0].key}")
            for path in ("/admin/settings", "/api/admin/settings"):
                assert "Otterfurt" not in console.client.get(path).text
    assert "Otterfurt" not in Command(tmp_path, services.settings.data).run("config").out


def test_config_makes_no_page_store_and_says_where_one_cannot_be_read(tmp_path: Path) -> None:
    command = Command(tmp_path)
    assert "console says" not in command.run("config").out
    assert not command.data.exists()
    command.data.mkdir()
    (command.data / "pages.sqlite").write_bytes(b"no database" * 100)
    assert "# what the console says is unknown" in command.run("config").out


def test_a_backup_brings_them_back(admin: Console, services: Services, tmp_path: Path) -> None:
    admin.post(PATH, version=0, site_name="Otterfurt")
    command = Command(tmp_path, services.settings.data)
    command.run("backup", "saved.zip")
    admin.post(f"{PATH}/back", version=1)
    Command(tmp_path, "restored").run("restore", "saved.zip")
    with Services(services.settings.model_copy(update={"data": tmp_path / "restored"})) as restored:
        assert shown(restored)["name"] == "Otterfurt"
    shutil.rmtree(tmp_path / "restored")


def test_what_the_file_says_is_no_change_however_it_is_written_there(
    services: Services,
) -> None:
    site = SiteSettings(
        key="town", name=" Town", contact="Town hall\r\n" + "x" * 600 + "\n", sources=["town"]
    )
    with Services(services.settings.model_copy(update={"sites": [site]})) as other:
        admin = Console(other).log_in("max")
        contact = soup(admin.get(PATH)).select("#contact")[0].get_text().removeprefix("\n")
        assert admin.post(PATH, site_name="Town", subject="Fees", contact=contact).status_code == 303
        assert other.site_texts.all()["town"].texts == {"subject": "Fees"}
