"""Editors work in a real django CMS, with and without drafts, and the chat knows, or knows no more."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import pytest

from tests.cms.django_site import PYTHON, SECONDS
from tests.cms.djangocms import DjangoCms, PlainDjango
from tests.cms.service import Auskunft, running, seconds_until, secret
from tests.services import MissingServiceError, outcome
from tests.services.ports import free_port

pytestmark = pytest.mark.cms

SOON_SECONDS: Final = 5.0
STATUS: Final = "/admin/auskunft_djangocms/entry/"


class Town:
    """A site, and the chat beside it."""

    def __init__(self, site: DjangoCms, service: Auskunft) -> None:
        self.site = site
        self.shell = site.shell
        self.page = site.page
        self.service = service

    def found(self, word: str, language: str = "de") -> list[str]:
        """The addresses of the pages that the chat finds for a word in a language."""
        return found(self.service, word, language)

    def knows(self, word: str, language: str = "de") -> bool:
        """Whether the chat finds the page that has the word and its address."""
        return any(url.endswith(f"/{word}/") for url in self.found(word, language))

    def soon(self, *words: str, known: bool = True) -> float:
        """Wait until the chat knows pages, or knows them no more; the seconds that it took."""
        return seconds_until(lambda: all(self.knows(word) == known for word in words), SOON_SECONDS)


def found(service: Auskunft, word: str, language: str = "de") -> list[str]:
    """The addresses that the search finds."""
    asked = {"q": word, "language": language}
    answer = httpx.get(f"{service.url}/api/search", params=asked, timeout=SECONDS)
    return [hit["url"] for hit in answer.raise_for_status().json()["hits"]]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Auskunft]:
    """A running Auskunft that has searched once; who stops it starts it again."""
    if not PYTHON.exists():
        raise outcome(MissingServiceError("django CMS is not installed: make test-cms does that"))
    with running(tmp_path_factory.mktemp("auskunft")) as started:
        found(started, "warm")
        yield started


@pytest.fixture(scope="module")
def town(service: Auskunft, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A site with drafts."""
    folder = tmp_path_factory.mktemp("djangocms")
    with DjangoCms(folder, free_port(), service.url, service.secrets[0], drafts=True) as site:
        town = Town(site, service)
        town.page("warm")
        seconds_until(site.sent, SECONDS)
        yield town


@pytest.fixture
def word() -> str:
    """A word that no other page has."""
    return f"w{uuid4().hex[:12]}"


@pytest.fixture
def new() -> str:
    """Another one, which is like no other."""
    return f"n{uuid4().hex[:12]}"


def press_version(town: Town, action: str, page: int, language: str = "de") -> None:
    """Press a button of the newest version of a page."""
    version = town.shell(f"result = content({page}, {language!r}).versions.get().pk")
    town.site.post(f"/admin/djangocms_versioning/pagecontentversion/{version}/{action}/")


def test_what_an_editor_publishes_is_found_within_five_seconds_and_a_draft_never(
    town: Town, word: str, new: str
) -> None:
    form = {"title": f"Seite {word}", "slug": word, "meta_description": f"Kennwort {word}"}
    town.site.post("/admin/cms/pagecontent/add/?language=de", **form, parent_page="", source="", cms_page="")
    page = town.shell(f"result = PageContent.admin_manager.get(slug='{word}').page_id")
    assert not town.shell(f"result = queue.entries().filter(pk={page}).exists()")
    press_version(town, "publish", page)
    seconds = town.soon(word)
    print(f"known after {seconds:.1f} s")  # noqa: T201
    assert town.found(word) == [f"{town.site.address}/de/{word}/"]
    draft = town.shell(f"result = draft({page}).pk")
    form |= {
        "title": new,
        "template": "town/page.html",
        "limit_visibility_in_menu": "",
        "xframe_options": "0",
    }
    town.site.post(f"/admin/cms/pagecontent/{draft}/change/?language=de", **form)
    assert town.shell(f"result = content({page}).title") == new
    assert town.site.sent()
    assert not town.found(new)
    press_version(town, "publish", page)
    seconds_until(lambda: town.knows(word) and bool(town.found(new)), SOON_SECONDS)
    press_version(town, "unpublish", page)
    town.soon(word, known=False)


