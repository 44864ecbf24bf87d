"""``/metrics``: right whichever process did the work, and told to those alone who may know."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import Settings
from tests.app.api.cms import Cms, saved
from tests.app.metric_values import Values, values_in
from tests.fakes.command import Command
from tests.faults.gate import wait_for_rest

TOKEN: Final = "0123456789abcdef0123456789abcdef"

Asked = dict[str, Any]
OpenClient = Callable[..., FlaskClient]


def told(client: FlaskClient) -> Values:
    """What is told on the machine itself."""
    response = client.get("/metrics")
    assert (response.status_code, response.mimetype) == (200, "text/plain")
    return values_in(response.text)


@pytest.fixture
def open_client(tmp_path: Path) -> Iterator[OpenClient]:
    """Opens installations with these settings."""
    with ExitStack() as opened:

        def open_one(**settings: object) -> FlaskClient:
            given = Settings.model_validate({"data": tmp_path, "embedder": "hashing", **settings})
            return create_app(services=opened.enter_context(Services(given))).test_client()

        yield open_one


def test_messages_count_by_the_status_they_were_answered_with(cms: Cms) -> None:
    cms.send(saved())
    cms.post(saved(colour="red"))
    cms.post(saved(), secret="whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    cms.post(saved(), content_type="text/plain")
    answers = _by(told(cms.client)["auskunft_deliveries_total"], "status")
    assert {status: number for status, number in answers if number} == {
        "202": 1,
        "422": 1,
        "401": 1,
        "415": 1,
    }


def test_a_save_is_timed_until_it_is_searchable(cms: Cms) -> None:
    cms.services.background.worker.start()
    cms.send(saved("a"), saved("b"))
    wait_for_rest(cms.services)
    metrics = told(cms.client)
    assert metrics["auskunft_searchable_seconds_count"] == [({"priority": "interactive"}, 2)]
    buckets = {labels["le"]: value for labels, value in metrics["auskunft_searchable_seconds_bucket"]}
    assert list(buckets.values()) == sorted(buckets.values())
    assert buckets["+Inf"] == 2
    assert metrics["auskunft_searchable_seconds_sum"][0][1] > 0
    assert metrics["auskunft_workers"] == [({}, 1)]


def test_failures_count_by_their_reason(cms: Cms) -> None:
    cms.send(saved("a"), saved("empty", title="", html="<p></p>"))
    cms.index()
    metrics = told(cms.client)
    assert metrics["auskunft_pages_failed_total"] == [({"source": "town", "reason": "empty"}, 1)]
    assert metrics["auskunft_pages_indexed_total"] == [({"source": "town"}, 1)]
    assert metrics["auskunft_pages"] == [({"state": "failed"}, 1), ({"state": "indexed"}, 1)]


@pytest.mark.commands
def test_what_another_process_did_counts_too(cms: Cms, tmp_path: Path) -> None:
    cms.send(saved())
    cms.index()
    page = tmp_path / "pages" / "pool.md"
    page.parent.mkdir()
    page.write_text("# Pool\n\nThe pool opens in May.", "utf-8")
    assert Command(tmp_path, tmp_path).run("index", page.parent, "--source", "files").code == 0
    metrics = told(cms.client)
    both = [({"source": "files"}, 1), ({"source": "town"}, 1)]
    assert metrics["auskunft_pages_accepted_total"] == metrics["auskunft_pages_indexed_total"] == both
    kinds = [labels["priority"] for labels, _ in metrics["auskunft_searchable_seconds_count"]]
    assert kinds == ["bulk", "interactive"]


def test_a_window_is_embedded_once_and_taken_from_the_cache_after_that(cms: Cms) -> None:
    cms.send(saved("a"))
    cms.index()
    first = dict(_by(told(cms.client)["auskunft_windows_total"], "vector"))
    cms.send(saved("b"))
    cms.index()
    metrics = told(cms.client)
    assert dict(_by(metrics["auskunft_windows_total"], "vector")) == {**first, "cached": first["embedded"]}
    assert metrics["auskunft_embedding_seconds_total"][0][1] > 0


def test_the_backlog_is_counted_by_what_it_waits_for(cms: Cms) -> None:
    cms.send(saved("a"), saved("b"))
    cms.services.store.claim(1, "somebody")
    metrics = told(cms.client)
    pages = [(labels["priority"], labels["state"], n) for labels, n in metrics["auskunft_backlog_pages"]]
    assert sorted(pages) == [("interactive", "queued", 1), ("interactive", "running", 1)]
    ages = dict(_by(metrics["auskunft_backlog_age_seconds"], "priority"))
    assert ages["interactive"] > ages["bulk"] == 0


def test_what_is_away_is_said_and_the_rest_is_told(open_client: OpenClient) -> None:
    away = {"database_url": "postgresql://x@127.0.0.1:1/x", "broker_url": "redis://127.0.0.1:1/0"}
    metrics = told(open_client(**away))
    assert metrics["auskunft_page_store_up"] == metrics["auskunft_broker_up"] == [({}, 0)]
    assert "auskunft_pages" not in metrics
    assert "auskunft_deliveries_total" in metrics


@pytest.mark.parametrize(
    "asked",
    [
        {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}},
        {"environ_base": {"REMOTE_ADDR": "::ffff:192.0.2.7"}},
        {"headers": {"X-Forwarded-For": "192.0.2.7"}},
        {"headers": {"Forwarded": "for=192.0.2.7"}},
        {"headers": {"Host": "ask.example.org"}},
        {"headers": {"Host": "ask.example.org:8000"}},
    ],
)
def test_from_elsewhere_only_the_administrator_is_told(open_client: OpenClient, asked: Asked) -> None:
    public_url = "http://ask.example.org"
    assert open_client(public_url=public_url).get("/metrics", **asked).status_code == 403
    client = open_client(public_url=public_url, admin_token=TOKEN)
    for token, status in (("", 401), (TOKEN[:-1], 401), (TOKEN, 200)):
        headers = {**asked.get("headers", {}), "Authorization": f"Bearer {token}"}
        response = client.get("/metrics", **{**asked, "headers": headers})
        assert response.status_code == status
        assert (b"auskunft_" in response.data) == (status == 200)


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_on_the_machine_itself_nobody_needs_a_token(client: FlaskClient, host: str) -> None:
    assert client.get("/metrics", headers={"Host": host}).status_code == 200


def _by(samples: list[tuple[dict[str, str], float]], label: str) -> list[tuple[str, float]]:
    return [(labels[label], value) for labels, value in samples]


def test_questions_count_by_outcome_and_the_seconds_to_their_first_text(open_client: OpenClient) -> None:
    client = open_client()
    for question in ("Hello!", "What is the airspeed of an unladen swallow?"):
        assert client.post("/api/chat", json={"question": question}).text
    metrics = told(client)
    counted = {labels["outcome"]: value for labels, value in metrics["auskunft_questions_total"]}
    assert counted == {"other": 1, "unanswered": 1}
    assert metrics["auskunft_first_text_seconds_count"] == [({"by": "passages"}, 2)]
    assert 0 < metrics["auskunft_first_text_seconds_sum"][0][1] < 60
    assert metrics["auskunft_answers_without_model_total"] == []


def test_answers_without_the_model_count_by_their_reason(tmp_path: Path) -> None:
    with Services(Settings.model_validate({"data": tmp_path, "embedder": "hashing"})) as services:
        kept = services.chat.conversations
        for labels in (["model_unavailable"], ["daily_limit", "time_dropped"], ["model_unavailable"], []):
            begun = kept.begin("town", "Q?")
            document = {"answer": "A.", "status": "extractive", "sources": [], "citations": []}
            kept.finish(begun.answer, document | {"degraded": labels})
        metrics = told(create_app(services=services).test_client())
    counted = _by(metrics["auskunft_answers_without_model_total"], "reason")
    assert counted == [("daily_limit", 1), ("model_unavailable", 2)]


def test_refusals_count_by_what_was_asked_for(open_client: OpenClient) -> None:
    client = open_client(sites=[{"key": "town", "questions_per_minute": 1}])
    statuses = [client.post("/api/chat?site=town", json={"question": "Hello!"}).status_code for _ in range(3)]
    assert statuses == [200, 429, 429]
    assert told(client)["auskunft_refusals_total"] == [({"what": "chat"}, 2)]
