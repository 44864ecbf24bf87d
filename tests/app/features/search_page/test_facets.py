"""Facets on the search page, as a browser without scripts sees them, and as the element is told."""

import pytest
from bs4 import BeautifulSoup
from flask.testing import FlaskClient

from tests.app.field_site import FIELD_PAGES
from tests.app.web.browser import assert_inert, soup


def load(client: FlaskClient, address: str) -> BeautifulSoup:
    response = client.get(address)
    assert response.status_code == 200
    return soup(response)


def facets(page: BeautifulSoup) -> dict[str, list[tuple[str, str, bool]]]:
    """Of each field the texts, addresses and choices of its links."""
    return {
        part.select(".name")[0].get_text(): [
            (" ".join(link.get_text().split()), str(link["href"]), link.get("aria-current") == "true")
            for link in part.select("a")
        ]
        for part in page.select(".filters p")
    }


def titles(page: BeautifulSoup) -> set[str]:
    return {title.get_text() for title in page.select(".hits h3")}


def test_a_value_is_a_link_that_narrows_the_list_and_another_leads_back(field_client: FlaskClient) -> None:
    page = load(field_client, "/?q=form&lang=en")
    offered = facets(page)["Office"]
    assert [text for text, _, _ in offered] == ["All", "Building 2", "Registry 2"]
    assert [chosen for _, _, chosen in offered] == [True, False, False]
    narrowed = load(field_client, offered[1][1])
    assert titles(narrowed) == {"Building form", "Permit form"}
    now = facets(narrowed)["Office"]
    assert [(text, chosen) for text, _, chosen in now] == [
        ("All", False),
        ("Building 2", True),
        ("Registry", False),
    ]
    assert len(titles(load(field_client, now[0][1]))) == len(FIELD_PAGES)
    assert_inert(narrowed)


def test_a_range_is_a_form_that_keeps_all_other_choices(field_client: FlaskClient) -> None:
    page = load(field_client, "/?q=form&lang=en&filter.office=Building&filter.office=Registry")
    forms = {str(form.legend.get_text()): form for form in page.select("form.range") if form.legend}
    assert forms.keys() == {"year", "day"}
    sent = [(item["name"], item.get("value")) for item in forms["year"].select("input")]
    assert ("filter.office", "Building") in sent
    assert ("filter.office", "Registry") in sent
    assert [item.get("placeholder") for item in forms["year"].select("input[type=number]")] == [
        "2024",
        "2025",
    ]
    assert [item.get("placeholder") for item in forms["day"].select("input[type=date]")] == [
        "2024-03-01",
        "2026-01-31",
    ]
    labels = {label["for"] for label in forms["day"].select("label")}
    assert labels == {item["id"] for item in forms["day"].select("input[id]")}
    narrowed = load(
        field_client, "/?q=form&lang=en&filter.office=Building&filter.year.from=2025&filter.year.to="
    )
    assert titles(narrowed) == {"Building form"}


def test_a_choice_that_finds_nothing_can_be_taken_back(field_client: FlaskClient) -> None:
    page = load(field_client, "/?q=form&lang=de&filter.office=Nobody")
    assert titles(page) == set()
    assert [(text, chosen) for text, _, chosen in facets(page)["Amt"]] == [
        ("Alle", False),
        ("Nobody 0", True),
    ]


def test_a_new_search_and_the_chat_keep_the_filters(field_client: FlaskClient) -> None:
    page = load(field_client, "/?q=form&lang=en&filter.office=Building")
    [form] = page.select("form[role=search]")
    assert form.select("input[name='filter.office']")[0]["value"] == "Building"
    assert "filter.office=Building" in str(form.select("button.second")[0]["formaction"])


@pytest.mark.parametrize("address", ["/?q=form&filter.unknown=1", "/?q=form&filter.year=abc"])
def test_a_filter_that_cannot_be_is_an_error_and_no_list(field_client: FlaskClient, address: str) -> None:
    response = field_client.get(address)
    assert response.status_code == 400
    assert not soup(response).select(".hits")


def test_a_name_that_no_field_can_have_does_not_become_markup(field_client: FlaskClient) -> None:
    name = "filter.x onfocus"
    for path in ("/", "/chat"):
        response = field_client.get(path, query_string={name: "alert(1)", "filter.office": '"><script>'})
        page = soup(response)
        assert_inert(page)
        assert not page.select("[onfocus]")


def test_the_element_is_told_facets_of_the_whole_list(field_client: FlaskClient) -> None:
    found = field_client.get("/api/search/pages?q=form&filter.year.from=2024").get_json()
    assert found["facets"] == [
        {
            "field": "office",
            "type": "keyword",
            "labels": {"de": "Amt", "en": "Office"},
            "values": [{"value": "Registry", "count": 2}, {"value": "Building", "count": 1}],
        },
        {"field": "year", "type": "number", "labels": {}, "min": 2024.0, "max": 2025.0},
        {"field": "day", "type": "date", "labels": {}, "min": "2024-03-01", "max": "2024-03-01"},
    ]
    typed = field_client.get("/api/search/pages?q=for&typing=true&filter.office=Registry").get_json()
    assert {hit["id"] for hit in typed["hits"]} == {"register", "building"}