def test_a_deleted_page_is_gone_with_all_below(town: Town, word: str) -> None:
    page = town.page(word)
    town.page(f"{word}x", page)
    town.soon(word, f"{word}x")
    town.site.post(f"/admin/cms/page/{page}/delete/", post="yes")
    assert not town.shell(f"result = Page.objects.filter(pk={page}).exists()")
    town.soon(word, f"{word}x", known=False)


def test_a_page_for_which_visitors_log_in_is_gone_until_they_need_not(town: Town, word: str) -> None:
    page = town.page(word)
    town.soon(word)
    rows = {
        f"{prefix}-{name}_FORMS": number
        for prefix in ("pagepermission_set", "pagepermission_set-2")
        for name, number in (("TOTAL", 0), ("INITIAL", 0), ("MIN_NUM", 0), ("MAX_NUM", 1000))
    }
    settings = f"/admin/cms/page/{page}/advanced-settings/?language=de"
    town.site.post(settings, login_required="on", **rows)
    town.soon(word, known=False)
    assert town.site.sent()
    town.site.post(settings, **rows)
    town.soon(word)


def test_a_page_that_only_some_may_view_is_gone_with_all_below_until_all_may(town: Town, word: str) -> None:
    page = town.page(word)
    town.page(f"{word}x", page)
    town.soon(word, f"{word}x")
    town.shell(f"PagePermission.objects.create(page_id={page}, user=editor, can_view=True)")
    town.soon(word, f"{word}x", known=False)
    town.shell(f"PagePermission.objects.get(page_id={page}).delete()")
    town.soon(word, f"{word}x")


def test_a_page_that_is_moved_takes_the_addresses_below_along(town: Town, word: str) -> None:
    old, new = town.page(f"old{word}"), town.page(f"new{word}")
    child = town.page(word, old)
    town.page(f"{word}x", child)
    town.soon(f"{word}x")
    town.site.post(f"/admin/cms/page/{child}/move-page/", target=new, position=0)
    address = f"{town.site.address}/de/new{word}/{word}/{word}x/"
    seconds_until(lambda: town.found(f"{word}x")[:1] == [address], SOON_SECONDS)
    town.shell(f"draft({new}, slug='more{word}')")
    press_version(town, "publish", new)
    seconds_until(lambda: f"/more{word}/{word}/" in town.found(f"{word}x")[0], SOON_SECONDS)
    assert [url for url in town.found(word) if url.endswith(f"/{word}/")] == [
        f"{town.site.address}/de/more{word}/{word}/"
    ]


def test_pages_below_an_unpublished_one_are_gone_and_come_back(town: Town, word: str) -> None:
    page = town.page(word)
    town.page(f"{word}x", page)
    town.soon(word, f"{word}x")
    press_version(town, "unpublish", page)
    town.soon(word, f"{word}x", known=False)
    town.shell(f"draft({page})")
    press_version(town, "publish", page)
    town.soon(word, f"{word}x")


def test_each_language_comes_and_goes_for_itself(town: Town, word: str) -> None:
    page = town.page(word)
    town.shell(f"translate({page}, 'en{word}', 'en')")
    seconds_until(lambda: town.knows(word) and town.knows(f"en{word}", "en"), SOON_SECONDS)
    assert town.found(f"en{word}", "en")[0] == f"{town.site.address}/en/en{word}/"
    press_version(town, "unpublish", page, "en")
    seconds_until(lambda: not town.knows(f"en{word}", "en"), SOON_SECONDS)
    assert town.knows(word)


def test_plain_german_stands_beside_german(town: Town, word: str) -> None:
    page = town.page(word)
    town.shell(f"translate({page}, 'ls{word}', 'de-ls')")
    town.soon(word, f"ls{word}")
    town.shell(f"content({page}, 'de-ls').versions.get().unpublish(editor)")
    town.soon(f"ls{word}", known=False)
    assert town.knows(word)


def test_a_page_is_gone_when_its_time_is_over(town: Town, word: str) -> None:
    page = town.shell(
        "from djangocms_timed_publishing.models import TimedPublishingInterval\n"
        "from django.utils.timezone import now\n"
        f"page = api.create_page('Seite {word}', 'town/page.html', 'de', slug='{word}', created_by=editor)\n"
        "version = content(page.pk).versions.get()\n"
        "TimedPublishingInterval.objects.create(version=version, end=now() + timedelta(seconds=8))\n"
        "version.publish(editor)\n"
        "result = page.pk"
    )
    town.soon(word)
    assert town.site.sent(), page
    seconds_until(lambda: not town.knows(word), 8 + SOON_SECONDS)


