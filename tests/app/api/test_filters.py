"""Searches and chats that are filtered by declared fields, over HTTP."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.errors import UnindexedFieldError
from app.features.questions.services import QuestionServices
from app.search.filters import filters_in
from app.services import Services
from app.settings.settings import load_settings
from tests.app.api.events import named, parse
from tests.app.field_site import FIELDS, index_field_pages

QUESTION = "When is the form due?"


def found(client: FlaskClient, query: str) -> set[str]:
    """The ids of the hits."""
    response = client.get(f"/api/search?q={QUESTION}&{query}")
    assert response.status_code == 200, response.get_json()
    return {hit["id"] for hit in response.get_json()["hits"]}


def chat(client: FlaskClient, **body: Any) -> dict[str, Any]:
    """The ids of all sources, the answer and its conversation."""
    events = parse(client.post("/api/chat", json={"question": QUESTION, **body}).text)
    [listed] = named(events, "sources")
    [started] = named(events, "started")
    return {"ids": {source["id"] for source in listed["sources"]}, **started}


def test_a_search_finds_only_pages_that_pass_all_filters(field_client: FlaskClient) -> None:
    assert found(field_client, "limit=9") == {"register", "building", "permit", "plain"}
    assert found(field_client, "filter.office=Building") == {"building", "permit"}
    both = "filter.office=Building&filter.office=Registry"
    assert found(field_client, both) == {"register", "building", "permit"}
    assert found(field_client, f"{both}&filter.year.from=2025&filter.year.to=2025") == {"building"}
    assert found(field_client, f"{both}&filter.year.from=2026&filter.year.to=2025") == {"building"}
    assert found(field_client, "filter.year=2024") == {"register"}
    assert found(field_client, "filter.day.from=2024-03-02") == {"permit"}
    assert found(field_client, "filter.office=&filter.year.from=") == found(field_client, "limit=9")


@pytest.mark.parametrize("given", [10115, [10115], "10115"])
def test_a_keyword_may_be_a_number_in_json(given: object) -> None:
    [asked] = filters_in({"office": given}, {"office": "keyword"})
    assert asked.admits({"office": ("10115",)})


def test_a_keyword_that_no_page_can_have_is_refused(field_client: FlaskClient) -> None:
    response = field_client.get(f"/api/search?q={QUESTION}&filter.office={'x' * 257}")
    assert response.status_code == 400
    assert "use at most 256 characters" in response.get_json()["detail"]


def test_words_alone_are_searched_with_the_filters(field_client: FlaskClient) -> None:
    reply = field_client.get("/api/search?q=form&filter.office=Registry").get_json()
    assert reply["mode"] == "keyword"
    assert {hit["id"] for hit in reply["hits"]} == {"register", "building"}


def test_a_reply_has_the_facets_of_the_pages_found(field_client: FlaskClient) -> None:
    reply = field_client.get("/api/search?q=form&limit=1&filter.office=Registry").get_json()
    assert len(reply["hits"]) == 1
    office, year, day = reply["facets"]
    assert office["labels"] == {"de": "Amt", "en": "Office"}
    assert office["values"] == [{"value": "Registry", "count": 2}, {"value": "Building", "count": 1}]
    assert (year["field"], year["min"], year["max"]) == ("year", 2024, 2025)
    assert (day["min"], day["max"], "values" in day) == ("2024-03-01", "2024-03-01", False)


def test_an_installation_without_fields_has_no_facets_and_refuses_filters(client: FlaskClient) -> None:
    assert "facets" not in client.get("/api/search?q=dog").get_json()
    assert "facets" not in client.get("/api/search/pages?q=dog").get_json()
    refused = client.get("/api/search?q=dog&filter.office=Registry")
    assert (refused.status_code, refused.get_json()["code"]) == (400, "invalid_input")
    assert "declare it in [fields]" in refused.get_json()["detail"]


def test_a_chat_answers_from_pages_that_pass_and_a_follow_up_has_its_own_filters(
    field_client: FlaskClient,
) -> None:
    first = chat(field_client, filters={"office": ["Building"], "year": {"from": 2025}})
    assert first["ids"] == {"building"}
    again = {"conversation": first["conversation"], "question": "And when is the other form due?"}
    assert chat(field_client, **again, filters={"office": "Registry", "year": 2024})["ids"] == {"register"}
    assert len(chat(field_client, **again)["ids"]) > 1


def test_the_filters_are_kept_with_the_answer_and_hold_when_it_is_asked_again(
    field_client: FlaskClient, field_services: Services
) -> None:
    asked = {"day": {"to": "2024-12-31"}, "office": ["Registry"]}
    answer = chat(field_client, filters=asked)["answer"]
    replay = field_services.feature(QuestionServices).replayer.ask(answer)
    assert replay.provenance["asked"]["filters"] == asked
    assert {page["id"] for page in replay.provenance["pages"]} == {"register"}


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("filter.colour=red", "unknown field 'colour'; known: office, year, day"),
        ("filter.year.above=3", "unknown field 'year.above'"),
        ("filter.office.from=A", "field 'office' is a keyword"),
        ("filter.year=soon", "'soon' is not a number"),
        ("filter.year=nan", "'nan' is not a number"),
        ("filter.day.from=31.01.2026", "is not a day such as 2026-01-31"),
        ("filter.day.from=2026-02-30", "is not a day such as 2026-01-31"),
        ("filter.year=1&filter.year=2", "use one value, or one range"),
        ("filter.year=1&filter.year.to=2", "use one value, or one range"),
        ("&".join(f"filter.office={number}" for number in range(101)), "101 values"),
    ],
)
def test_a_wrong_filter_is_refused_and_told(field_client: FlaskClient, query: str, problem: str) -> None:
    response = field_client.get(f"/api/search?q=form&{query}")
    assert response.status_code == 400
    assert problem in response.get_json()["detail"]


@pytest.mark.parametrize(
    "filters",
    [[], {"office": None}, {"office": {"from": 1, "in": 2}}, {"office": [True]}, {"year": True}, "x"],
)
def test_filters_of_another_shape_are_refused(field_client: FlaskClient, filters: Any) -> None:
    response = field_client.post("/api/chat", json={"question": QUESTION, "filters": filters})
    assert response.status_code == 422


def test_a_page_that_is_taken_out_stays_hidden_whatever_the_filter(tmp_path: Path) -> None:
    with Services(load_settings(data=tmp_path, embedder="hashing", fields=FIELDS)) as services:
        index_field_pages(services)
        services.store.exclude("town", "building")
        client = create_app(services=services).test_client()
        assert found(client, "filter.office=Registry") == {"register"}
        office = client.get("/api/search?q=form").get_json()["facets"][0]
        assert office["values"] == [{"value": "Building", "count": 1}, {"value": "Registry", "count": 1}]


def test_a_declared_field_counts_after_a_rebuild(tmp_path: Path) -> None:
    with Services(load_settings(data=tmp_path, embedder="hashing")) as services:
        index_field_pages(services)
        built = services.indexing.build_recipe
    with Services(load_settings(data=tmp_path, embedder="hashing", fields=FIELDS)) as services:
        assert services.indexing.build_recipe != built
        services.indexing.rebuilder.build()
        client = create_app(services=services).test_client()
        assert found(client, "filter.office=Building&filter.day.from=2026-01-01") == {"permit"}


def test_a_field_that_the_index_was_built_without_is_a_conflict_that_tells_the_remedy(
    indexed_site: Path, tmp_path: Path
) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(load_settings(data=data, embedder="hashing", fields={"office": "keyword"})) as services:
        client = create_app(services=services).test_client()
        assert client.get("/api/search?q=dog tax").get_json()["facets"] == []
        for query in ("q=dog", "q=How much is the dog tax?"):
            response = client.get(f"/api/search?{query}&filter.office=Registry")
            assert (response.status_code, response.get_json()["code"]) == (409, UnindexedFieldError.code)
            assert "`auskunft reindex`" in response.get_json()["detail"]
        body = {"question": "How much is the dog tax?", "filters": {"office": "Registry"}}
        assert client.post("/api/chat", json=body).status_code == 409
        live = services.indexing.index.live()
        assert live is not None
        assert live.recipe.build != services.indexing.build_recipe
