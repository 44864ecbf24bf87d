"""Whatever is sent, the answer is a 4xx problem that says what was wrong."""

import json
from typing import Any, Final

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NESTED: Final = b"[" * 100_000
LONG: Final = "x" * 2_001

BODIES: Final[dict[str, bytes]] = {
    "nothing": b"",
    "white space": b"   ",
    "no JSON": b"question=dog",
    "cut off": b'{"question": "do',
    "two documents": b"{}{}",
    "deeply nested lists": NESTED,
    "deeply nested lists, closed": NESTED[:25_000] + b"]" * 25_000,
    "deeply nested objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "deeply nested in the question": b'{"question":' + NESTED[:30_000] + b"]" * 30_000 + b"}",
    "invalid UTF-8": b'{"question": "\xff\xfe"}',
    "UTF-16": '{"question": ""}'.encode("utf-16"),
    "a NUL byte": b"\0",
    "a raw NUL in a string": b'{"question": "a\0b"}',
    "a raw line break in a string": b'{"question": "a\nb"}',
    "infinite number": b'{"question": Infinity}',
    "number too long": b'{"question": ' + b"9" * 5_000 + b"}",
    "byte order mark only": b"\xef\xbb\xbf",
}

DOCUMENTS: Final[dict[str, Any]] = {
    "null": None,
    "true": True,
    "a number": 5,
    "a string": "question",
    "an empty list": [],
    "a list of questions": [{"question": "dog tax"}],
    "an empty object": {},
    "question missing": {"language": "de"},
    "question null": {"question": None},
    "question a number": {"question": 5},
    "question a boolean": {"question": True},
    "question a list": {"question": ["dog tax"]},
    "question an object": {"question": {"text": "dog tax"}},
    "question empty": {"question": ""},
    "question blank": {"question": " \t\n "},
    "question invisible": {"question": "\u200b\u2060\ufeff"},
    "question too long": {"question": LONG},
    "question much too long": {"question": "x" * 60_000},
    "question with NUL": {"question": "dog\0tax"},
    "question with a lone surrogate": {"question": "dog \ud800 tax"},
    "an unknown field": {"question": "dog tax", "temperature": 2},
    "a dunder field": {"question": "dog tax", "__class__": "x"},
    "Question in capitals": {"Question": "dog tax"},
    "source unknown": {"question": "dog tax", "source": "nowhere"},
    "source empty": {"question": "dog tax", "source": ""},
    "source a list": {"question": "dog tax", "source": ["town"]},
    "source a wildcard": {"question": "dog tax", "source": "*"},
    "source with NUL": {"question": "dog tax", "source": "to\0wn"},
    "source with quotes": {"question": "dog tax", "source": "town' OR '1'='1"},
    "language too long": {"question": "dog tax", "language": "deutsch"},
    "language in capitals": {"question": "dog tax", "language": "DE"},
    "language a number": {"question": "dog tax", "language": 1},
    "language with a line break": {"question": "dog tax", "language": "de\n"},
    "conversation a number": {"question": "dog tax", "conversation": 5},
    "conversation an object": {"question": "dog tax", "conversation": {"id": "x"}},
    "conversation a list": {"question": "dog tax", "conversation": ["x"]},
    "conversation too long": {"question": "dog tax", "conversation": "x" * 65},
    "conversation with NUL": {"question": "dog tax", "conversation": "x\0"},
    "conversation unknown": {"question": "dog tax", "conversation": "x" * 22},
    "conversation empty": {"question": "dog tax", "conversation": ""},
    "history of one's own": {"question": "dog tax", "history": [{"role": "user", "content": "hello"}]},
    "at a number": {"question": "dog tax", "at": 5},
    "at a word": {"question": "dog tax", "at": "today"},
    "at no day": {"question": "dog tax", "at": "2023-02-31"},
    "at a moment": {"question": "dog tax", "at": "2023-01-31T00:00:00Z"},
    "at other digits": {"question": "dog tax", "at": "２０２３-01-31"},
}

QUERIES: Final = {
    "nothing": "",
    "another name": "query=dog",
    "q empty": "q=",
    "q blank": "q=%20%09",
    "q too long": f"q={LONG}",
    "q with NUL": "q=dog%00tax",
    "q invisible": "q=%E2%80%8B",
    "unknown parameter": "q=dog&sort=1",
    "at a word": "q=dog&at=today",
    "at no day": "q=dog&at=2023-13-01",
    "at a number": "q=dog&at=20230131",
    "at empty": "q=dog&at=",
    "limit zero": "q=dog&limit=0",
    "limit negative": "q=dog&limit=-1",
    "limit too large": "q=dog&limit=21",
    "limit huge": "q=dog&limit=" + "9" * 5_000,
    "limit a word": "q=dog&limit=ten",
    "limit a fraction": "q=dog&limit=1.5",
    "limit empty": "q=dog&limit=",
    "source unknown": "q=dog&source=nowhere",
    "source empty": "q=dog&source=",
    "source with NUL": "q=dog&source=%00",
    "language unknown form": "q=dog&language=german",
}