def test_redirects_and_excluded_templates_are_not_sent(town: Town, word: str) -> None:
    town.page(f"r{word}", more="redirect='/de/warm/'")
    excluded = town.page(word)
    town.soon(word)
    town.shell(
        f"new = content({excluded}).versions.get().copy(editor).content\n"
        "PageContent.admin_manager.filter(pk=new.pk).update(template='town/search.html')\n"
        "new.versions.get().publish(editor)"
    )
    town.soon(word, known=False)
    seconds_until(town.site.sent, SECONDS)
    assert not town.knows(f"r{word}")


def test_the_page_of_a_view_beside_those_of_the_cms_is_sent_by_its_address(town: Town) -> None:
    town.shell("changes.send_page('/de/hours/')")
    seconds_until(lambda: f"{town.site.address}/de/hours/" in town.found("Schwimmbad"), SOON_SECONDS)
    town.shell("changes.delete_page('/de/hours/')")
    seconds_until(lambda: not town.found("Schwimmbad"), SOON_SECONDS)


def test_a_page_that_cannot_be_read_is_put_off_and_stops_no_others(town: Town, word: str) -> None:
    town.shell("queue.mark('no number'); queue.mark('no tree', subtree=True)")
    try:
        town.page(word)
        town.soon(word)
        problems = "result = sorted(queue.waiting().filter(refused=True).values_list('page', 'problem'))"
        seconds_until(lambda: len(town.shell(problems)) == 2, SOON_SECONDS)
        assert all("ValueError" in problem for _page, problem in town.shell(problems))
    finally:
        town.shell("queue.entries().filter(pk__startswith='no ').delete()")


def test_a_permission_or_a_plugin_of_no_page_marks_none(town: Town, word: str) -> None:
    page = town.page(word)
    town.soon(word)
    seconds_until(town.site.sent, SECONDS)
    town.shell(
        "from auskunft_djangocms import handlers\n"
        f"content({page}).placeholders.all().delete()\n"
        "def marks():\n"
        "    return sorted(queue.entries().values_list('page', 'changes'))\n"
        "before = marks()\n"
        "handlers.plugin_saved(instance=CMSPlugin())\n"
        "PagePermission.objects.create(page=None, user=editor, can_view=True).delete()"
    )
    assert town.shell("result = before == marks()")


def test_an_editor_who_saves_a_new_page_a_moment_after_another_is_heard(town: Town, word: str) -> None:
    due = town.shell(
        "insert = queue._create\n"
        "def after_another(pages, **more):\n"
        "    queue._create = insert\n"
        f"    queue.mark('/{word}/')\n"
        f"    queue.settle([(queue.entries().get(pk='/{word}/'), [])])\n"
        "    insert(pages, **more)\n"
        "queue._create = after_another\n"
        f"queue.mark('/{word}/')\n"
        f"result = queue.waiting().filter(pk='/{word}/').exists()\n"
        f"queue.entries().filter(pk='/{word}/').delete()"
    )
    assert due


def test_excluded_templates_may_be_written_in_capitals(town: Town, word: str) -> None:
    page = town.page(word)
    versions = town.shell(
        "from dataclasses import replace\n"
        "from auskunft_django.website import website\n"
        "found = [replace(config.load(), exclude=given) for given in ((), ('Town/PAGE.html',))]\n"
        f"result = [len(website().pages.versions('{page}', one)) for one in found]"
    )
    assert versions == [1, 0]


def test_a_redirect_to_the_sites_real_address_is_an_error_of_the_settings(town: Town, word: str) -> None:
    page = town.page(word)
    town.soon(word)
    seconds_until(town.site.sent, SECONDS)
    said = town.shell(
        "from django.test.utils import override_settings\n"
        "with override_settings(PREPEND_WWW=True):\n"
        f"    queue.mark('{page}')\n"
        "    sender.send_due()\n"
        f"result = queue.entries().get(pk={page}).problem"
    )
    assert f"redirects {town.site.address}/de/{word}/ to http://www.127.0.0.1" in said
    assert "set its real address" in said
    assert town.knows(word)
    town.shell("queue.hurry(); sender.send_due()")
    assert town.site.sent()


