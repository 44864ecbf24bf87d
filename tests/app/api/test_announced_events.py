"""A CMS that sends page.saved without the page's fields: they are fetched from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app import create_app
from app.cli.pages import page_rows
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from tests.app.api.cms import SECRET, Cms, deleted, saved
from tests.app.api.test_bad_input import assert_problem
from tests.fakes.cms import FakeCms
from tests.fakes.databases import new_data


@pytest.fixture
def web() -> Iterator[FakeCms]:
    with FakeCms() as web:
        yield web


@pytest.fixture
def cms(tmp_path: Path, web: FakeCms, converter: ConverterProcess) -> Iterator[Cms]:
    """The CMS of ``town``, whose pages can be fetched; ``files`` and ``events`` cannot be."""
    sources = {
        "town": {"kind": "cms", "secrets": [SECRET], **web.options()},
        "files": {"kind": "files", "secrets": [SECRET]},
        "events": {"secrets": [SECRET]},
    }
    settings = load_settings(
        data=new_data(tmp_path),
        embedder="hashing",
        sources=sources,
        fetch_allow=["127.0.0.1"],
        retry_seconds=0.001,
    )
    with Services(settings) as services:
        services.indexing.converter = converter
        yield Cms(create_app(services=services).test_client(), services)


def announced(page_id: object = "tax", revision: object = None, **fields: Any) -> dict[str, Any]:
    event = {"type": "page.saved", "id": page_id, "language": "en", **fields}
    return event if revision is None else event | {"revision": revision}


def fetch(cms: Cms) -> None:
    with capture_logs():
        while cms.services.background.fetch_scheduler.fetch(lambda: False):
            pass


def test_a_page_that_was_announced_is_fetched_and_found(cms: Cms, web: FakeCms) -> None:
    web.save("tax", "the dog tax is 96 euros a year", "en")
    [job] = cms.send(announced(revision=1))
    assert job == {"id": job["id"], "page": "tax", "language": "en", "status": "queued"}
    assert cms.services.store.pending() == 1
    fetch(cms)
    assert cms.found() == [("tax", "en")]
    assert cms.job(job)["status"] == "indexed"


def test_one_message_may_have_pages_with_fields_and_without(cms: Cms, web: FakeCms) -> None:
    web.save("42", "about the dog tax", "en")
    jobs = cms.send(announced(42, 1), saved("b", 1), deleted("c", 1, language="en"))
    assert [(job["page"], job["status"]) for job in jobs] == [
        ("42", "queued"),
        ("b", "queued"),
        ("c", "queued"),
    ]
    fetch(cms)
    assert sorted(cms.found("dog tax")) == [("42", "en"), ("b", "en")]


def test_a_repeated_announcement_is_not_fetched_again(cms: Cms, web: FakeCms) -> None:
    web.save("tax", "text", "en")
    first = cms.send(announced(revision=1), message_id="one")
    fetch(cms)
    assert cms.send(announced(revision=1), message_id="one") == first
    fetch(cms)
    assert web.fetched() == ["tax"]


def test_a_deleted_page_comes_back_if_its_announcement_says_so(cms: Cms, web: FakeCms) -> None:
    web.save("tax", "the dog tax", "en")
    cms.send(deleted(revision=5))
    assert cms.statuses(announced(revision=1)) == ["superseded"]
    assert cms.statuses(announced(revision=1, republish=True)) == ["queued"]
    fetch(cms)
    assert cms.found() == [("tax", "en")]


def test_the_cms_sees_that_a_newer_version_is_awaited(cms: Cms, web: FakeCms) -> None:
    [job] = cms.send(announced("late", revision=1))
    [state] = cms.states("late").get_json()["pages"]
    assert (state["language"], state["state"], state["indexed_at"]) == ("en", "pending", None)
    fetch(cms)
    [state] = cms.states("late").get_json()["pages"]
    assert (state["state"], state["reason"]) == ("waiting", "not_there_yet")
    known = cms.job(job)
    assert (known["status"], known["reason"], known["finished_at"]) == ("waiting", "not_there_yet", None)


def test_what_has_to_be_fetched_counts_as_waiting_work(cms: Cms) -> None:
    cms.send(announced("a"), announced("b"))
    told = {part.name: part.detail for part in checks(cms.services)}
    assert told["page store"].startswith("2 pages")
    assert told["backlog"].startswith("2 saved pages")
    listed = [(row["id"], row["state"], row["reason"]) for row in page_rows(cms.services, None, failed=False)]
    assert listed == [("a", "pending", "to be fetched"), ("b", "pending", "to be fetched")]


@pytest.mark.parametrize("source", ["files", "events"])
def test_a_source_whose_pages_cannot_be_fetched_one_by_one_needs_the_fields(cms: Cms, source: str) -> None:
    problem = assert_problem(Cms(cms.client, cms.services, source).post(announced()))
    assert problem["status"] == 422
    assert problem["detail"] == "body: this source cannot be pulled: send the fields"
    assert cms.services.store.pending() == 0


@pytest.mark.parametrize(
    ("event", "place"),
    [
        (announced(revision=-1), "revision"),
        (announced(revision="3"), "revision"),
        (announced(""), "id"),
        (announced(language="german"), "language"),
        (announced(republish=1), "republish"),
        ({"type": "page.saved", "id": "tax"}, "language"),
        (announced(updated="2026-03-31T12:00:00Z"), "url"),
        ({"type": "page.moved", "id": "a", "new_id": "b", "language": "en"}, "url"),
    ],
)
def test_a_wrong_announcement_is_a_problem_that_names_the_place(
    cms: Cms, event: dict[str, Any], place: str
) -> None:
    problem = assert_problem(cms.post({"events": [announced("good"), event]}))
    assert problem["status"] == 422
    assert f"events[1].{place}" in [field["field"] for field in problem["fields"]]
    assert cms.services.store.pending() == 0


def test_the_schema_tells_of_both_forms(cms: Cms) -> None:
    schema = cms.client.get("/openapi.json").get_json()
    body = schema["paths"]["/api/sources/{source}/events"]["post"]["requestBody"]
    forms = [
        form
        for form in body["content"]["application/json"]["schema"]["oneOf"]
        if form.get("properties", {}).get("type", {}).get("const") == "page.saved"
    ]
    assert [set(form["required"]) for form in forms] == [
        {"id", "language", "url", "type"},
        {"id", "language", "type"},
    ]
    assert set(forms[1]["properties"]) == {"type", "id", "language", "revision", "republish"}
