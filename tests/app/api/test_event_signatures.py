"""Who may send and ask: signatures, repeats, floods, sources that are not open."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from app.sources.signatures import headers
from tests.app.api.cms import SECOND_SECRET, SECRET, Cms, deleted, saved
from tests.app.api.test_bad_input import assert_problem
from tests.fakes.databases import new_data

STRANGER = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="
BODY = json.dumps(saved()).encode()


def stored(cms: Cms) -> list[str]:
    return [row.ref.id for row in cms.services.page_list.records()]


@pytest.mark.parametrize("secret", [SECRET, SECOND_SECRET])
def test_any_of_the_sources_secrets_will_do_while_one_replaces_another(cms: Cms, secret: str) -> None:
    assert cms.post(saved(), secret=secret).status_code == 202


def test_a_message_of_a_stranger_is_refused(cms: Cms) -> None:
    problem = assert_problem(cms.post(saved(), secret=STRANGER))
    assert (problem["status"], problem["code"]) == (401, "invalid_signature")
    assert stored(cms) == []


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_message_that_is_not_signed_is_told_what_is_missing(cms: Cms, missing: str) -> None:
    signed = headers(SECRET, "m", int(time.time()), BODY)
    del signed[missing]
    response = cms.client.post(
        "/api/sources/town/events", data=BODY, headers=signed, content_type="application/json"
    )
    problem = assert_problem(response)
    assert (problem["status"], missing in problem["detail"]) == (401, True)
    assert stored(cms) == []


@pytest.mark.parametrize("body", [BODY + b" ", BODY.replace(b"96", b"69"), b"{}", b"[" * 1_000])
def test_the_signature_is_looked_at_before_the_body(cms: Cms, body: bytes) -> None:
    signed = headers(SECRET, "m", int(time.time()), BODY)
    response = cms.client.post(
        "/api/sources/town/events", data=body, headers=signed, content_type="application/json"
    )
    assert assert_problem(response)["status"] == 401
    assert stored(cms) == []


@pytest.mark.parametrize("seconds", [-301, -7_200, 7_200, -86_400, 310])
def test_a_message_whose_clock_is_off_is_told_both_times(cms: Cms, seconds: int) -> None:
    problem = assert_problem(cms.post(saved(), sent=time.time() + seconds))
    assert problem["status"] == 401
    assert problem["detail"].count(" UTC") == 2
    assert stored(cms) == []


def test_a_repeated_message_gets_the_same_answer_and_does_nothing(cms: Cms) -> None:
    events = {"events": [saved("a"), deleted("b", language="en")]}
    first = cms.post(events, message_id="one")
    cms.index()
    cms.send(saved("a", html="newer"))
    later = cms.post(events, message_id="one", sent=time.time() + 60, secret=SECOND_SECRET)
    assert (later.status_code, later.data) == (202, first.data)
    [claim] = cms.services.store.claim(10, "test")
    assert claim.page is not None
    assert claim.page.fields["content"].text == "newer"


def test_another_message_with_an_id_that_was_used_is_a_conflict(cms: Cms) -> None:
    cms.post(saved("a"), message_id="one")
    problem = assert_problem(cms.post(saved("b"), message_id="one"))
    assert (problem["status"], "'one'" in problem["detail"]) == (409, True)
    assert stored(cms) == ["a"]


def test_a_message_that_was_refused_may_come_again_corrected(cms: Cms) -> None:
    assert cms.post(saved(language="German"), message_id="one").status_code == 422
    assert cms.post(saved(), message_id="one").status_code == 202


@pytest.mark.parametrize("source", ["nowhere", "Town", "town ", "..", "%00", "a" * 5_000, "*"])
def test_a_source_that_is_not_configured_does_not_exist(cms: Cms, source: str) -> None:
    sender = Cms(cms.client, cms.services, source)
    with capture_logs():
        assert assert_problem(sender.post(saved()))["status"] == 404
        assert assert_problem(sender.states("tax"))["status"] == 404
    assert stored(cms) == []


def test_a_source_without_secrets_is_never_open_and_the_log_says_what_to_do(cms: Cms) -> None:
    sender = Cms(cms.client, cms.services, "pulled")
    with capture_logs() as logs:
        assert assert_problem(sender.post(saved()))["status"] == 403
        assert assert_problem(sender.states("tax"))["status"] == 403
    assert [entry["remedy"] for entry in logs] == ["set secrets in [sources.pulled] in auskunft.toml"] * 2
    assert SECRET not in str(logs)
    assert stored(cms) == []


@pytest.fixture
def slow_town(tmp_path: Path) -> Iterator[Cms]:
    """Takes five messages a minute, from each of its two sources."""
    source = {"secrets": [SECRET], "events_per_minute": 5}
    settings = load_settings(
        data=new_data(tmp_path), embedder="hashing", sources={"town": source, "village": source}
    )
    with Services(settings) as services:
        yield Cms(create_app(services=services).test_client(), services)


def test_a_flood_is_stopped_without_losing_what_was_accepted(slow_town: Cms) -> None:
    app = create_app(services=slow_town.services)

    def deliver(number: int) -> int:
        sender = Cms(app.test_client(), slow_town.services)
        response = sender.post(saved(f"p{number}"), message_id=f"m{number}")
        if response.status_code == 429:
            assert_problem(response)
            assert 1 <= int(response.headers["Retry-After"]) <= 60
        return response.status_code

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(deliver, range(20)))
    assert sorted(codes) == [202] * 5 + [429] * 15
    assert sorted(stored(slow_town)) == sorted(f"p{n}" for n, code in enumerate(codes) if code == 202)
    assert Cms(slow_town.client, slow_town.services, "village").post(saved()).status_code == 202


def test_messages_of_strangers_do_not_use_up_what_a_source_may_send(slow_town: Cms) -> None:
    for _ in range(10):
        assert slow_town.post(saved(), secret=STRANGER).status_code == 401
    assert slow_town.post(saved()).status_code == 202


def test_only_the_bearer_of_a_token_may_ask_about_pages(cms: Cms) -> None:
    cms.send(saved())
    assert cms.states("tax", SECOND_SECRET).status_code == 200
    assert assert_problem(cms.states("tax", STRANGER))["status"] == 401
    assert assert_problem(cms.client.get("/api/sources/town/pages?id=tax"))["status"] == 401
    signed = headers(SECRET, "m", int(time.time()), b"")
    response = cms.client.get("/api/sources/town/pages?id=tax", headers=signed)
    assert assert_problem(response)["status"] == 401