def test_a_run_over_all_pages_removes_nearly_all_only_if_that_is_said(town: Town, word: str) -> None:
    words = [f"{word}{letter}" for letter in "abcde"]
    for each in words:
        town.page(each)
    town.soon(*words)
    seconds_until(town.site.sent, SECONDS)
    closed = (
        "import io\n"
        "from django.core.management import call_command\n"
        "from django.test.utils import override_settings\n"
        "with override_settings(AUSKUNFT={**settings.AUSKUNFT, 'exclude': ['town/page.html']}):\n"
        "    call_command('auskunft_send_all', remove=%s, stdout=io.StringIO())\n"
        "result = list(queue.waiting().values_list('problem', flat=True))"
    )
    problems = town.shell(closed % False)
    assert len(problems) >= len(words)
    assert all("auskunft_send_all --remove" in problem for problem in problems)
    assert all(town.knows(each) for each in words)
    assert town.shell(closed % True) == []
    town.soon(*words, known=False)
    assert town.site.manage("auskunft_send_all").returncode == 0
    town.soon(*words)


def paths_asked(town: Town, *, closed: bool) -> dict[str, int]:
    """How often a run over all pages asks the site for each path; a ``closed`` one refuses."""
    asked: dict[str, int] = town.shell(
        "import io, sys, types\n"
        "from collections import Counter\n"
        "from django.conf import settings\n"
        "from django.core.management import call_command\n"
        "from django.http import HttpResponseForbidden\n"
        "from django.test.utils import override_settings\n"
        "asked, door = Counter(), types.ModuleType('door')\n"
        "def counted(get_response):\n"
        "    def ask(request):\n"
        "        asked[request.path] += 1\n"
        f"        return HttpResponseForbidden() if {closed} else get_response(request)\n"
        "    return ask\n"
        "door.counted, sys.modules['door'] = counted, door\n"
        f"inner = [] if {closed} else settings.MIDDLEWARE\n"
        "with override_settings(MIDDLEWARE=['door.counted', *inner]):\n"
        "    visitors._handler.cache_clear()\n"
        "    call_command('auskunft_send_all', stdout=io.StringIO())\n"
        "visitors._handler.cache_clear()\n"
        "result = dict(asked)"
    )
    return asked


def test_a_run_over_all_asks_for_each_page_once(town: Town, word: str) -> None:
    words = [f"{word}{number}" for number in range(4)]
    page = None
    for each in words:
        page = town.page(each, page)
    town.soon(*words)
    seconds_until(town.site.sent, SECONDS)
    asked = paths_asked(town, closed=False)
    assert {f"/de/{'/'.join(words[:depth])}/" for depth in range(1, 5)} <= asked.keys()
    assert set(asked.values()) == {1}


def test_a_run_while_the_site_is_closed_asks_for_no_page_more_than_twice(town: Town, word: str) -> None:
    words = [f"{word}{number}" for number in range(30)]
    for each in words:
        town.page(each)
    town.soon(*words)
    seconds_until(town.site.sent, SECONDS)
    asked = paths_asked(town, closed=True)
    assert set(asked.values()) <= {1, 2}
    assert {f"/de/{each}/" for each in words} <= asked.keys()
    assert all(town.knows(each) for each in words)
    town.shell("queue.hurry(); sender.send_due()")
    assert town.site.sent()


def test_hostile_text_is_text(town: Town, word: str) -> None:
    title = f"{word} <script>alert(1)</script> \"' \u202e& 😀 {{{{ x }}}}"
    body = f"<p>Kennwort {word} &lt;script&gt;alert(2)&lt;/script&gt; \u202e\ufeff</p>" + "<p>ä</p>" * 20_000
    town.page(word, more=f"title={title!r}, text={body!r}")
    town.soon(word)
    answer = httpx.get(
        f"{town.service.url}/api/search", params={"q": word, "language": "de"}, timeout=SECONDS
    )
    hit = answer.json()["hits"][0]
    assert hit["title"].startswith(word)
    assert "😀" in hit["title"]
    assert town.site.sent()


