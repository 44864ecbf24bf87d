"""What the guide to containers promises, on containers: in this order, on one installation."""

import shutil
import time
from datetime import date

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import Visit
from tests.compose.conftest import CONTACT
from tests.compose.installation import ROOT, Installation, commands, note, wait_until

QUESTION = "Was kostet die Hundesteuer?"
ANSWER = "72 €"
SAMPLE = ROOT / "app/demo/site/de"
PAGES = ("hundesteuer.html", "buergeramt.html", "abfall.html", "kita.html")
KEPT = ("web", "worker", "redis", "postgres", "elasticsearch")
SERVICES = {*KEPT, "beat"}


def test_all_services_are_healthy(installation: Installation) -> None:
    containers = installation.containers()
    assert set(containers) == SERVICES | {"migrate"}
    assert all(installation.healthy(service) for service in SERVICES)
    assert containers["migrate"]["State"]["ExitCode"] == 0


@pytest.mark.parametrize("service", ["web", "worker", "beat"])
def test_every_setting_of_the_file_reaches_the_processes(installation: Installation, service: str) -> None:
    shown = installation.run(f"docker compose exec {service} auskunft config")
    assert f"contact = '{CONTACT}'" in shown
    assert "energy.watts = 45.0" in shown
    assert "town" in shown


def test_a_name_in_the_file_that_is_no_setting_is_refused(installation: Installation) -> None:
    misspelt = "AUSKUNFT_" + "EMBEDER"  # not among the names that documentation and tests use
    script = f"docker compose run --rm -e {misspelt}=e5 web config 2>&1 || true"
    assert f"unknown setting {misspelt!r}" in installation.run(script)


def test_the_superusers_password_stays_with_elasticsearch(installation: Installation) -> None:
    assert installation.run("docker compose exec web printenv ELASTIC_PASSWORD").strip() == ""


def test_a_folder_is_indexed_and_answers_as_the_guide_shows(installation: Installation) -> None:
    (installation.folder / "pages").mkdir()
    for name in PAGES:
        shutil.copy(SAMPLE / name, installation.folder / "pages")
    *_, block = commands("Start")
    shown = installation.run(block)
    assert ANSWER in shown
    assert "BAD" not in shown


def test_a_question_is_answered_over_http(installation: Installation) -> None:
    assert ANSWER in installation.ask(QUESTION)


def test_a_question_is_answered_by_the_chat_page(installation: Installation, browser: Browser) -> None:
    visit = Visit(browser.new_context())
    visit.page.goto(f"{installation.url}/chat?lang=de")
    expect(visit.page.get_by_role("log")).to_be_visible()
    visit.ask(QUESTION)
    visit.finished()
    expect(visit.answer).to_contain_text(ANSWER)
    assert visit.errors == []
    assert visit.hosts == {"127.0.0.1"}


def test_a_page_of_a_signed_event_is_found_within_seconds(installation: Installation) -> None:
    word = installation.send()
    seconds = wait_until(lambda: installation.finds(word))
    note(f"a page of an event was found after {seconds:.1f} s")
    assert seconds < 20


@pytest.mark.parametrize("service", KEPT)
def test_nothing_is_lost_when_a_service_is_killed(installation: Installation, service: str) -> None:
    with installation.editor() as words:
        wait_until(lambda: len(words) > 3)
        began = time.monotonic()
        installation.kill(service)
        after = installation.send()
        wait_until(lambda: installation.finds(after))
        note(f"{service} killed: a page sent then was found after {time.monotonic() - began:.0f} s")
        wait_until(lambda: installation.healthy(service))
        note(f"{service} killed: healthy after {time.monotonic() - began:.0f} s")
    assert len(words) > 3
    lost = [word for word in words if not eventually_found(installation, word)]
    assert lost == []
    assert ANSWER in installation.ask(QUESTION)


def test_the_index_is_rebuilt_by_the_workers(installation: Installation) -> None:
    with installation.editor() as words:
        wait_until(lambda: words)
        installation.run("docker compose exec web auskunft reindex --queue --wait")
    assert all(eventually_found(installation, word) for word in words[-3:])
    assert ANSWER in installation.ask(QUESTION)


def test_no_service_needs_more_memory_than_it_may_have(installation: Installation) -> None:
    limits = {name: each["HostConfig"]["Memory"] for name, each in installation.containers().items()}
    for name, peak in sorted(installation.peaks.items()):
        note(f"{name}: {peak / 2**20:.0f} of {limits[name] / 2**20:.0f} MiB at most")
        assert peak < limits[name]
    assert set(installation.peaks) >= SERVICES
    assert not any(each["State"]["OOMKilled"] for each in installation.containers().values())


def test_what_was_saved_is_restored_as_the_guide_shows(installation: Installation) -> None:
    word = installation.send()
    wait_until(lambda: installation.finds(word))
    save, restore, *_ = commands("Backup")
    installation.run(save)
    [saved] = installation.folder.glob("pages-*.dump")
    assert saved.name == f"pages-{date.today()}.dump"
    installation.run(restore.replace("pages-2026-11-21.dump", saved.name))
    assert installation.finds(word)
    assert ANSWER in installation.ask(QUESTION)


def test_a_user_of_elasticsearch_that_may_do_less_is_enough(installation: Installation) -> None:
    [block] = commands("A user of Elasticsearch that may do less")
    installation.run(block)
    shown = installation.run("docker compose exec web auskunft config")
    assert "elasticsearch_username = 'auskunft'" in shown
    word = installation.send()
    wait_until(lambda: installation.finds(word))
    installation.run("docker compose exec web auskunft reindex --queue --wait")
    assert installation.finds(word)


def test_everything_is_kept_from_down_to_up(installation: Installation) -> None:
    word = installation.send()
    wait_until(lambda: installation.finds(word))
    installation.run("docker compose down")
    began = time.monotonic()
    installation.run("docker compose up --detach --wait")
    note(f"up again: {time.monotonic() - began:.0f} s")
    assert installation.finds(word)
    assert ANSWER in installation.ask(QUESTION)


def eventually_found(installation: Installation, word: str) -> bool:
    """True once the page is found; fails if it never is."""
    wait_until(lambda: installation.finds(word))
    return True
