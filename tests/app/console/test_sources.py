"""The sources in the console: their last messages, test events, and help with secrets."""

from base64 import b64encode
from typing import get_args

from pydantic import SecretStr

from app.console.messages import catalogue
from app.errors import HaltCode, HaltReason
from app.pages.pulls import PullLog
from app.services import Services
from app.settings.sources import SourceSettings
from app.sources.halts import WORDS
from ingest.page_guard import fatal_error
from tests.app.console.conftest import Console
from tests.app.web.browser import soup

SECRETS = [SecretStr(f"whsec_{b64encode(bytes([number] * 24)).decode()}") for number in range(2)]
SOURCE = "/sources/town?lang=en"
TEST = "/sources/town/test?lang=en"


def text(console: Console, path: str = SOURCE) -> str:
    answer = console.get(path)
    assert answer.status_code == 200
    return soup(answer).get_text(" ", strip=True)


def configured(services: Services, *secrets: SecretStr, per_minute: int = 60) -> None:
    table = SourceSettings(secrets=list(secrets), events_per_minute=per_minute)
    services.settings.sources = {"town": table}


def results(console: Console) -> list[str]:
    answer = console.post(TEST)
    assert answer.status_code == 200
    assert all(secret.get_secret_value() not in answer.text for secret in SECRETS)
    return [item.get_text(" ", strip=True) for item in soup(answer).select("ul[role=status] li")]


def test_a_test_event_is_tried_with_each_secret_and_stored_nowhere(
    editor: Console, services: Services
) -> None:
    configured(services, *SECRETS)
    pages = services.store.counts()
    first, second = results(editor)
    assert first.startswith("Secret 1 would be accepted") and second.startswith("Secret 2 would be accepted")
    assert services.store.counts() == pages
    assert services.deliveries.newest_jobs("town", 10) == []
    assert services.deliveries.last_messages() == {}
    assert "No messages yet." in text(editor)
    assert "http://localhost/api/sources/town/events" in text(editor)


def test_a_test_event_tells_why_a_message_would_be_refused(editor: Console, services: Services) -> None:
    configured(services, *SECRETS, per_minute=1)
    first, second = results(editor)
    assert "would be accepted" in first
    assert "would be accepted" not in second and "too many requests" in second


def test_a_source_without_secrets_takes_no_test_event(admin: Console, services: Services) -> None:
    configured(services)
    assert "Test message" not in text(admin)
    assert "Have a CMS report changes" in text(admin)
    assert admin.post(TEST).status_code == 403


def test_help_with_another_secret_is_for_admins_and_shows_none(
    admin: Console, editor: Console, services: Services
) -> None:
    configured(services, SECRETS[0])
    shown = text(admin)
    assert 'secrets = ["whsec_NEW", "whsec_OLD"]' in shown
    assert SECRETS[0].get_secret_value() not in shown
    assert "Replace the secret" not in text(editor)


def test_an_editor_of_another_source_sends_no_test_event(services: Services) -> None:
    configured(services, *SECRETS)
    assert Console(services).log_in("lee", "law").post(TEST).status_code == 404


def test_a_pull_that_takes_long_shows_how_far_it_is(editor: Console, services: Services) -> None:
    pulls = services.sources.pull_log
    services.settings.sources = {"town": SourceSettings(kind="website", every=3_600)}
    pulls.begin("town", "worker")
    pulls.note("town", "worker", [], listing=None, done=1_200, left=1_800, seconds=120)
    told = "The website is being read: 1,200 of about 3,000 pages, 600 a minute. About 3 min left."
    assert told in text(editor)
    assert "1.200 von etwa 3.000 Seiten, 600 pro Minute" in text(editor, "/sources/town?lang=de")
    assert "1,200 of about 3,000 pages" in text(editor, "/sources?lang=en")
    pulls.finish("town", "worker", left=1_800)
    assert told in text(editor)
    pulls.begin("town", "worker")
    pulls.finish("town", "worker")
    assert "of about" not in text(editor)


def test_a_button_has_a_source_pulled_before_its_time(editor: Console, services: Services) -> None:
    pulls, puller = services.sources.pull_log, services.sources.puller
    services.settings.sources = puller.settings_by_source = {
        "town": SourceSettings(kind="website", every=3600)
    }
    pulls.begin("town", "worker")
    pulls.finish("town", "worker")
    assert puller.due() == []
    assert "Fetch now" in text(editor)
    assert Console(services).log_in("lee", "law").post("/sources/town/pull").status_code == 404
    assert puller.due() == []
    assert editor.post("/sources/town/pull").status_code == 303
    assert puller.due() == ["town"]
    assert [entry.action for entry in services.audit_log.entries()][:1] == ["source.pull"]
    pulls.begin("town", "worker")
    assert editor.post("/sources/town/pull").status_code == 303
    pulls.finish("town", "worker")
    assert puller.due() == [], "the pull that ran is the one that was wanted"


