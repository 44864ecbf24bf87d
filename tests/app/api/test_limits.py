"""How often visitors may ask, by address and by site."""

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.api.limits import FACTORS, OTHER_FACTOR
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SITE_FACTOR, SiteSettings
from tests.services.redis import RedisServer

SITES = [SiteSettings(key=key, questions_per_minute=2) for key in ("town", "harbour")]
VISITOR = "198.51.100.7"
Make = Callable[..., FlaskClient]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes clients of installations with two sites, two questions a minute each."""
    with ExitStack() as made:

        def client(**settings: Any) -> FlaskClient:
            chosen = {"data": tmp_path, "embedder": "hashing", "sites": SITES, **settings}
            services = made.enter_context(Services(load_settings(**chosen)))
            return create_app(services=services).test_client()

        yield client


def rate(client: FlaskClient, address: str = VISITOR, site: str = "town", **headers: str) -> TestResponse:
    """A request that the limit of feedback counts; 404 where it is let through."""
    return client.post(
        f"/api/feedback?site={site}",
        json={"answer": "unknown", "rating": "up"},
        headers=headers,
        environ_base={"REMOTE_ADDR": address},
    )


def let_through(responses: list[TestResponse]) -> list[bool]:
    assert {response.status_code for response in responses} <= {404, 429}
    return [response.status_code == 404 for response in responses]


def test_who_asks_too_often_learns_when_to_go_on(make: Make) -> None:
    client = make()
    assert let_through([rate(client), rate(client)]) == [True, True]
    refused = rate(client)
    assert (refused.status_code, refused.mimetype) == (429, "application/problem+json")
    assert refused.get_json()["code"] == "too_many_requests"
    seconds = int(refused.headers["Retry-After"])
    assert 1 <= seconds <= 61
    assert f"again in {seconds} s" in refused.get_json()["detail"]


def test_a_page_of_the_site_may_read_the_refusal(make: Make) -> None:
    sites = [SiteSettings(key="town", origins=["https://www.otterfurt.example"], questions_per_minute=1)]
    client = make(sites=sites)
    for _ in range(2):
        refused = rate(client, Origin="https://www.otterfurt.example")
    assert refused.status_code == 429
    assert refused.headers["Access-Control-Allow-Origin"] == "https://www.otterfurt.example"


def test_after_the_minute_visitors_go_on(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make()
    assert let_through([rate(client) for _ in range(3)]) == [True, True, False]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert let_through([rate(client)]) == [True]


def test_others_are_not_hindered(make: Make) -> None:
    client = make()
    for _ in range(3):
        rate(client)
    assert let_through([rate(client), rate(client, "198.51.100.8"), rate(client, site="harbour")]) == [
        False,
        True,
        True,
    ]


def test_each_kind_of_request_has_a_limit_of_its_own(make: Make) -> None:
    client = make()

    def statuses(count: int, path: str) -> list[int]:
        url = f"/api/{path}{'&' if '?' in path else '?'}site=town"
        return [client.get(url, environ_base={"REMOTE_ADDR": VISITOR}).status_code for _ in range(count)]

    for _ in range(3):
        rate(client)
    assert 429 not in statuses(6, "search?q=otter")
    assert statuses(1, "search?q=otter") == [429]


def test_all_visitors_of_a_site_share_a_limit(make: Make) -> None:
    client = make()
    responses = [rate(client, f"203.0.113.{number}") for number in range(2 * SITE_FACTOR + 1)]
    assert let_through(responses) == [True] * 2 * SITE_FACTOR + [False]
    assert let_through([rate(client, site="harbour")]) == [True]


def test_who_is_refused_does_not_count_against_the_site(make: Make) -> None:
    client = make()
    for _ in range(3 * SITE_FACTOR):
        rate(client)
    assert let_through([rate(client, "203.0.113.1")]) == [True]


def test_requests_that_the_site_refuses_count_for_nobody(make: Make) -> None:
    client = make()
    for _ in range(5):
        assert rate(client, Origin="https://evil.example").status_code == 404
        options = client.options("/api/feedback?site=town", environ_base={"REMOTE_ADDR": VISITOR})
        assert options.status_code == 204
    assert let_through([rate(client), rate(client), rate(client)]) == [True, True, False]


def test_wrong_requests_count(make: Make) -> None:
    client = make()
    url = "/api/feedback?site=town"
    statuses = [
        client.post(url, json={}, environ_base={"REMOTE_ADDR": VISITOR}).status_code for _ in range(3)
    ]
    assert statuses == [422, 422, 429]


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        (["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:2::3"], [True, True, False]),
        (["2001:db8:1:2::1", "2001:db8:1:2::1", "2001:db8:1:3::1"], [True, True, True]),
        (["::ffff:198.51.100.7", "198.51.100.7", "::ffff:198.51.100.7"], [True, True, False]),
        (["::ffff:198.51.100.7", "::ffff:198.51.100.7", "::ffff:198.51.100.8"], [True, True, True]),
        (["fe80::1%eth0", "fe80::2%eth0", "fe80::3"], [True, True, False]),
        (["", "unix:", "no address"], [True, True, False]),
    ],
)
def test_a_visitor_is_an_address_or_an_ipv6_network(
    make: Make, addresses: list[str], expected: list[bool]
) -> None:
    client = make()
    assert let_through([rate(client, address) for address in addresses]) == expected


def test_addresses_that_visitors_claim_change_nothing(make: Make) -> None:
    client = make()
    responses = [rate(client, **{"X-Forwarded-For": f"203.0.113.{number}"}) for number in range(3)]
    assert let_through(responses) == [True, True, False]


def test_behind_trusted_proxies_the_address_that_they_saw_counts(make: Make) -> None:
    client = make(trusted_proxies=2)

    def through(*seen: str) -> TestResponse:
        return rate(client, "127.0.0.1", **{"X-Forwarded-For": ", ".join(seen)})

    proxy = "10.0.0.1"
    assert let_through([through(f"203.0.113.{n}", VISITOR, proxy) for n in range(3)]) == [True, True, False]
    assert let_through([through("198.51.100.9", proxy)]) == [True]


def test_a_machine_that_only_talks_to_itself_is_not_limited(make: Make) -> None:
    client = make(sites=[])
    assert False not in let_through([rate(client, "127.0.0.1", "default") for _ in range(21)])
    forwarded = {"X-Forwarded-For": VISITOR}
    behind = [rate(client, "127.0.0.1", "default", **forwarded) for _ in range(21)]
    assert let_through(behind) == [True] * 20 + [False]


def test_default_is_limited_where_it_is_declared(make: Make) -> None:
    client = make(sites=[SiteSettings(key="default", questions_per_minute=1)])
    assert let_through([rate(client, "127.0.0.1", "default") for _ in range(2)]) == [True, False]


def test_two_servers_count_apart_without_redis(make: Make) -> None:
    clients = make(), make()
    assert let_through([rate(client) for client in clients for _ in range(2)]) == [True] * 4


def test_addresses_are_not_logged(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    client = make()
    with caplog.at_level(logging.DEBUG):
        assert let_through([rate(client) for _ in range(3)])[-1] is False
    assert VISITOR not in caplog.text


@pytest.mark.redis
def test_servers_count_together_in_redis_for_a_minute(make: Make, private_redis: RedisServer) -> None:
    clients = make(broker_url=private_redis.url), make(broker_url=private_redis.url)
    assert let_through([rate(client) for client in clients for _ in range(2)]) == [True, True, False, False]
    with private_redis.client() as stored:
        keys = list(stored.scan_iter("auskunft:limits*"))
        assert keys
        assert all(0 < stored.ttl(key) <= 60 for key in keys)


@pytest.mark.redis
def test_without_redis_each_server_counts_for_itself_and_goes_on_with_it(
    make: Make, private_redis: RedisServer
) -> None:
    client = make(broker_url=private_redis.url)
    assert let_through([rate(client, "198.51.100.20")]) == [True]
    private_redis.kill()
    try:
        responses = [rate(client, "198.51.100.20") for _ in range(3)]
        assert let_through(responses) == [True, True, False]
        started = [rate(make(broker_url=private_redis.url)) for _ in range(2)]
        assert let_through(started) == [True, True]
    finally:
        private_redis.start()


def test_every_path_of_visitors_is_limited(make: Make) -> None:
    client = make()
    for rule in client.application.url_map.iter_rules():
        kind = rule.endpoint.split(".")[0]
        times = 2 * max(OTHER_FACTOR, FACTORS.get(kind, OTHER_FACTOR)) + 1
        if kind not in ("chat", "search", "feedback", "conversations", "site"):
            continue
        [method] = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        url = re.sub(r"<.*?>", "x", rule.rule) + "?site=town"
        answers = [
            client.open(url, method=method, environ_base={"REMOTE_ADDR": VISITOR}) for _ in range(times)
        ]
        assert answers[-1].status_code == 429, rule