def test_a_day_of_outage_loses_nothing(town: Town, word: str) -> None:
    gone = town.page(f"gone{word}")
    town.soon(f"gone{word}")
    seconds_until(town.site.sent, SECONDS)
    town.service.stop()
    try:
        town.page(word)
        press_version(town, "unpublish", gone)
        both = "result = queue.waiting().exclude(problem='').count()"
        seconds_until(lambda: town.shell(both) == 2, SECONDS)
        assert "keine Antwort von" in town.site.manage("auskunft_send", "--now").stderr
        town.site.a_day_passes()
    finally:
        town.service.start()
    assert town.site.manage("auskunft_send", "--now").returncode == 0
    seconds_until(lambda: town.knows(word) and not town.knows(f"gone{word}"))
    assert town.site.sent()


def test_an_old_message_that_comes_late_or_twice_changes_nothing(town: Town, word: str, new: str) -> None:
    page = town.page(word)
    town.soon(word)
    seconds_until(town.site.sent, SECONDS)
    town.shell(f"late = visitors.events_of(queue.entries().get(pk={page}), config.load())")
    town.shell(f"draft({page}, title='{new}').versions.get().publish(editor)")
    seconds_until(lambda: bool(town.found(new)) and town.site.sent(), SOON_SECONDS)
    statuses = [town.shell("result = client.send(config.load(), late)")[0]["status"] for _ in range(2)]
    assert statuses == ["superseded", "superseded"]
    again = town.site.manage("auskunft_send_all")
    assert again.returncode == 0, again.stderr
    assert town.found(new) == [f"{town.site.address}/de/{word}/"]


def test_publishing_is_not_slower_by_more_than_50_ms_while_the_service_is_away(town: Town, word: str) -> None:
    page = town.page(word)
    seconds_until(town.site.sent, SECONDS)
    town.service.stop()
    try:
        milliseconds = town.shell(
            "import time, statistics\n"
            "from auskunft_djangocms import handlers\n"
            f"found = content({page}); version = found.versions.get()\n"
            "plugin = found.placeholders.get(slot='content').get_plugins().get()\n"
            "times = []\n"
            "for number in range(30):\n"
            "    with transaction.atomic():\n"
            "        began = time.perf_counter()\n"
            "        handlers.content_saved(instance=found)\n"
            "        handlers.plugin_saved(instance=plugin)\n"
            "        handlers.version_operated(obj=version, operation='operation_publish')\n"
            "        times.append((time.perf_counter() - began) * 1000)\n"
            "result = statistics.median(times)"
        )
        seconds_until(town.site.tried, SECONDS)
    finally:
        town.service.start()
    print(f"{milliseconds:.1f} ms")  # noqa: T201
    assert milliseconds <= 50
    town.shell("queue.hurry(); sender.wake()")
    seconds_until(town.site.sent, SECONDS)


def test_a_new_draft_costs_a_single_statement(town: Town, word: str) -> None:
    page = town.page(word)
    statements = town.shell(
        "from django.db import connection, reset_queries\n"
        f"found = content({page})\n"
        "placeholder = found.placeholders.get()\n"
        "for number in range(9):\n"
        "    api.add_plugin(placeholder, 'TextPlugin', 'de', body='<p>x</p>')\n"
        "def statements(configured):\n"
        "    real, changes.is_configured = changes.is_configured, lambda: configured\n"
        "    reset_queries()\n"
        "    draft(found.page_id)\n"
        "    changes.is_configured = real\n"
        "    return len(connection.queries)\n"
        "draft(found.page_id)\n"
        "result = statements(True) - statements(False)"
    )
    assert statements == 1


def press(town: Town, action: str) -> str:
    """Press a button of the status page; the page that follows."""
    return html.unescape(town.site.post(STATUS, action=action).text)


