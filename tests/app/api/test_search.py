"""``GET /api/search``."""

from pathlib import Path

from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import PageRef, RawField, RawPage, Save
from tests.fakes.databases import new_data

QUESTION = "how much is the dog tax"


def test_pages_are_found_in_rank_order_with_their_passages(client: FlaskClient) -> None:
    response = client.get("/api/search", query_string={"q": QUESTION})
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    body = response.get_json()
    assert body["question"] == QUESTION
    assert body["hits"][0]["id"] == "dog-tax"
    assert "96 euros" in body["hits"][0]["passages"][0]["text"]


def test_the_words_of_the_question_are_marked_in_pieces_of_the_content(client: FlaskClient) -> None:
    hit = client.get("/api/search", query_string={"q": QUESTION}).get_json()["hits"][0]
    [piece, *_] = hit["highlights"]
    assert {piece["text"][start:end] for start, end in piece["marks"]} == {"dog", "dogs", "tax"}


def test_a_hit_tells_the_block_that_matches_and_opens_it(client: FlaskClient) -> None:
    hit = client.get("/api/search", query_string={"q": QUESTION}).get_json()["hits"][0]
    line = hit["lines"][0]
    assert line["text"] == "The dog tax is 96 euros a year for the first dog."
    assert [line["text"][start:end] for start, end in line["marks"]] == ["dog", "tax", "dog"]
    assert hit["href"] == "https://town.example/dog-tax#:~:text=The%20dog%20tax%20is"


def test_at_most_limit_hits_come(client: FlaskClient) -> None:
    query = {"q": "the quarantine of parcel 3", "limit": 2}
    assert len(client.get("/api/search", query_string=query).get_json()["hits"]) == 2


def test_a_known_source_is_searched_alone(client: FlaskClient) -> None:
    body = client.get("/api/search", query_string={"q": QUESTION, "source": "town"}).get_json()
    assert {hit["source"] for hit in body["hits"]} == {"town"}


def test_the_day_asked_for_is_told(client: FlaskClient) -> None:
    body = client.get("/api/search", query_string={"q": QUESTION, "at": "2023-01-31"}).get_json()
    assert body["time"] == {"in_force_on": "2023-01-31"}
    assert "time" not in client.get("/api/search", query_string={"q": QUESTION}).get_json()


def test_markup_in_a_question_comes_back_as_data(client: FlaskClient) -> None:
    response = client.get("/api/search", query_string={"q": "<script>alert(1)</script> dog tax"})
    assert response.mimetype == "application/json"
    assert response.get_json()["question"] == "<script>alert(1)</script> dog tax"


def test_an_endless_title_makes_no_endless_reply(tmp_path: Path) -> None:
    title = "Dog tax " + "and fees " * 30_000
    page = RawPage(
        ref=PageRef(source="town", id="p", language="en"),
        document="p",
        url="https://town.example/p",
        fields={
            "title": RawField(text=title, media_type="text/plain"),
            "content": RawField(text="The dog tax is 96 euros a year.", media_type="text/plain"),
        },
    )
    with Services(load_settings(data=new_data(tmp_path / "data"), embedder="hashing")) as services:
        services.store.accept([Save(page=page)])
        services.indexing.indexer.sync_pages()
        response = (
            create_app(services=services).test_client().get("/api/search", query_string={"q": QUESTION})
        )
    hit = response.get_json()["hits"][0]
    assert hit["title"].startswith("Dog tax and fees")
    assert hit["title"].endswith(" and fees…") or hit["title"].endswith(" and…")
    assert len(hit["title"]) <= 500
    assert len(response.data) < 10_000
