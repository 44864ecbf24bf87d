"""``GET /api/search``."""

from flask.testing import FlaskClient

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