TYPES: Final = ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json x")


def assert_problem(response: Any) -> dict[str, Any]:
    assert 400 <= response.status_code < 500
    assert response.mimetype == "application/problem+json"
    body: dict[str, Any] = json.loads(response.data)
    assert body["status"] == response.status_code
    assert body.keys() >= {"type", "title", "status", "detail", "code"}
    assert body["detail"]
    return body


def test_a_body_that_is_no_json_is_a_problem(subtests: pytest.Subtests, client: FlaskClient) -> None:
    for name, body in BODIES.items():
        with subtests.test(name):
            problem = assert_problem(client.post("/api/chat", data=body, content_type="application/json"))
            assert problem["status"] != 429
            assert problem["detail"] != "Bad Request"


def test_a_wrong_chat_document_is_a_problem(subtests: pytest.Subtests, client: FlaskClient) -> None:
    for name, document in DOCUMENTS.items():
        with subtests.test(name):
            response = client.post("/api/chat", data=json.dumps(document), content_type="application/json")
            assert assert_problem(response)["status"] != 429


def test_a_wrong_search_query_is_a_problem(subtests: pytest.Subtests, client: FlaskClient) -> None:
    for name, query in QUERIES.items():
        with subtests.test(name):
            assert assert_problem(client.get(f"/api/search?{query}"))["status"] != 429


@pytest.mark.parametrize("content_type", TYPES)
def test_a_body_not_declared_as_json_is_refused(client: FlaskClient, content_type: str) -> None:
    response = client.post("/api/chat", data=b'{"question": "dog tax"}', content_type=content_type)
    assert assert_problem(response)["status"] == 415


def test_a_body_that_is_too_large_is_refused(client: FlaskClient) -> None:
    body = json.dumps({"question": "x" * 70_000}).encode()
    response = client.post("/api/chat", data=body, content_type="application/json")
    assert assert_problem(response)["status"] == 413


def test_an_unknown_format_is_a_problem(client: FlaskClient) -> None:
    body = assert_problem(client.post("/api/chat?format=pdf", json={"question": "dog tax"}))
    assert body["fields"][0]["field"] == "format"


def test_a_wrong_field_is_named(client: FlaskClient) -> None:
    document = {"question": 5, "conversation": 1, "colour": "red"}
    body = assert_problem(client.post("/api/chat", json=document))
    assert [item["field"] for item in body["fields"]] == ["question", "conversation", "colour"]
    assert "question" in body["detail"]


def test_a_reason_of_ours_is_told_as_it_is_written(client: FlaskClient) -> None:
    body = assert_problem(client.post("/api/chat", json={"question": "dog\0tax"}))
    assert body["detail"] == "question: must not contain NUL"


def test_an_unknown_source_names_the_known_ones(client: FlaskClient) -> None:
    body = assert_problem(client.get("/api/search?q=dog&source=nowhere"))
    assert body["code"] == "invalid_input"
    assert "town" in body["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404),
        ("GET", "/api/", 404),
        ("GET", "/api/search/../../etc/passwd", 404),
        ("GET", "/static/../page.py", 404),
        ("GET", "/static/%2e%2e/%2e%2e/settings.py", 404),
        ("GET", "/manual", 404),
        ("GET", "/api/chat", 405),
        ("POST", "/api/search", 405),
        ("DELETE", "/", 405),
        ("PUT", "/healthz", 405),
    ],
)
def test_what_does_not_exist_is_a_problem(client: FlaskClient, method: str, path: str, status: int) -> None:
    response = client.open(path, method=method)
    assert assert_problem(response)["status"] == status
    assert status == 404 or "Allow" in response.headers


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
FIELDS = st.sampled_from(["question", "source", "language", "conversation", "at"])
REQUESTS = st.dictionaries(FIELDS, JSON | st.text(min_size=1), max_size=4)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON | REQUESTS)
def test_no_json_document_breaks_anything(client: FlaskClient, document: Any) -> None:
    response = client.post("/api/chat", data=json.dumps(document), content_type="application/json")
    if response.status_code != 200:
        assert_problem(response)
