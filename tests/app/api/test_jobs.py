"""What a CMS learns of its changes: from the queue to the index, or to the reason why not."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from app.errors import EmbedderUnavailableError
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from tests.app.api.cms import SECRET, Cms, deleted, saved
from tests.app.api.test_bad_input import assert_problem
from tests.fakes.databases import new_data
from tests.fakes.embeddings_server import FakeEmbeddings, Reply


def standing(cms: Cms, job: dict[str, Any]) -> tuple[str, str]:
    known = cms.job(job)
    return known["status"], known["reason"]


def test_a_job_goes_from_the_queue_to_the_index(cms: Cms) -> None:
    [job] = cms.send(saved(revision=1))
    known = cms.job(job)
    accepted_at = datetime.fromisoformat(known.pop("accepted_at"))
    assert known == {
        "id": job["id"],
        "source": "town",
        "page": "tax",
        "language": "en",
        "status": "queued",
        "reason": "",
        "finished_at": None,
    }
    cms.index()
    known = cms.job(job)
    assert (known["status"], known["reason"]) == ("indexed", "")
    assert datetime.fromisoformat(known["finished_at"]) >= accepted_at


def test_a_job_is_running_while_a_worker_has_its_page(cms: Cms) -> None:
    [job] = cms.send(saved())
    cms.services.store.claim(1, "worker")
    assert standing(cms, job) == ("running", "")
    cms.services.store.release("worker")
    assert standing(cms, job) == ("queued", "")


def test_a_page_that_cannot_be_indexed_fails_its_job_with_the_reason(cms: Cms) -> None:
    [job, other] = cms.send(saved("empty", html=None, title=None), saved())
    cms.index()
    status, reason = standing(cms, job)
    assert (status, reason.partition(":")[0]) == ("failed", "empty")
    assert cms.job(job)["finished_at"]
    assert standing(cms, other) == ("indexed", "")


def test_what_changes_nothing_ends_at_once(cms: Cms) -> None:
    cms.send(saved(revision=2))
    same, older = cms.send(saved(revision=2), saved(revision=1))
    assert [cms.job(job)["status"] for job in (same, older)] == ["unchanged", "superseded"]
    assert all(cms.job(job)["finished_at"] == cms.job(job)["accepted_at"] for job in (same, older))


def test_a_delete_is_done_when_the_index_has_dropped_the_page(cms: Cms) -> None:
    cms.send(saved())
    cms.index()
    [job] = cms.send(deleted())
    assert standing(cms, job) == ("queued", "")
    assert cms.found() == []
    assert standing(cms, job) == ("indexed", "")


@pytest.mark.parametrize("job_id", ["x", "a" * 500, "..", "%00", "' OR 1=1 --"])
def test_a_job_nobody_knows_is_not_found(cms: Cms, job_id: str) -> None:
    cms.send(saved())
    assert assert_problem(cms.client.get(f"/api/jobs/{job_id}"))["status"] == 404


def test_the_cms_sees_how_a_page_stands_in_each_language(cms: Cms) -> None:
    cms.send(saved(), saved(language="fr", html=None, title=None))
    cms.index()
    cms.send(saved(language="de"))
    body = cms.states("tax").get_json()
    assert (body["source"], body["id"]) == ("town", "tax")
    states = {page["language"]: page for page in body["pages"]}
    assert {language: page["state"] for language, page in states.items()} == {
        "de": "pending",
        "en": "indexed",
        "fr": "failed",
    }
    assert datetime.fromisoformat(states["en"]["indexed_at"])
    assert (states["de"]["indexed_at"], states["fr"]["reason"].partition(":")[0]) == (None, "empty")


def test_a_page_nobody_knows_has_no_state(cms: Cms) -> None:
    assert assert_problem(cms.states("nothing"))["status"] == 404


@pytest.fixture
def embeddings() -> Iterator[FakeEmbeddings]:
    with FakeEmbeddings() as server:
        yield server


@pytest.fixture
def waiting_cms(tmp_path: Path, embeddings: FakeEmbeddings, converter: ConverterProcess) -> Iterator[Cms]:
    """An installation whose embedder is a server that may be away."""
    settings = load_settings(
        data=new_data(tmp_path),
        embedder="endpoint",
        embedders={
            "endpoint": {"base_url": embeddings.base_url, "model": "all-MiniLM-L6-v2", "retry_seconds": 0}
        },
        sources={"town": {"secrets": [SECRET]}},
        retry_seconds=0.001,
    )
    with Services(settings) as services:
        services.indexing.converter = converter
        assert services.indexing.index.live()
        yield Cms(create_app(services=services).test_client(), services)


def test_a_page_waits_while_the_embedder_is_away_and_is_indexed_when_it_is_back(
    waiting_cms: Cms, embeddings: FakeEmbeddings
) -> None:
    [job] = waiting_cms.send(saved())
    embeddings.default = Reply(status=503)
    with pytest.raises(EmbedderUnavailableError):
        waiting_cms.services.indexing.indexer.sync_pages()
    assert standing(waiting_cms, job) == ("waiting", "embedder_unavailable")
    embeddings.default = Reply()
    while waiting_cms.services.store.pending():
        waiting_cms.index()
    assert standing(waiting_cms, job) == ("indexed", "")