def test_the_status_page_tests_sends_and_says_what_waits(town: Town, word: str) -> None:
    assert "Adresse, Quelle und Geheimnis stimmen" in press(town, "test")
    assert "Alle Seiten werden gesendet." in press(town, "all")
    seconds_until(town.site.sent, SECONDS)
    assert "Letzter Erfolg:" in html.unescape(town.site.editor.get(STATUS).text)
    title = f"<b>{word}</b>"
    town.service.stop()
    try:
        town.page(word, more=f"title={title!r}")
        seconds_until(town.site.tried, SECONDS)
        assert "nicht angenommen: keine Antwort von" in press(town, "test")
        raw = town.site.editor.get(STATUS).text
    finally:
        town.service.start()
    assert title not in raw
    assert title in html.unescape(raw)
    assert "Der letzte Versuch schlug fehl:" in html.unescape(raw)
    assert re.search(r'href="/admin/cms/pagecontent/\d+/change/"', raw)
    assert "Was wartet, wird gesendet." in press(town, "now")
    seconds_until(lambda: town.knows(word) and town.site.sent())


def test_only_who_may_change_entries_can_send(town: Town) -> None:
    town.shell(
        "from django.contrib.auth.models import Permission, User\n"
        "found = Permission.objects.filter(content_type__app_label='auskunft_djangocms')\n"
        "seer = User.objects.create_user('seer', 'seer@town.example', 'secret', is_staff=True)\n"
        "seer.user_permissions.set(found.filter(codename='view_entry'))\n"
        "User.objects.create_user('guest', 'guest@town.example', 'secret', is_staff=True)"
    )
    seer, guest = (town.site.visitor(name) for name in ("seer", "guest"))
    page = seer.get(STATUS)
    assert page.status_code == 200
    assert "Verbindung prüfen" not in html.unescape(page.text)
    token = seer.cookies["csrftoken"]
    assert seer.post(STATUS, data={"csrfmiddlewaretoken": token, "action": "all"}).status_code == 403
    assert guest.get(STATUS).status_code == 403


