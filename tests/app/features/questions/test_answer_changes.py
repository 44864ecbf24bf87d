"""After a save it is told which answers to frequent questions changed: these, and no others."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import create_app
from app.accounts.types import User
from app.errors import NotFoundError
from app.features.questions.answer_changes import JobAnswersDocument
from app.features.questions.services import QuestionServices
from app.indexing.stopping import never
from app.pages.types import Delivery
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from ingest.types import Delete, Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
FERRY = "When does the ferry leave the harbour on weekdays?"
BOAT = "Does a ferry exist in that harbour?"
POOL = "When does the outdoor pool open in summer?"
UNKNOWN = "Which astronaut repaired the telescope yesterday?"


def settings(data: Path) -> Services:
    return Services(load_settings(data=data, embedder="hashing", admin_token=TOKEN))


def save(services: Services, message: str, identifier: str, content: str | None) -> str:
    """Save or delete a page as a CMS does, and index it; returns the job."""
    change = (
        Delete(source="town", id=identifier)
        if content is None
        else Save(page=raw_page(identifier, {"content": content}))
    )
    delivery = Delivery(source="town", id=message, digest=message)
    [job] = services.deliveries.accept(delivery, [change])
    services.indexing.indexer.sync_pages()
    return job.id


def work(services: Services) -> None:
    while services.background.features.run_lane("idle", never):
        pass


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three frequent questions, grouped, whose answers stand; the ferry's twice in other words."""
    data = new_data(tmp_path_factory.mktemp("compared"))
    with settings(data) as services:
        save(services, "1", "ferry", "The ferry leaves the harbour at nine on weekdays.")
        save(services, "2", "pool", "The outdoor pool opens in May, when summer begins.")
        client = create_app(services=services).test_client()
        for question in (FERRY, BOAT, POOL, UNKNOWN):
            assert client.post("/api/chat", json={"question": question}).text
        services.feature(QuestionServices).groups.request()
        work(services)
    return data


@pytest.fixture
def services(asked: Path, tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    with settings(shutil.copytree(asked, tmp_path / "data")) as services:
        services.indexing.converter = converter
        yield services


def changed(services: Services, job: str) -> list[str]:
    return sorted(change.question for change in of_job(services, job).changes)


def of_job(services: Services, job: str) -> JobAnswersDocument:
    return services.feature(QuestionServices).answer_changes.of_job(job, sites=None)


def test_exactly_the_questions_whose_text_changed_are_named(services: Services) -> None:
    job = save(services, "3", "ferry", "The ferry leaves the harbour at ten on weekdays.")
    assert of_job(services, job).compared_at is None
    work(services)
    found = of_job(services, job)
    assert changed(services, job) == sorted([FERRY, BOAT])
    assert all("at nine" in change.before and "at ten" in change.after for change in found.changes)
    assert found.compared_at is not None


def test_a_save_that_changes_no_answer_names_none(services: Services) -> None:
    again = save(services, "3", "ferry", "The ferry leaves the harbour at nine on weekdays.  ")
    other = save(services, "4", "taxes", "Dogs are taxed in spring.")
    work(services)
    assert changed(services, again) == changed(services, other) == []
    assert of_job(services, other).compared_at is not None


def test_a_new_page_that_answers_now_and_a_deleted_one_are_causes(services: Services) -> None:
    new = save(services, "3", "space", "The astronaut Otter repaired the telescope yesterday.")
    work(services)
    assert changed(services, new) == [UNKNOWN]
    gone = save(services, "4", "pool", None)
    work(services)
    assert changed(services, gone) == [POOL]


def test_each_of_two_saves_names_its_own(services: Services) -> None:
    ferry = save(services, "3", "ferry", "The ferry leaves the harbour at ten on weekdays.")
    pool = save(services, "4", "pool", "The outdoor pool opens in June, when summer begins.")
    work(services)
    assert changed(services, ferry) == sorted([FERRY, BOAT])
    assert changed(services, pool) == [POOL]


def test_a_second_save_is_compared_with_the_first(services: Services) -> None:
    for message, hour in (("3", "ten"), ("4", "noon")):
        job = save(services, message, "ferry", f"The ferry leaves the harbour at {hour} on weekdays.")
        work(services)
    assert {("ten" in each.before, "noon" in each.after) for each in of_job(services, job).changes} == {
        (True, True)
    }


def test_nothing_is_compared_while_a_page_is_due(services: Services) -> None:
    job = save(services, "3", "ferry", "The ferry leaves the harbour at ten on weekdays.")
    services.store.accept([Save(page=raw_page("late", {"content": "Something else."}))])
    work(services)
    assert of_job(services, job).compared_at is None
    services.indexing.indexer.sync_pages()
    work(services)
    assert changed(services, job) == sorted([FERRY, BOAT])


def test_a_process_that_died_meanwhile_loses_nothing(services: Services) -> None:
    job = save(services, "3", "ferry", "The ferry leaves the harbour at ten on weekdays.")
    calls = iter([False] * 3 + [True] * 100)
    services.background.features.run_lane("idle", lambda: next(calls))
    assert of_job(services, job).compared_at is None
    with settings(services.settings.data) as others:
        work(others)
        assert changed(others, job) == sorted([FERRY, BOAT])


def test_a_change_is_deleted_with_its_question(services: Services) -> None:
    job = save(services, "3", "pool", "The outdoor pool opens in June, when summer begins.")
    work(services)
    [change] = of_job(services, job).changes
    conversation = services.chat.conversations.answer("default", change.id).conversation
    services.chat.conversations.delete("default", conversation)
    assert of_job(services, job).changes == []
    again = save(services, "4", "pool", "The outdoor pool opens in July, when summer begins.")
    work(services)
    assert changed(services, again) == []


def test_an_editor_of_another_site_sees_none_of_a_jobs_changes(services: Services) -> None:
    job = save(services, "3", "ferry", "The ferry leaves the harbour at ten on weekdays.")
    work(services)
    changes = services.feature(QuestionServices).answer_changes
    assert changes.of_job(job, sites=["default"]).changes
    assert changes.of_job(job, sites=["other"]).changes == []
    with pytest.raises(NotFoundError):
        changes.of_job("none", sites=None)


def test_an_editor_reads_no_questions_of_a_site_that_searches_more_than_their_source(
    services: Services,
) -> None:
    job = save(services, "3", "ferry", "The ferry leaves the harbour at ten on weekdays.")
    work(services)
    key = services.users.add(User(name="ed", role="editor", sources=frozenset({"town"})))
    browser = create_app(services=services).test_client()
    password = {"key": key, "password": "vier grosse otter baden", "again": "vier grosse otter baden"}
    browser.post("/admin/welcome", data=password, headers={"Sec-Fetch-Site": "same-origin"})
    assert browser.get(f"/api/admin/jobs/{job}/answers").get_json()["changes"] == []
    page = browser.get(f"/admin/sources/town/messages/{job}")
    assert page.status_code == 200
    assert "ferry leaves" not in page.text and FERRY not in page.text


def test_the_changes_are_read_by_http(services: Services) -> None:
    job = save(services, "3", "pool", "The outdoor pool opens in June, when summer begins.")
    work(services)
    client = create_app(services=services).test_client()
    url = f"/api/admin/jobs/{job}/answers"
    document = client.get(url, headers=BEARER).get_json()
    [change] = document["changes"]
    assert (document["job"], change["question"], change["site"]) == (job, POOL, "default")
    assert client.get(url).status_code == 401
    assert client.get("/api/admin/jobs/unknown/answers", headers=BEARER).status_code == 404
