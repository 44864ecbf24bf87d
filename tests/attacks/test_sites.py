"""Websites that ask for what is not theirs, and visitors who claim to be others."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.services import Services
from app.settings.settings import Settings
from tests.app.api.events import named, parse
from tests.attacks.inputs import VISITORS
from tests.attacks.sites import BEARER, HARBOUR, QUESTION, TOWN

OTHERS: Final = {
    "none that can be told": "null",
    "empty": "",
    "any": "*",
    "another site's": HARBOUR,
    "in capitals": "HTTPS://WWW.OTTERFURT.EXAMPLE",
    "with capitals": "https://www.Otterfurt.example",
    "without encryption": "http://www.otterfurt.example",
    "of another scheme": "chrome-extension://www.otterfurt.example",
    "with the default port": f"{TOWN}:443",
    "with another port": f"{TOWN}:8443",
    "with an empty port": f"{TOWN}:",
    "with a dot": f"{TOWN}.",
    "with a slash": f"{TOWN}/",
    "with a path": f"{TOWN}/chat",
    "with a query": f"{TOWN}?",
    "with a space": f"{TOWN} x",
    "with a name": "https://www.otterfurt.example@evil.example",
    "with a password": f"https://{TOWN.removeprefix('https://')}:x@evil.example",
    "within another": f"{TOWN}.evil.example",
    "with a longer end": f"{TOWN}s",
    "with a longer beginning": "https://evil-www.otterfurt.example",
    "without www": "https://otterfurt.example",
    "below it": "https://evil.www.otterfurt.example",
    "with another dot": "https://wwwxotterfurt.example",
    "with a backslash": "https://evil.example\\.www.otterfurt.example",
    "with an underscore": "https://www_otterfurt.example",
    "with percent signs": "https://www%2eotterfurt.example",
    "of letters that look alike": "https://www.xn--tterfurt-1fh.example",
    "of raw letters that look alike": "https://www.\u00f6tterfurt.example",
    "two": f"{TOWN} https://evil.example",
    "two with a comma": f"https://evil.example, {TOWN}",
    "a file": "file://",
    "a script": "javascript:alert(1)",
    "long": f"{TOWN}." + "x" * 5_000,
}

LOCAL_LOOKING: Final = (
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost:80@evil.example",
    "http://localhost:80:80",
    "http://localhost:x",
    "http://localhost/",
    "http://LOCALHOST",
    "http://127.0.0.1.",
    "http://127.1",
    "http://[::1].evil.example",
    "http://[::2]",
    "http://0.0.0.0",
    "http://evil.example",
    "ftp://localhost",
    "localhost",
    "null",
    "",
)


def outcome(response: TestResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    """All that a client can tell of it."""
    return response.status_code, sorted(response.headers), response.data


@pytest.fixture
def said(client: FlaskClient) -> tuple[str, str]:
    """An answer and its conversation, of the town."""
    events = parse(client.post("/api/chat?site=town", json={"question": QUESTION}).text)
    (started,) = named(events, "started")
    return started["answer"], started["conversation"]


def requests_for(answer: str, conversation: str) -> list[tuple[str, str, Any]]:
    """Every request that names an answer or a conversation."""
    return [
        ("GET", f"/api/answers/{answer}", None),
        ("POST", f"/api/answers/{answer}/stop", None),
        ("GET", f"/api/conversations/{conversation}", None),
        ("DELETE", f"/api/conversations/{conversation}", None),
        ("POST", "/api/feedback", {"answer": answer, "rating": "down"}),
        ("POST", "/api/chat", {"question": QUESTION, "conversation": conversation}),
    ]


def test_another_sites_answers_look_like_those_that_there_are_not(
    client: FlaskClient, said: tuple[str, str]
) -> None:
    before = client.get(f"/api/conversations/{said[1]}?site=town").data
    known, unknown = requests_for(*said), requests_for("x" * 22, "y" * 22)
    for (method, path, body), (_, other, other_body) in zip(known, unknown, strict=True):
        told = client.open(f"{path}?site=harbour", method=method, json=body)
        assert told.status_code == 404
        not_told = client.open(f"{other}?site=harbour", method=method, json=other_body)
        assert outcome(told) == outcome(not_told)
    assert client.get(f"/api/conversations/{said[1]}?site=town").data == before


def test_an_answers_id_is_no_conversations(client: FlaskClient, said: tuple[str, str]) -> None:
    for method, path, body in requests_for(said[1], said[0]):
        assert client.open(f"{path}?site=town", method=method, json=body).status_code == 404


@pytest.mark.parametrize("origin", [None, TOWN, HARBOUR])
@pytest.mark.parametrize(("method", "path"), VISITORS)
def test_a_suspended_site_looks_as_if_there_were_none(
    client: FlaskClient, method: str, path: str, origin: str | None
) -> None:
    headers = {"Origin": origin} if origin else {}
    told = {
        str(outcome(client.open(f"{path}?site={key}", method=method, headers=headers))).replace(key, "KEY")
        for key in ("nope", "gone")
    }
    assert len(told) == 1
    assert told.pop().startswith("(404,")


@pytest.mark.parametrize("origin", OTHERS.values(), ids=OTHERS.keys())
def test_a_page_elsewhere_is_told_that_there_is_no_such_site(client: FlaskClient, origin: str) -> None:
    for method, path in (*VISITORS, ("OPTIONS", "/api/chat")):
        response = client.open(f"{path}?site=town", method=method, headers={"Origin": origin})
        assert (response.status_code, response.get_json()["code"]) == (404, "not_found")
        shared = [value for name, value in response.headers if name.startswith("Access-Control")]
        assert shared == (["*"] if path == "/api/site" else [])  # there, why it is refused is for everybody
        assert "Origin" in response.headers["Vary"]
        assert "evil" not in response.text or re.fullmatch(r"https?://[a-z0-9.:-]+", origin)


@pytest.mark.parametrize("origin", OTHERS.values(), ids=OTHERS.keys())
def test_a_form_elsewhere_is_told_that_there_is_no_such_site(client: FlaskClient, origin: str) -> None:
    response = client.post("/chat?site=town", data={"q": QUESTION}, headers={"Origin": origin})
    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert "evil" not in response.text


@pytest.mark.parametrize("origin", LOCAL_LOOKING)
def test_what_looks_like_this_machine_is_not(installed: Settings, origin: str) -> None:
    with Services(installed.model_copy(update={"sites": [], "host": "127.0.0.1"})) as services:
        client = create_app(services=services).test_client()
        assert client.get("/api/site", headers={"Origin": "http://localhost:8000"}).status_code == 200
        assert client.get("/api/site", headers={"Origin": origin}).status_code == 404


@pytest.mark.parametrize(("method", "path"), VISITORS)
def test_a_preflight_is_answered_exactly(client: FlaskClient, method: str, path: str) -> None:
    headers = {
        "Origin": TOWN,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, x-evil",
        "Access-Control-Request-Private-Network": "true",
    }
    response = client.options(f"{path}?site=town", headers=headers)
    assert (response.status_code, response.data) == (204, b"")
    told = {name: value for name, value in response.headers if name.startswith("Access-Control")}
    assert told == {
        "Access-Control-Allow-Origin": TOWN,
        "Access-Control-Allow-Methods": "GET, POST, DELETE",
        "Access-Control-Allow-Headers": "Content-Type",
        "Access-Control-Expose-Headers": "Retry-After",
        "Access-Control-Max-Age": "600",
    }
    assert "Origin" in response.headers["Vary"]


OURS_ALONE: Final = (
    "/api/admin/reindex",
    "/api/admin/questions",
    "/api/admin/questions/counts",
    "/api/admin/questions/groups",
    "/api/jobs/x",
    "/healthz",
    "/readyz",
    "/metrics",
)


@pytest.mark.parametrize("path", OURS_ALONE)
@pytest.mark.parametrize("method", ["OPTIONS", "GET"])
def test_pages_of_no_site_may_read_the_rest(client: FlaskClient, method: str, path: str) -> None:
    response = client.open(path, method=method, headers={"Origin": TOWN, **BEARER})
    assert not [name for name, _ in response.headers if name.startswith("Access-Control")]


HOSTED: Final = (
    ("GET", "/"),
    ("GET", "/?q=dog+tax"),
    ("GET", "/chat?site=town"),
    ("POST", "/chat?site=town"),
    ("GET", "/chat/?site=town"),
    ("GET", "/static//page.css"),
    ("GET", "//evil.example/%2e%2e"),
    ("GET", "/openapi.json"),
    ("GET", "/api/site?site=town"),
    ("GET", "/api/search?site=town&q=dog+tax"),
    ("GET", "/api/nothing"),
    ("GET", "/api/chat"),
    ("POST", "/api/admin/reindex"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
)
FORGED: Final = (
    {"Host": "evil.example"},
    {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "evil.example",
        "Forwarded": "host=evil.example",
    },
    {
        "X-Original-Url": "/evil.example",
        "X-Rewrite-Url": "/evil.example",
        "X-Forwarded-Prefix": "/evil.example",
    },
)


@pytest.mark.parametrize("forged", FORGED, ids=lambda headers: next(iter(headers)))
@pytest.mark.parametrize("proxies", [0, 1])
def test_no_address_is_made_of_what_a_request_claims(
    installed: Settings, tmp_path_factory: pytest.TempPathFactory, proxies: int, forged: dict[str, str]
) -> None:
    settings = installed.model_copy(update={"trusted_proxies": proxies})
    with Services(settings) as services:
        client = create_app(services=services).test_client()
        for method, path in HOSTED:
            data = {"q": "dog tax"} if path.startswith("/chat") else None
            body = {"source": "nowhere"} if "reindex" in path else None
            response = client.open(path, method=method, data=data, json=body, headers={**BEARER, **forged})
            told = response.text.replace("//evil.example/%2e%2e", "") + str(response.headers)
            assert "evil.example" not in told, (method, path)
            assert response.status_code < 300 or response.status_code >= 400, (method, path)


def rate(client: FlaskClient, **headers: str) -> int:
    """What a request gets that the limit of feedback counts; 404 where it is let through."""
    body = json.dumps({"answer": "unknown", "rating": "up"})
    sent = {
        "Content-Type": "application/json",
        **{name.replace("_", "-"): text for name, text in headers.items()},
    }
    environ = {"REMOTE_ADDR": "198.51.100.7"}
    return client.post("/api/feedback?site=scarce", data=body, headers=sent, environ_base=environ).status_code


CLAIMS: Final = (
    "X_Forwarded_For",
    "Forwarded",
    "X_Real_Ip",
    "Client_Ip",
    "True_Client_Ip",
    "CF_Connecting_Ip",
)


@pytest.mark.parametrize("name", CLAIMS)
def test_who_claims_another_address_each_time_is_the_same_visitor(client: FlaskClient, name: str) -> None:
    statuses = [rate(client, **{name: f"203.0.113.{n}"}) for n in range(4)]
    assert statuses == [404, 404, 429, 429]


@pytest.fixture
def behind_a_proxy(installed: Settings) -> Iterator[FlaskClient]:
    with Services(installed.model_copy(update={"trusted_proxies": 1})) as services:
        yield create_app(services=services).test_client()


def test_behind_a_proxy_only_what_it_saw_itself_counts(behind_a_proxy: FlaskClient) -> None:
    claimed = [rate(behind_a_proxy, X_Forwarded_For=f"203.0.113.{n}, 198.51.100.9") for n in range(3)]
    assert claimed == [404, 404, 429]
    assert rate(behind_a_proxy, X_Forwarded_For="198.51.100.9, 198.51.100.10") == 404


@pytest.mark.parametrize(
    "garbage",
    ["", ",", ", , ", "unknown", "_hidden", "::::", "1.2.3.4.5", "x" * 5_000, "\u00e4", "'--", "%00"],
)
def test_garbage_of_a_proxy_is_one_visitor(behind_a_proxy: FlaskClient, garbage: str) -> None:
    statuses = [rate(behind_a_proxy, X_Forwarded_For=garbage) for _ in range(3)]
    assert statuses == [404, 404, 429]


def test_the_first_request_leaves_no_mark_on_the_description_of_the_api(client: FlaskClient) -> None:
    client.get("/openapi.json", headers={"Host": "evil.example"})
    assert "evil.example" not in client.get("/openapi.json").text