def test_without_drafts_every_save_is_public(
    service: Auskunft, word: str, new: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("undrafted")
    with DjangoCms(folder, free_port(), service.url, service.secrets[0], drafts=False) as site:
        town = Town(site, service)
        page = town.page(word)
        seconds_until(lambda: town.knows(word), SECONDS)
        plugin = town.shell(f"result = content({page}).placeholders.get().get_plugins().get().pk")
        query = f"?cms_path=/de/{word}/"
        site.post(f"/admin/cms/placeholder/edit-plugin/{plugin}/{query}", body=f"<p>{new}</p>")
        seconds_until(lambda: bool(town.found(new)), SOON_SECONDS)
        site.post(f"/admin/cms/placeholder/delete-plugin/{plugin}/{query}", post="yes")
        seconds_until(lambda: not town.found(new), SOON_SECONDS)
        assert town.knows(word)
        town.shell(f"fill(content({page}), '<p>{new}</p>')")
        seconds_until(lambda: bool(town.found(new)), SOON_SECONDS)
        site.post(f"/admin/cms/page/{page}/set-home/")
        assert site.manage("auskunft_send_all").returncode == 0
        seconds_until(lambda: town.found(new) == [f"{site.address}/de/"])
        town.shell(f"Page.objects.get(pk={page}).delete()")
        seconds_until(lambda: not town.found(new), SOON_SECONDS)


def test_a_site_without_a_cms_sends_the_pages_of_its_views(
    service: Auskunft, word: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def known(title: str) -> bool:
        return bool(found(service, title))

    def make(title: str) -> int:
        number: int = site.shell(f"result = Event.objects.create(title='{title}').pk")
        return number

    folder = tmp_path_factory.mktemp("plain")
    with PlainDjango(folder, free_port(), service.url, service.secrets[0]) as site:
        site.post("/admin/town/event/add/", title=f"Fest {word}")
        seconds_until(lambda: known(word), SECONDS)
        site.shell("Event.objects.get().delete()")
        seconds_until(lambda: not known(word), SOON_SECONDS)
        cancelled = make(f"c{word}")
        seconds_until(lambda: known(f"c{word}"), SOON_SECONDS)
        site.shell(f"event = Event.objects.get(pk={cancelled}); event.cancelled = True; event.save()")
        seconds_until(lambda: not known(f"c{word}"), SOON_SECONDS)
        service.stop()
        try:
            make(f"o{word}")
            seconds_until(site.tried, SECONDS)
            site.a_day_passes()
        finally:
            service.start()
        assert site.manage("auskunft_send", "--now").returncode == 0
        seconds_until(lambda: known(f"o{word}"))
        shown = html.unescape(site.editor.get("/admin/auskunft_pages/entry/").text)
        assert "Letzter Erfolg:" in shown
        assert "AUSKUNFT" not in shown


def test_a_site_whose_settings_name_no_app_of_pages_is_told_so(tmp_path: Path) -> None:
    if not PYTHON.exists():
        raise outcome(MissingServiceError("Django is not installed: make test-cms does that"))
    text = "from town.settings import *\nINSTALLED_APPS.remove('auskunft_pages')\n"
    (tmp_path / "without_pages.py").write_text(text)
    site = PlainDjango(tmp_path, free_port(), "http://127.0.0.1:1", secret("a"))
    path = f"{tmp_path}:{site.environment['PYTHONPATH']}"
    said = site.manage("check", DJANGO_SETTINGS_MODULE="without_pages", PYTHONPATH=path).stderr
    assert "(auskunft_django.E003) INSTALLED_APPS: give one of" in said
    assert "Traceback" not in said


def draft_of(town: Town, page: int) -> str:
    """The address that asks the newest version of a page."""
    number = town.shell(f"result = content({page}).pk")
    return f"/admin/auskunft_djangocms/entry/draft/{number}/"


def asked(town: Town, page: int, question: str = "") -> str:
    """What the window shows of the newest version of a page."""
    answer = town.site.editor.get(draft_of(town, page), params={"question": question} if question else {})
    assert answer.status_code == 200, answer.text[:2_000]
    return html.unescape(answer.text)


def test_a_draft_answers_open_questions_and_contradicts_other_pages_but_not_its_own(
    town: Town, word: str
) -> None:
    old = town.page(word, more="text='<p>Die Leihgebühr kostet 96 Euro im Jahr.</p>', title='Leihgebühr'")
    seconds_until(lambda: bool(town.found("Leihgebühr")), SOON_SECONDS)
    question = {"question": "Wann öffnet die Sauna am Sonntag?"}
    httpx.post(f"{town.service.url}/api/chat", json=question, timeout=SECONDS).raise_for_status()
    text = "<p>Die Sauna öffnet am Sonntag um zehn Uhr.</p><p>Die Leihgebühr kostet 120 Euro im Jahr.</p>"
    new = town.page(f"{word}x", more="title='Leihgebühr'")
    draft = (
        "found = draft({0})\n"
        "plugin = found.placeholders.get(slot='content').get_plugins('de').get().get_bound_plugin()\n"
        "plugin.body = {1!r}\nplugin.save()"
    )
    for page in (old, new):
        town.shell(draft.format(page, text))
    shown = asked(town, new)
    assert "Wann öffnet die Sauna am Sonntag?" in shown
    assert "Die Sauna öffnet am Sonntag um zehn Uhr." in shown
    assert re.search(rf'href="http://127.0.0.1:\d+/de/{word}/"[^>]*>Leihgebühr</a>', shown)
    assert "96 Euro" in shown
    assert "96 Euro" not in asked(town, old)


def test_a_draft_is_asked_ones_own_question(town: Town, word: str) -> None:
    page = town.page(word, more="text='<p>Handtücher liegen in der Sauna bereit.</p>', title='Sauna'")
    shown = asked(town, page, "Gibt es <b>Handtücher</b> in der Sauna?")
    assert "Handtücher liegen in der Sauna bereit." in shown
    assert "Widersprüche" not in shown


def test_the_button_is_in_the_toolbar_of_those_who_may_change_the_page(town: Town, word: str) -> None:
    page = town.page(word)
    town.shell("get_user_model().objects.create_user('clerk', password='secret', is_staff=True)")
    preview = town.shell(
        "from cms.toolbar.utils import get_object_preview_url\n"
        f"result = get_object_preview_url(content({page}))"
    )
    clerk = town.site.visitor("clerk")
    assert f'href="{draft_of(town, page)}"' in town.site.editor.get(preview).text
    assert clerk.get(draft_of(town, page)).status_code == 403
    assert draft_of(town, page) not in clerk.get(preview).text
    assert town.service.secrets[0] not in asked(town, page)
    stranger = httpx.get(f"{town.site.address}{draft_of(town, page)}", timeout=SECONDS)
    assert stranger.headers["Location"].startswith("/admin/login/")
