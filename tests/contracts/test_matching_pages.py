"""What every search index does for lists of results: all pages with the words, as far as they are typed."""

from dataclasses import replace

import pytest

from app.search.index import SearchIndex
from app.search.types import PageMatch, QuerySpec, collection_of
from tests.contracts.embedded_pages import RECIPE, embedded, ref, remove

TOWN = frozenset({"town"})
PAGES = (
    embedded("dogs", title="Dog licences", content="Every dog has a licence."),
    embedded("fees", name="Fees", title="All fees", content="A dog costs 96 euros. " + "Other fees. " * 30),
    embedded(ref("hund", language="de"), title="Hundesteuer", content="Die Hundesteuer beträgt 96 Euro."),
    embedded(ref("baden", language="de"), content="Öffnungszeiten des Freibads. KI hilft."),
    embedded(ref("dogs", source="press"), content="The dog that came back."),
)


@pytest.fixture
def live(index: SearchIndex) -> int:
    number = index.create(RECIPE).number
    index.promote(number)
    index.write(number, PAGES)
    index.refresh()
    return number


def matching(index: SearchIndex, *words: str, prefix: str = "", sources: frozenset[str] = TOWN) -> list[str]:
    """The ids of the pages, best first."""
    spec = QuerySpec(words=words, sources=sources, keyword_limit=100)
    return [match.ref.id for match in index.matching_pages(spec, prefix)]


def test_pages_with_all_words_in_any_form_match_the_best_first(index: SearchIndex, live: int) -> None:
    assert matching(index, "dogs") == ["dogs", "fees"]
    assert matching(index, "dogs", "euros") == ["fees"]
    assert matching(index, "dogs", "absent") == []
    assert matching(index) == []


def test_a_match_tells_its_page_its_kind_and_its_headline(index: SearchIndex, live: int) -> None:
    one = embedded("act", name="Act 1", title="On bees", content="Bees.")
    index.write(live, [replace(one, page=replace(one.page, kind="article"))])
    index.refresh()
    spec = QuerySpec(words=("bees",), sources=TOWN)
    assert index.matching_pages(spec) == [
        PageMatch(ref=ref("act"), kind="article", headline="Act 1 On bees"),
    ]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("hundest", ["hund"]),
        ("hundesteue", ["hund"]),
        ("hundesteuer", ["hund"]),
        ("öffnungsz", ["baden"]),
        ("lic", ["dogs"]),
        ("li", []),
        ("ki", ["baden"]),
        ("absen", []),
        ("licz", []),
        ("dog", ["dogs", "fees"]),
    ],
)
def test_a_word_that_is_being_typed_is_completed_from_three_letters_on(
    index: SearchIndex, live: int, prefix: str, expected: list[str]
) -> None:
    assert matching(index, prefix=prefix) == expected


def test_a_completed_word_comes_with_all_others(index: SearchIndex, live: int) -> None:
    assert matching(index, "dog", prefix="eur") == ["fees"]
    assert matching(index, "absent", prefix="eur") == []


def test_other_sources_and_hidden_collections_do_not_match(index: SearchIndex, live: int) -> None:
    assert matching(index, "dog", sources=frozenset({"press"})) == ["dogs"]
    assert matching(index, "dog", sources=frozenset()) == []
    hidden = frozenset({collection_of(PAGES[0].page)})
    spec = QuerySpec(words=("dog",), sources=TOWN, without=hidden)
    assert [match.ref.id for match in index.matching_pages(spec)] == ["fees"]


def test_no_more_pages_come_than_are_asked_for(index: SearchIndex, live: int) -> None:
    spec = QuerySpec(words=("dog",), sources=TOWN, keyword_limit=1)
    assert [match.ref.id for match in index.matching_pages(spec)] == ["dogs"]


def test_matches_follow_what_is_written(index: SearchIndex, live: int) -> None:
    assert matching(index, prefix="lic") == ["dogs"]
    index.write(live, [remove("dogs", 2), embedded("new", content="Licensing office, licenced.")])
    index.refresh()
    assert matching(index, prefix="licens") == ["new"]
    assert "dogs" not in matching(index, prefix="lic")


def test_nothing_matches_before_a_generation_is_live(index: SearchIndex) -> None:
    assert matching(index, "dog", prefix="lic") == []


@pytest.mark.parametrize(
    "text", ["\ud800", '"*~', "a" * 50_000, "\U0010ffff\U0010ffff\U0010ffff", "%%%", "___"]
)
def test_odd_words_match_nothing(index: SearchIndex, live: int, text: str) -> None:
    assert matching(index, "dog", prefix=text) == []
    assert matching(index, text) == []
