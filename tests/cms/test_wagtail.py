"""Editors work in a real Wagtail site, and the chat knows, or knows no more."""

import ast
import gettext
import html
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.app.serving.test_server import COMMAND, environment, serving
from tests.cms.django_site import APPS, PYTHON, SECONDS
from tests.cms.service import seconds_until
from tests.cms.wagtail import Wagtail
from tests.fakes.web_server import web_server
from tests.services import MissingServiceError, outcome
from tests.services.ports import free_port

pytestmark = pytest.mark.cms

OLD: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NEW: Final = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
SOON_SECONDS: Final = 5.0
FORM: Final = {
    "blocks-count": "0",
    "contacts-TOTAL_FORMS": "0",
    "contacts-INITIAL_FORMS": "0",
    "contacts-MIN_NUM_FORMS": "0",
    "contacts-MAX_NUM_FORMS": "1000",
    "comments-TOTAL_FORMS": "0",
    "comments-INITIAL_FORMS": "0",
    "comments-MIN_NUM_FORMS": "0",
    "comments-MAX_NUM_FORMS": "",
    "body": "null",
}


class Town:
    """The site, and the chat beside it."""

    def __init__(self, data: Path, wagtail: Wagtail, port: int) -> None:
        self.wagtail = wagtail
        self.shell = wagtail.shell
        self._data = data
        self._port = port

    @contextmanager
    def auskunft(self, *secrets: str) -> Iterator[None]:
        """Let the chat's server run, with these secrets."""
        env = environment(self._data, AUSKUNFT_SOURCES__TOWN__SECRETS=json.dumps(secrets or [OLD]))
        with serving([*COMMAND, "serve", "--port", str(self._port)], env):
            self.found("warm")  # the first search takes its time
            yield

    def found(self, word: str) -> list[str]:
        """The addresses of the pages that the chat finds for a word."""
        url = f"http://127.0.0.1:{self._port}/api/search"
        answer = httpx.get(url, params={"q": word}, timeout=30)
        return [hit["url"] for hit in answer.raise_for_status().json()["hits"]]

    def ask(self, question: str) -> None:
        """Ask the chat as a visitor."""
        url = f"http://127.0.0.1:{self._port}/api/chat"
        httpx.post(url, json={"question": question}, timeout=30).raise_for_status()

    def page(self, word: str, parent: str = "Page.objects.get(depth=2, locale__language_code='de')") -> int:
        """Publish a page that has a word, by script; its id."""
        number: int = self.shell(
            f"new = TownPage(title='Seite {word}', slug='{word}', intro='{word}')\n"
            f"page = {parent}.add_child(instance=new)\n"
            "result = page.pk"
        )
        return number

    def knows(self, word: str) -> bool:
        """Whether the chat finds the page that has the word and its address."""
        return any(url.endswith(f"/{word}/") for url in self.found(word))

    def sent(self) -> bool:
        """Whether nothing waits."""
        return self.wagtail.sent()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A site without further pages."""
    if not PYTHON.exists():
        raise outcome(MissingServiceError("Wagtail is not installed: make test-cms does that"))
    folder, port = tmp_path_factory.mktemp("wagtail"), free_port()
    with Wagtail(folder / "site", free_port(), f"http://127.0.0.1:{port}", OLD) as wagtail:
        yield Town(folder / "data", wagtail, port)


@pytest.fixture
def auskunft(town: Town) -> Iterator[Town]:
    """The site, with the chat running."""
    with town.auskunft():
        yield town


@pytest.fixture
def word() -> str:
    """A word that no other page has."""
    return f"w{uuid4().hex[:12]}"


def test_what_an_editor_publishes_is_found_within_five_seconds_and_a_draft_never(
    auskunft: Town, word: str
) -> None:
    home = auskunft.shell("result = Page.objects.get(depth=2, locale__language_code='de').pk")
    form = FORM | {"title": f"Seite {word}", "slug": word, "intro": f"Kennwort {word}"}
    auskunft.wagtail.post(
        f"/admin/pages/add/town/townpage/{home}/", **form, **{"action-publish": "action-publish"}
    )
    assert seconds_until(lambda: auskunft.knows(word), SOON_SECONDS)
    assert auskunft.found(word) == [f"{auskunft.wagtail.address}/{word}/"]
    page = auskunft.shell(f"result = Page.objects.get(slug='{word}').pk")
    draft = f"draft{word}"
    auskunft.wagtail.post(f"/admin/pages/{page}/edit/", **form | {"intro": draft})
    assert auskunft.shell(f"p = Page.objects.get(pk={page}); result = p.has_unpublished_changes")
    assert auskunft.sent()
    assert auskunft.knows(word)
    auskunft.wagtail.post(f"/admin/pages/{page}/unpublish/")
    seconds_until(lambda: not auskunft.knows(word), SOON_SECONDS)


def test_a_deleted_page_is_gone_with_all_below(auskunft: Town, word: str) -> None:
    page = auskunft.page(word)
    auskunft.page(f"{word}x", f"Page.objects.get(pk={page})")
    seconds_until(lambda: auskunft.knows(word) and auskunft.knows(f"{word}x"), SOON_SECONDS)
    auskunft.wagtail.post(f"/admin/pages/{page}/delete/")
    seconds_until(lambda: not auskunft.knows(word) and not auskunft.knows(f"{word}x"), SOON_SECONDS)


@pytest.mark.parametrize("kind", ["password", "login", "groups"])
def test_what_becomes_private_is_gone_with_all_below_until_it_is_public(
    auskunft: Town, word: str, kind: str
) -> None:
    page = auskunft.page(word)
    auskunft.page(f"{word}x", f"Page.objects.get(pk={page})")
    seconds_until(lambda: auskunft.knows(word) and auskunft.knows(f"{word}x"), SOON_SECONDS)
    auskunft.shell(
        f"PageViewRestriction.objects.create(page_id={page}, restriction_type='{kind}', password='geheim')"
    )
    seconds_until(lambda: not auskunft.knows(word) and not auskunft.knows(f"{word}x"), SOON_SECONDS)
    assert auskunft.sent()
    auskunft.shell(f"PageViewRestriction.objects.get(page_id={page}).delete()")
    seconds_until(lambda: auskunft.knows(word) and auskunft.knows(f"{word}x"), SOON_SECONDS)


def test_a_page_that_is_moved_takes_the_addresses_below_along(auskunft: Town, word: str) -> None:
    old, new = auskunft.page(f"old{word}"), auskunft.page(f"new{word}")
    child = auskunft.page(word, f"Page.objects.get(pk={old})")
    auskunft.page(f"{word}x", f"Page.objects.get(pk={child})")
    seconds_until(lambda: auskunft.knows(f"{word}x"), SOON_SECONDS)
    auskunft.shell(f"Page.objects.get(pk={child}).move(Page.objects.get(pk={new}), pos='last-child')")
    address = f"{auskunft.wagtail.address}/new{word}/{word}/"
    seconds_until(lambda: auskunft.found(f"{word}x")[:1] == [f"{address}{word}x/"], SOON_SECONDS)
    auskunft.shell(f"p = Page.objects.get(pk={new}).specific; p.slug = 'more{word}'; p.save()")
    seconds_until(lambda: f"/more{word}/{word}/" in auskunft.found(f"{word}x")[0], SOON_SECONDS)


def test_a_page_with_umlauts_in_its_address_is_sent(auskunft: Town, word: str) -> None:
    auskunft.page(f"über{word}")
    seconds_until(lambda: bool(auskunft.found(f"über{word}")), SOON_SECONDS)
    assert auskunft.found(f"über{word}")[0].endswith(f"/%C3%BCber{word}/")


def test_a_day_of_outage_loses_nothing(town: Town, word: str) -> None:
    with town.auskunft():
        gone = town.page(f"gone{word}")
        seconds_until(lambda: town.knows(f"gone{word}"), SOON_SECONDS)
    town.page(word)
    town.shell(f"Page.objects.get(pk={gone}).unpublish()")
    seconds_until(lambda: town.shell("result = queue.waiting().exclude(problem='').count()") == 2, SECONDS)
    town.wagtail.a_day_passes()
    with town.auskunft():
        town.wagtail.manage("auskunft_send", "--now")
        seconds_until(lambda: town.knows(word) and not town.knows(f"gone{word}"), SOON_SECONDS)
        assert town.sent()


def test_an_old_message_that_comes_late_or_twice_changes_nothing(auskunft: Town, word: str) -> None:
    page = auskunft.page(word)
    seconds_until(lambda: auskunft.knows(word) and auskunft.sent(), SOON_SECONDS)
    auskunft.shell(f"late = visitors.events_of(queue.entries().get(pk={page}), config.load())")
    auskunft.shell(f"p = Page.objects.get(pk={page}).specific; p.intro = p.title = 'neu{word}'; p.save()")
    seconds_until(auskunft.sent, SOON_SECONDS)
    shown = f"{auskunft.wagtail.address}/{word}/"
    seconds_until(lambda: auskunft.found(f"neu{word}") == [shown], SOON_SECONDS)
    statuses = [auskunft.shell("result = client.send(config.load(), late)")[0]["status"] for _ in range(2)]
    assert statuses == ["superseded", "superseded"]
    assert auskunft.found(f"neu{word}") == [shown]
    again = auskunft.wagtail.manage("auskunft_send_all")
    assert again.returncode == 0, again.stderr
    assert auskunft.found(f"neu{word}") == [shown]


def test_a_secret_is_changed_without_losing_a_page(town: Town, word: str) -> None:
    def send(secret: str) -> "subprocess.CompletedProcess[str]":
        town.shell("queue.hurry()")
        return town.wagtail.manage("auskunft_send", "--now", CHAT_SECRET=secret)

    with town.auskunft(NEW):
        town.page(word)
        refused = send(OLD)
        assert "401" in refused.stderr
        assert not town.knows(word)
    with town.auskunft(NEW, OLD):
        assert send(NEW).returncode == 0
        seconds_until(lambda: town.knows(word), SOON_SECONDS)


def test_a_save_is_not_slower_while_the_service_is_away(town: Town, word: str) -> None:
    page = town.page(word)
    milliseconds = town.shell(
        "import time, statistics\n"
        "from django.db import transaction\n"
        "times = []\n"
        "for number in range(30):\n"
        "    began = time.perf_counter()\n"
        "    with transaction.atomic():\n"
        f"        queue.mark('{page}', subtree=True); transaction.on_commit(sender.wake)\n"
        "    times.append((time.perf_counter() - began) * 1000)\n"
        "result = statistics.median(times)"
    )
    print(f"{milliseconds:.1f} ms")  # noqa: T201
    assert milliseconds <= 50


def test_a_queue_as_it_was_before_is_carried_over(town: Town, tmp_path: Path) -> None:
    site = Wagtail(tmp_path, free_port(), town.wagtail.address, OLD)
    assert site.manage("migrate", "-v0", "auskunft_wagtail", "0001").returncode == 0
    old = (
        "from django.db import connection as c\n"
        'c.cursor().execute("INSERT INTO auskunft_wagtail_entry VALUES '
        "(12, 3, 5, NULL, NULL, 0, 0, 0, '', 0, 1, 'de', NULL), "
        "(13, 1, 0, '2026-11-01 10:00', '2026-11-01 10:00', 1, 0, 4, 'away', 0, 0, '', NULL)\")"
    )
    made = site.manage("shell", "-c", old)
    assert made.returncode == 0, made.stderr
    migrated = site.manage("migrate", "-v0", "auskunft_wagtail")
    assert migrated.returncode == 0, migrated.stderr
    listed = site.manage(
        "shell",
        "-c",
        "from auskunft_django import queue\n"
        "print([(e.page, e.revision, e.subtree, e.known) for e in queue.entries().order_by('page')])",
    )
    known = "[{'id': '12', 'language': 'de', 'url': ''}]"
    assert f"[('12', 5, False, {known}), ('13', 0, True, [])]" in listed.stdout, listed.stderr


STATUS: Final = "/admin/auskunft/"


def press(town: Town, action: str) -> str:
    """Press a button of the status page; the page that follows."""
    return html.unescape(town.wagtail.post(STATUS, action=action).text)


def test_the_status_page_says_that_all_is_right(auskunft: Town, word: str) -> None:
    auskunft.page(word)
    seconds_until(lambda: auskunft.knows(word) and auskunft.sent())
    assert "Adresse, Quelle und Geheimnis stimmen" in press(auskunft, "test")
    assert "Letzter Erfolg:" in html.unescape(auskunft.wagtail.editor.get(STATUS).text)
    assert "Alle Seiten werden gesendet." in press(auskunft, "all")
    seconds_until(auskunft.sent)


def test_the_status_page_says_what_is_wrong_and_what_waits(town: Town, word: str) -> None:
    town.page(word)
    seconds_until(town.wagtail.tried, SECONDS)
    assert "nicht angenommen: keine Antwort von" in press(town, "test")
    shown = html.unescape(town.wagtail.editor.get(STATUS).text)
    assert f"Seite {word}" in shown
    assert "Der letzte Versuch schlug fehl:" in shown
    with town.auskunft():
        assert "Was wartet, wird gesendet." in press(town, "now")
        seconds_until(lambda: town.knows(word) and town.sent())


def test_only_who_may_change_entries_can_send(auskunft: Town) -> None:
    auskunft.shell(
        "from django.contrib.auth.models import Permission, User\n"
        "seer = User.objects.create_user('seer', 'seer@town.example', 'secret')\n"
        "found = Permission.objects.filter(codename__in=['access_admin', 'view_entry'])\n"
        "seer.user_permissions.set(found)\n"
        "User.objects.create_user('guest', 'guest@town.example', 'secret').user_permissions.set("
        "found.filter(codename='access_admin'))"
    )
    seer, guest = (auskunft.wagtail.visitor(name) for name in ("seer", "guest"))
    page = seer.get(STATUS)
    assert page.status_code == 200
    assert "Verbindung prüfen" not in html.unescape(page.text)
    token = seer.cookies["csrftoken"]
    refused = seer.post(STATUS, data={"csrfmiddlewaretoken": token, "action": "all"})
    assert refused.url.path == "/admin/"
    assert auskunft.sent()
    assert guest.get(STATUS).url.path == "/admin/"


def test_the_permissions_are_given_in_the_form_of_a_group(town: Town) -> None:
    given = town.shell(
        "from django.contrib.auth.models import Permission\n"
        "from wagtail.users.forms import GroupForm\n"
        "found = Permission.objects.filter(content_type__app_label='auskunft_wagtail')\n"
        "form = GroupForm({'name': 'Chat', 'permissions': [one.pk for one in found]})\n"
        "assert form.is_valid(), form.errors\n"
        "result = sorted(form.save().permissions.values_list('codename', flat=True))"
    )
    assert given == ["change_entry", "view_entry"]


@pytest.mark.parametrize("action", ["all", "now"])
def test_a_button_wakes_the_sender_when_what_it_wrote_is_there(town: Town, action: str) -> None:
    waked = town.shell(
        "from django.contrib.messages.storage.cookie import CookieStorage\n"
        "from django.db import connection, transaction\n"
        "from django.test import RequestFactory\n"
        "request = RequestFactory().post('/')\n"
        "request._messages = CookieStorage(request)\n"
        "with transaction.atomic():\n"
        f"    status._ACTIONS['{action}'](request)\n"
        "    result = sender.wake in [entry[1] for entry in connection.run_on_commit]"
    )
    assert waked


def test_every_text_is_german_too() -> None:
    code = "".join(path.read_text("utf-8") for path in APPS.rglob("*.py"))
    page = "".join(path.read_text("utf-8") for path in APPS.rglob("*.html"))
    calls = re.findall(r"""(?:\b_|gettext_lazy)\(\s*("(?:[^"\\]|\\.)*")""", code)
    texts = {ast.literal_eval(call) for call in calls} | set(re.findall(r'translate "(.*?)"', page))
    blocks = re.findall(r"blocktranslate trimmed.*?%}(.*?){%", page)
    texts |= {re.sub(r"{{ (\w+) }}", r"%(\1)s", block) for block in blocks}
    with (APPS / "auskunft_django" / "locale" / "de" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        german = gettext.GNUTranslations(file)
    assert len(texts) > 25
    assert {text for text in texts if german.gettext(text) == text} == {"Auskunft"}


DRAFT: Final = "Die Sauna öffnet am Sonntag um zehn Uhr. Die Leihgebühr kostet 120 Euro im Jahr."


def home(town: Town) -> int:
    number: int = town.shell("result = Page.objects.get(depth=2, locale__language_code='de').pk")
    return number


def asked(town: Town, path: str, **fields: str) -> str:
    """What the box shows of a text that is typed."""
    form = FORM | {"title": "Entwurf", "slug": uuid4().hex, "intro": DRAFT} | fields
    return html.unescape(town.wagtail.post(f"/admin/auskunft/draft/{path}/", **form).text)


def test_what_is_typed_answers_open_questions_and_contradicts_a_page(auskunft: Town, word: str) -> None:
    page = auskunft.page(word)
    auskunft.shell(
        f"page = TownPage.objects.get(pk={page})\n"
        "page.title, page.intro = 'Leihgebühr', 'Die Leihgebühr kostet 96 Euro im Jahr.'\n"
        "page.save_revision().publish()"
    )
    seconds_until(lambda: bool(auskunft.found("Leihgebühr")), SOON_SECONDS)
    auskunft.ask("Wann öffnet die Sauna am Sonntag?")
    shown = asked(auskunft, f"town/townpage/{home(auskunft)}", title="Leihgebühr")
    assert "Wann öffnet die Sauna am Sonntag?" in shown
    assert "Die Sauna öffnet am Sonntag um zehn Uhr." in shown
    assert re.search(rf'href="http://127.0.0.1:\d+/{word}/"[^>]*>Leihgebühr</a>', shown)
    assert "96 Euro" in shown
    assert not auskunft.shell("result = Page.objects.filter(title='Entwurf').exists()")


def test_a_page_is_asked_as_it_is_typed_and_does_not_contradict_itself(auskunft: Town, word: str) -> None:
    page = auskunft.page(word)
    question = {"auskunft_question": "Wann öffnet die Sauna?", "intro": "Die Sauna <b>öffnet</b> um elf Uhr."}
    shown = asked(auskunft, str(page), **question)
    assert "Die Sauna <b>öffnet</b> um elf Uhr." in shown
    assert "Widersprüche" not in shown
    assert "um elf Uhr" not in auskunft.shell(f"result = TownPage.objects.get(pk={page}).intro")
    assert not auskunft.shell(f"result = Page.objects.get(pk={page}).has_unpublished_changes")


def test_editors_alone_ask_and_the_secret_stays_on_the_server(auskunft: Town, word: str) -> None:
    page = auskunft.page(word)
    path = f"/admin/auskunft/draft/{page}/"
    auskunft.shell(
        "from django.contrib.auth.models import Permission\n"
        "clerk = get_user_model().objects.create_user('clerk', password='secret')\n"
        "clerk.user_permissions.add(Permission.objects.get(codename='access_admin'))"
    )
    clerk = auskunft.wagtail.visitor("clerk")
    refused = clerk.post(path, data=FORM | {"csrfmiddlewaretoken": clerk.cookies["csrftoken"]})
    assert [each.headers["Location"] for each in refused.history] == ["/admin/"]
    editor = auskunft.wagtail.editor.get(f"/admin/pages/{page}/edit/").text
    assert f'data-auskunft-draft="{path}"' in editor
    assert OLD not in editor + asked(auskunft, str(page))
    excluded = auskunft.wagtail.editor.get(f"/admin/pages/add/town/searchpage/{home(auskunft)}/").text
    assert "data-auskunft-draft" not in excluded


def test_what_auskunft_refuses_is_said_beside_the_text(town: Town, word: str) -> None:
    page = town.page(word)
    with town.auskunft(NEW):
        assert "Auskunft hat den Entwurf nicht angenommen: 401" in asked(town, str(page))


@pytest.mark.parametrize("body", [b"<html>Log in</html>", b"{}", b"[]"])
def test_a_page_in_the_services_place_is_no_answer(town: Town, body: bytes) -> None:
    with web_server(200, body, {}) as address:
        told = town.shell(
            "from dataclasses import replace\n"
            "try:\n"
            f"    client.ask(replace(config.load(), url={address!r}), {{'title': 'Sauna'}})\n"
            "except client.AwayError as error:\n"
            "    result = str(error)"
        )
    assert re.fullmatch(rf"{address}/api/sources/\w+/draft (is not|ist nicht) Auskunft", told)


def test_the_button_beside_publish_asks_what_is_typed(auskunft: Town, browser: Browser, word: str) -> None:
    context = browser.new_context(base_url=auskunft.wagtail.address, viewport={"width": 1400, "height": 1000})
    window = context.new_page()
    window.goto("/admin/login/")
    window.fill("[name=username]", "editor")
    window.fill("[name=password]", "secret")
    window.press("[name=password]", "Enter")
    window.goto(f"/admin/pages/{auskunft.page(word)}/edit/")
    window.fill("[name=intro]", "Die Sauna öffnet um zwölf Uhr.")
    window.locator("footer [data-w-dropdown-target=toggle]").click()
    window.locator("[data-auskunft-draft]").click()
    box = window.locator("dialog [role=status]")
    expect(box).to_contain_text("Widersprüche")
    window.fill("dialog input", "Wann öffnet die Sauna?")
    window.press("dialog input", "Enter")
    expect(box).to_contain_text("um zwölf Uhr")
    context.close()
