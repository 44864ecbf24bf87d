"""Bad input on every endpoint: the answer is a 4xx problem, quick, and nothing breaks."""

import json
import time
from collections.abc import Iterator
from itertools import product
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient
from structlog.testing import capture_logs
from werkzeug.test import TestResponse

from app import create_app
from app.services import Services
from tests.app.api.test_bad_input import BODIES, assert_problem
from tests.attacks.inputs import (
    ADMINISTRATORS,
    BY_ID,
    IDS,
    METHODS,
    MISTAKES,
    MORE_TYPES,
    NO_TOKENS,
    PAGES,
    PATHS,
    QUERIES,
    QUERY_NAMES,
    SITES,
    TAKEN,
    TOO_DEEP,
    TOO_LARGE,
    VALID,
    VISITORS,
    wrong_fields,
)
from tests.attacks.sites import BEARER

CPU_SECONDS: Final = 2.0
"""What one request may cost."""

NAMED: Final = (
    *(("GET", path) for path in ("/", "/chat", "/api/search", "/api/site", "/static/page.css", "/widget.js")),
    *(("POST", path) for path in ("/chat", "/chat/feedback", "/chat/delete", "/api/chat")),
)
"""What is asked for with queries of other names."""


class Attacker:
    """Sends requests as an administrator, since what is not let in is not read either."""

    def __init__(self, client: FlaskClient) -> None:
        self._client = client

    def send(self, method: str, url: str, **options: Any) -> TestResponse:
        """Whatever comes of it, it is quick, and nothing is logged as broken."""
        begun = time.thread_time()
        with capture_logs() as logs:
            response = self._client.open(url, method=method, **{"headers": BEARER, **options})
        assert time.thread_time() - begun < CPU_SECONDS
        assert not [entry for entry in logs if entry["log_level"] in ("error", "critical")]
        assert "Set-Cookie" not in response.headers
        return response

    def post(self, url: str, body: bytes, content_type: str = "application/json") -> dict[str, Any]:
        """The problem that it makes."""
        return assert_problem(self.send("POST", url, data=body, content_type=content_type))


@pytest.fixture(scope="module")
def attacker(services: Services) -> Iterator[Attacker]:
    yield Attacker(create_app(services=services).test_client())