def test_a_source_without_a_schedule_has_no_such_button(editor: Console, services: Services) -> None:
    services.settings.sources = {"town": SourceSettings(kind="website", every=None)}
    assert "Fetch now" not in text(editor)


REASONS = [HaltReason(code="lost", count=1_200, pages=4_100), HaltReason(code="missing", count=9, pages=9)]


def halt(services: Services) -> PullLog:
    pulls = services.sources.pull_log
    services.settings.sources = {"town": SourceSettings(kind="website")}
    pulls.begin("town", "worker")
    pulls.finish("town", "worker", halted_for=REASONS)
    return pulls


def test_a_pull_that_was_halted_is_decided_by_a_button(editor: Console, services: Services) -> None:
    pulls = halt(services)
    assert text(editor).count("1,200 of 4,100 pages lost much of their text") == 1
    buttons = soup(editor.get(SOURCE)).select("main section button")
    assert [button.get_text() for button in buttons] == ["Keep the old pages", "Accept the new pages"]
    assert [button.get("class") for button in buttons] == [None, ["second"]], "the first deletes nothing"
    assert "Review and decide" in text(editor, "/?lang=en")
    assert editor.post("/sources/town/keep").status_code == 303
    assert pulls.by_source()["town"].halt == "kept"
    assert "Review and decide" not in text(editor, "/?lang=en")
    assert editor.post("/sources/town/take_over").status_code == 303
    assert pulls.by_source()["town"].halt == "taken_over"
    assert "The next fetch accepts the new pages" in text(editor)
    actions = [entry.action for entry in services.audit_log.entries()]
    assert actions[:2] == ["source.take_over", "source.keep"]


def test_an_editor_of_another_source_and_a_source_that_was_not_halted_decide_nothing(
    editor: Console, services: Services
) -> None:
    assert editor.post("/sources/town/keep").status_code == 404
    pulls = halt(services)
    assert Console(services).log_in("lee", "law").post("/sources/town/keep").status_code == 404
    assert pulls.by_source()["town"].halt == "halted"


def test_a_pull_that_was_halted_is_told_in_german_without_commands(
    german: Console, services: Services
) -> None:
    halt(services)
    shown = text(german, "/sources/town")
    assert "1.200 von 4.100 Seiten haben viel Text verloren" in shown
    assert "9 von 9 Seiten fehlen" in shown
    assert "Auffälliges wurde nicht übernommen" in shown
    assert "town: Diese Website sieht kaputt aus" in text(german, "/sources")
    for path in ("/sources/town", "/sources", "/"):
        assert "auskunft sources" not in text(german, path)


def test_the_overview_tells_a_halted_pull_to_its_editors_alone(services: Services) -> None:
    halt(services)
    ours, others = Console(services).log_in("lee", "town"), Console(services).log_in("lou", "law")
    trouble = soup(ours.get("/?lang=de")).select_one(".troubles")
    assert trouble and "town: Diese Website sieht kaputt aus" in trouble.text
    assert "9 von 9 Seiten fehlen" in trouble.text
    assert trouble.select("a")[0]["href"] == "/admin/sources/town"
    page = soup(others.get("/?lang=de"))
    assert not page.select(".troubles") and "kaputt" not in page.text


def test_each_reason_for_which_pulls_are_halted_has_a_translation() -> None:
    assert {*WORDS} == {*get_args(HaltCode)}
    assert [template for template in WORDS.values() if template not in catalogue("de")] == []


def test_a_decision_where_nothing_is_halted_is_refused_in_words_of_the_console(german: Console) -> None:
    answer = german.post("/sources/town/keep")
    assert "Kein Abruf von 'town' ist angehalten." in soup(answer).get_text()


def test_a_page_that_ended_workers_is_listed_with_why_it_is_not_read(
    editor: Console, services: Services
) -> None:
    services.store.set_rejected("town", {"p3 (de)": fatal_error()})
    assert "p3 (de) : reading this page crashed the worker twice" in text(editor)
    assert "p3 (de) : Diese Seite zu lesen beendete den Worker zweimal." in text(
        editor, "/sources/town?lang=de"
    )
