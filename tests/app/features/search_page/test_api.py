"""``GET /api/search/pages``."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.app.site import XSS

PAGES = "/api/search/pages"


def found(client: FlaskClient, q: str, **query: Any) -> dict[str, Any]:
    response = client.get(PAGES, query_string={"q": q, **query})
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.get_json()
    return body


def test_pages_come_with_their_number_and_marked_words(client: FlaskClient) -> None:
    body = found(client, "dog tax")
    assert body["count"] >= 1
    first = body["hits"][0]
    assert (first["id"], first["source"], first["language"]) == ("dog-tax", "town", "en")
    assert first["title"][1::2] == ["Dog", "tax"]
    assert {"dog", "tax"} <= {piece for line in first["lines"] for piece in line["pieces"][1::2]}
    assert first["path"] == "town.example › dog-tax"


def test_a_half_typed_word_finds_pages(client: FlaskClient) -> None:
    assert [hit["id"] for hit in found(client, "swimm", typing="true")["hits"]] == ["pool"]
    assert found(client, "swimmz", typing="true")["count"] == 0


def test_many_pages_come_in_parts(client: FlaskClient) -> None:
    first, second = (found(client, "quarantine", page=number) for number in (1, 2))
    assert (first["count"], first["pages"], len(first["hits"])) == (len(XSS), 2, 10)
    ids = [hit["id"] for part in (first, second) for hit in part["hits"]]
    assert len(set(ids)) == len(XSS)
    assert found(client, "quarantine", page=99)["page"] == 2


def test_the_list_is_narrowed_and_says_to_what_it_can_be(client: FlaskClient) -> None:
    body = found(client, "quarantine")
    assert body["filters"]["source"] == {"town": len(XSS)}
    assert found(client, "quarantine", written_in="en")["count"] == len(XSS)
    narrowed = found(client, "quarantine", written_in="de")
    assert (narrowed["count"], narrowed["hits"]) == (0, [])
    assert narrowed["filters"]["language"] == {"en": len(XSS)}


def test_a_misspelt_word_is_corrected_and_both_are_told(client: FlaskClient) -> None:
    body = found(client, "quarantin")
    assert body["count"] == len(XSS)
    body = found(client, "quarentine")
    assert (body["asked"], body["question"]) == ("quarentine", "quarantine")


def test_nonsense_finds_nothing(client: FlaskClient) -> None:
    assert found(client, "xyzzy plugh frobnitz qwertz")["count"] == 0


@pytest.mark.parametrize("text", XSS)
def test_markup_comes_back_as_data(client: FlaskClient, text: str) -> None:
    response = client.get(PAGES, query_string={"q": f"quarantine {text}"})
    assert response.mimetype == "application/json"


@pytest.mark.parametrize("q", ["%", "_", "\u200b", '"', "a" * 3_000])
def test_odd_beginnings_are_no_error(client: FlaskClient, q: str) -> None:
    assert client.get(PAGES, query_string={"q": q, "typing": "true"}).status_code == 200


@pytest.mark.parametrize("query", [{"q": ""}, {"q": "a", "page": 0}, {"q": "a", "written_in": "deu"}])
def test_bad_queries_are_told_what_is_wrong(client: FlaskClient, query: dict[str, Any]) -> None:
    response = client.get(PAGES, query_string=query)
    assert response.status_code in (400, 422)
    assert response.mimetype == "application/problem+json"