def test_what_is_no_json_is_a_problem(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for (name, body), path in product(BODIES.items(), PATHS.values()):
        with subtests.test(f"{path} {name}"):
            attacker.post(path, body)


def test_a_document_of_another_kind_is_a_problem(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for (name, mistake), path in product(MISTAKES.items(), PATHS.values()):
        with subtests.test(f"{path} {name}"):
            attacker.post(path, json.dumps(mistake).encode())


def test_a_wrong_field_is_a_problem(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for endpoint, name, document in wrong_fields():
        with subtests.test(f"{endpoint} {name}"):
            attacker.post(PATHS[endpoint], json.dumps(document).encode())


@pytest.mark.parametrize("endpoint", PATHS)
@pytest.mark.parametrize(
    ("body", "status"), [(TOO_DEEP, 400), (TOO_LARGE, 413), (b"{" * 60_000, 400), (b" " * 70_000, 413)]
)
def test_a_body_that_is_too_deep_or_too_large_is_a_problem(
    attacker: Attacker, endpoint: str, body: bytes, status: int
) -> None:
    assert attacker.post(PATHS[endpoint], body)["status"] == status


def test_a_body_of_another_type_is_refused(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for content_type, endpoint in product(MORE_TYPES, PATHS):
        with subtests.test(f"{endpoint} {content_type[:40]}"):
            problem = attacker.post(PATHS[endpoint], json.dumps(VALID[endpoint]).encode(), content_type)
            assert problem["status"] == 415


def test_a_site_that_there_is_not_is_not_found(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for (name, query), (method, path) in product(SITES.items(), VISITORS):
        with subtests.test(f"{method} {path} {name}"):
            problem = assert_problem(
                attacker.send(method, f"{path}?{query}", data=b"{", content_type="text/plain")
            )
            assert (problem["status"], problem["code"]) == (404, "not_found")


def test_an_id_that_there_is_not_is_not_found(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for (name, identifier), (method, path) in product(IDS.items(), BY_ID):
        with subtests.test(f"{method} {path} {name}"):
            site = "" if "admin" in path or "jobs" in path else "?site=town"
            problem = assert_problem(attacker.send(method, path.format(identifier) + site))
            assert problem["status"] == 404


def test_a_wrong_query_is_a_problem(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for path, queries in QUERIES.items():
        for query in queries:
            with subtests.test(f"{path} {query[:40]}"):
                assert_problem(attacker.send("GET", f"{path}&{query}"))


def test_another_method_is_refused(subtests: pytest.Subtests, attacker: Attacker) -> None:
    refused = [(path, method) for path, taken in TAKEN.items() for method in METHODS if method not in taken]
    for path, method in refused:
        with subtests.test(f"{method} {path}"):
            response = attacker.send(method, f"{path}?site=town")
            assert assert_problem(response)["status"] == 405
            allowed = {name.strip() for name in response.headers["Allow"].split(",")}
            assert allowed >= set(TAKEN[path])
            assert method not in allowed


def test_nobody_but_administrators_administers(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for (name, authorization), (method, path) in product(NO_TOKENS.items(), ADMINISTRATORS):
        with subtests.test(f"{method} {path} {name}"):
            headers = {} if authorization is None else {"Authorization": authorization}
            problem = assert_problem(attacker.send(method, path, json={}, headers=headers))
            assert (problem["status"], problem["code"]) == (401, "invalid_token")


@pytest.mark.parametrize(("url", "body", "content_type"), PAGES.values(), ids=PAGES.keys())
def test_a_wrong_form_is_told_on_a_page(attacker: Attacker, url: str, body: bytes, content_type: str) -> None:
    response = attacker.send("POST", url, data=body, content_type=content_type)
    assert 400 <= response.status_code < 500
    assert response.mimetype == "text/html"
    assert 'role="alert"' in response.text


def test_no_name_of_a_query_parameter_breaks_anything(subtests: pytest.Subtests, attacker: Attacker) -> None:
    for name, (method, path) in product([*QUERY_NAMES, "\udcff"], NAMED):
        with subtests.test(f"{method} {path} {name[:20]!a}"):
            query = urlencode([("site", "town"), (name, "x"), (name, "FOO")], errors="surrogatepass")
            assert attacker.send(method, f"{path}?{query}").status_code < 500


def test_the_other_language_keeps_every_query_parameter(
    subtests: pytest.Subtests, attacker: Attacker
) -> None:
    for name, path in product(QUERY_NAMES, ["/", "/chat"]):
        with subtests.test(f"{path} {name[:20]!a}"):
            query = urlencode([("site", "town"), (name, "x")], errors="surrogatepass")
            page = BeautifulSoup(attacker.send("GET", f"{path}?{query}").text, "html.parser")
            link = page.select_one("nav [hreflang=de]")
            assert link
            assert urlsplit(str(link["href"])).path in ("", path)
            kept = parse_qs(urlsplit(str(link["href"])).query, keep_blank_values=True)
            assert kept == {**parse_qs(query, keep_blank_values=True), "lang": ["de"]}


def test_of_a_name_that_is_there_twice_one_value_counts_and_is_checked(attacker: Attacker) -> None:
    attacker.post(PATHS["chat"], b'{"question": "dog tax", "question": 5}')
    attacker.post(PATHS["feedback"], b'{"answer": "x", "rating": "up", "rating": "sideways"}')
    assert assert_problem(attacker.send("GET", "/api/search?site=gone&site=town&q=dog"))["status"] == 404


def test_a_compressed_body_is_not_unpacked(attacker: Attacker) -> None:
    bomb = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00\x00\x00"
    headers = {**BEARER, "Content-Encoding": "gzip", "Content-Type": "application/json"}
    for path in PATHS.values():
        assert assert_problem(attacker.send("POST", path, data=bomb, headers=headers))["status"] == 400
