"""A site whose visitors may choose: the same texts indexed by two presets, side by side."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.site import DOG_TAX, POOL, raw_page
from tests.fakes.databases import new_data

QUESTION = "how much is the dog tax"
INDEXES = {
    "sections": {"sources": ["acts"], "label": "By sections"},
    "naive": {"sources": ["acts-naive"], "preset": "naive"},
    "rtr": {"sources": ["acts"], "preset": "rtr"},
}


def _page(source: str, page: tuple[str, str, str]) -> Save:
    save = raw_page(*page)
    return Save(page=replace(save.page, ref=replace(save.page.ref, source=source)))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """Two pages, each in two sources, one of which preset naive cuts."""
    data: Path = tmp_path_factory.mktemp("two")
    settings = load_settings(
        data=new_data(data),
        embedder="hashing",
        sources={"acts-naive": {"preset": "naive"}},
        sites=[{"key": "law", "indexes": INDEXES}, {"key": "town", "sources": ["acts"]}],
    )
    with Services(settings) as services:
        pages = [
            _page(source, page) for source in ("acts", "acts-naive", "other") for page in (DOG_TAX, POOL)
        ]
        services.store.accept(pages)
        services.indexing.indexer.sync_pages()
        yield create_app(services=services).test_client()


def search(client: FlaskClient, **query: str) -> Any:
    return client.get("/api/search", query_string={"site": "law", "q": QUESTION, **query}).get_json()


def answer(client: FlaskClient, **body: str) -> tuple[int, dict[str, Any]]:
    """The status of a question, and the data of its events by name; or the problem."""
    response = client.post("/api/chat?site=law&format=markdown", json={"question": QUESTION, **body})
    if response.status_code != 200:
        return response.status_code, response.get_json()
    frames = [frame.split("\n") for frame in response.text.split("\n\n") if frame.startswith("event:")]
    return 200, {
        name.removeprefix("event: "): json.loads(data.removeprefix("data: ")) for name, data in frames
    }


@pytest.mark.parametrize(
    ("index", "source"),
    [
        ({}, "acts"),
        ({"index": "sections"}, "acts"),
        ({"index": "naive"}, "acts-naive"),
        ({"index": "rtr"}, "acts"),
    ],
)
def test_the_chosen_index_is_searched_and_without_a_choice_the_first(
    two: FlaskClient, index: dict[str, str], source: str
) -> None:
    found = search(two, **index)
    assert {hit["source"] for hit in found["hits"]} == {source}
    assert found["hits"][0]["id"] == "dog-tax"


def test_an_index_is_searched_as_its_preset_says(two: FlaskClient) -> None:
    def ids(**query: str) -> list[str]:
        return [
            hit["id"] for hit in search(two, q="what does the outdoor pool cost on a day", **query)["hits"]
        ]

    assert ids(index="sections") == ["pool"]  # with thresholds
    assert ids(index="naive") == ["pool", "dog-tax"]  # all that there is, the nearest first


def test_an_answer_comes_from_the_chosen_index(two: FlaskClient) -> None:
    status, events = answer(two, index="naive")
    assert status == 200
    assert {each["id"] for each in events["sources"]["sources"]} == {"dog-tax", "pool"}
    assert "96 euros" in search(two, index="naive")["hits"][0]["passages"][0]["text"]


def test_an_unknown_index_is_refused_with_the_names_of_the_known_ones(two: FlaskClient) -> None:
    status, problem = answer(two, index="nope")
    assert (status, problem["detail"]) == (400, "unknown index 'nope'; known: sections, naive, rtr")
    response = two.get("/api/search", query_string={"site": "law", "q": QUESTION, "index": "nope"})
    assert (response.status_code, response.get_json()["detail"]) == (400, problem["detail"])
    nowhere = two.get("/api/search", query_string={"site": "town", "q": QUESTION, "index": "naive"})
    assert nowhere.status_code == 400
    assert "this site has none to choose from" in nowhere.get_json()["detail"]


@pytest.mark.parametrize("index", ["", "x" * 65, "a\0b", 3])
def test_what_cannot_be_an_index_is_a_problem(two: FlaskClient, index: Any) -> None:
    assert answer(two, index=index)[0] in (400, 422)


def test_a_source_of_another_index_is_not_to_be_had(two: FlaskClient) -> None:
    query = {"site": "law", "q": QUESTION, "index": "naive", "source": "acts"}
    response = two.get("/api/search", query_string=query)
    assert (response.status_code, response.get_json()["detail"]) == (
        400,
        "unknown source 'acts'; known: acts-naive",
    )


def test_a_conversation_may_go_on_in_another_index(two: FlaskClient) -> None:
    _, first = answer(two, index="sections")
    status, second = answer(two, index="naive", conversation=first["started"]["conversation"])
    assert (status, second["started"]["conversation"]) == (200, first["started"]["conversation"])


def test_the_chat_is_told_which_indexes_there_are(two: FlaskClient) -> None:
    site = two.get("/api/site?site=law").get_json()
    assert site["indexes"] == [
        {"name": "sections", "label": "By sections", "listed_sources": "cited"},
        {"name": "naive", "label": "naive", "listed_sources": "cited"},
        {"name": "rtr", "label": "rtr", "listed_sources": "used"},
    ]
    assert site["listed_sources"] == "cited"
    assert two.get("/api/site?site=town").get_json()["indexes"] == []


def test_the_api_describes_the_choice(two: FlaskClient) -> None:
    document = two.get("/openapi.json").get_json()
    parameters = {each["name"] for each in document["paths"]["/api/search"]["get"]["parameters"]}
    assert "index" in parameters
    assert "index" in document["components"]["schemas"]["ChatRequest"]["properties"]
