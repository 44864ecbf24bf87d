"""JSON-LD of pages is kept as far as it is used; what is broken, hostile or huge costs the page nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from ingest.html import json_ld

OFFICE = {"@type": "Place", "name": "Office", "telephone": "069 1"}


def script(text: str, kind: str = "application/ld+json") -> str:
    return f'<html><head><script type="{kind}">{text}</script></head><body><p>Text</p></body></html>'


def test_what_is_used_is_kept_of_all_scripts_wherever_they_are() -> None:
    graph = {
        "@context": "https://schema.org",
        "@graph": [{**OFFICE, "image": {"name": "x"}}, {"name": "Page"}],
    }
    html = script(json.dumps(graph)) + script(json.dumps([OFFICE]), 'application/ld+json; charset="utf-8')
    assert json.loads(json_ld(html, "page")) == [{"@graph": [OFFICE]}, OFFICE]


@pytest.mark.parametrize(
    "html",
    [
        "<p>ld+json</p>",
        script(json.dumps(OFFICE), "text/javascript"),
        f"<!-- {script(json.dumps(OFFICE))} -->",
        script(json.dumps({"name": "Page", "@type": "WebPage"})),
        script("7"),
        script("null"),
    ],
)
def test_what_says_nothing_is_not_kept(html: str) -> None:
    assert not json_ld(html, "page")


@pytest.mark.parametrize(
    "text",
    [
        "{broken",
        json.dumps({**OFFICE, "name": "x" * 70_000}),
        '{"address":' * 20 + '"x"' + "}" * 20,
        "[" * 60_000,
        '{"price": ' + "9" * 5_000 + "}",
    ],
)
def test_what_is_broken_or_huge_is_left_out_with_a_line_in_the_log(text: str) -> None:
    with capture_logs() as logged:
        assert json_ld(script(text), "page") == ""
        assert json.loads(json_ld(script(text) + script(json.dumps(OFFICE)), "page"))
    assert {"event": "json_ld_skipped", "page": "page"}.items() <= logged[0].items()


def test_no_more_is_read_of_a_page_than_a_thousand_values() -> None:
    with capture_logs() as logged:
        assert json_ld(script(json.dumps([OFFICE] * 1_000)), "page") == ""
        few = script(json.dumps([OFFICE] * 200))
        assert len(json.loads(json_ld(few * 3, "page"))) == 200
    assert [line["scripts"] for line in logged] == [1, 2]


def test_a_page_of_many_broken_scripts_makes_one_line_in_the_log() -> None:
    with capture_logs() as logged:
        assert json_ld(script("{broken") * 1_000, "page") == ""
    assert [line["scripts"] for line in logged] == [1_000]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "9" * 4_000])
def test_numbers_that_are_no_prices_go(number: str) -> None:
    [kept] = json.loads(json_ld(script(f'{{"price": {number}, "telephone": "069 1"}}'), "page"))
    assert kept == {"telephone": "069 1"}


def test_hidden_characters_go_and_long_texts_are_cut() -> None:
    [kept] = json.loads(
        json_ld(script(json.dumps({"name": "A\u200b \ud800B", "telephone": "1 " * 200})), "page")
    )
    assert kept["name"] == "A B"
    assert len(kept["telephone"]) <= 200


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["name", "address", "offers", "x"]), inner)
    ),
)


@given(JSON)
def test_any_json_is_read_to_json(value: object) -> None:
    kept = json_ld(script(json.dumps(value).replace("<", "\\u003c")), "page")
    assert not kept or isinstance(json.loads(kept), list)


def test_until_when_an_offer_holds_is_kept() -> None:
    offer = {"name": "Eintritt", "price": "8", "priceValidUntil": "2024-12-31", "sku": "no"}
    [kept] = json.loads(json_ld(script(json.dumps({"name": "Kino", "offers": offer})), "page"))
    assert kept["offers"] == {key: value for key, value in offer.items() if key != "sku"}
