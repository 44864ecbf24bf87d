"""What every search index does with filters on declared fields: the same as plain code over all pages."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Final

import pytest

from app.errors import UnindexedFieldError
from app.search.fields import FieldTypes, fields_recipe
from app.search.filters import DateFilter, Filter, Filters, KeywordFilter, NumberFilter
from app.search.index import SearchIndex
from app.search.types import QuerySpec, collection
from ingest.types import EmbeddedPage, Vectors
from tests.contracts.embedded_pages import RECIPE, embedded, ref, remove, unit

TOWN: Final = frozenset({"town"})
TYPES: Final[FieldTypes] = {"office": "keyword", "year": "number", "day": "date"}
FIELDS: Final = replace(RECIPE, build={**RECIPE.build, **fields_recipe(TYPES)})
EAST: Final = unit(1, 0, 0, 0)
OFFICES: Final = ("Standesamt", "Bauamt", "Ordnungsamt", "Bürgeramt Mitte", "a;b", "u\u0308berall")
WORDS: Final = ("dog", "tax", "pool", "permit")


def page(page_id: str, sequence: int = 1, **metadata: str) -> EmbeddedPage:
    made = embedded(page_id, sequence, content="Opening hours", vectors={"content": [EAST]})
    return replace(made, page=replace(made.page, metadata=metadata))


def live(index: SearchIndex, *pages: EmbeddedPage) -> int:
    """The number of a live generation with the fields and these pages."""
    number = index.create(FIELDS).number
    index.promote(number)
    index.write(number, pages)
    index.refresh()
    return number


def found(index: SearchIndex, *filters: Filter, **spec: Any) -> set[str]:
    """The ids of the pages that the kNN clause or the words return."""
    asked = QuerySpec(words=("hours",), sources=TOWN, vector=EAST, k={"content": 50}, keyword_limit=50)
    return {each.page.ref.id for each in index.search(replace(asked, filters=filters, **spec))}


def test_a_page_passes_with_any_of_the_values_and_fails_without_the_field(index: SearchIndex) -> None:
    live(
        index,
        page("one", office="Standesamt"),
        page("two", office="Bauamt ;  Standesamt"),
        page("listed", office='["Bauamt", "Park; Garten", 7]'),
        page("none"),
        page("empty", office=" ; "),
    )
    assert found(index, KeywordFilter(field="office", values=("Standesamt",))) == {"one", "two"}
    assert found(index, KeywordFilter(field="office", values=("Bauamt", "x"))) == {"two", "listed"}
    assert found(index, KeywordFilter(field="office", values=("Park; Garten",))) == {"listed"}
    assert found(index, KeywordFilter(field="office", values=("7",))) == {"listed"}
    assert found(index, KeywordFilter(field="office", values=("standesamt",))) == set()


def test_both_ends_of_a_range_are_included_and_either_may_be_open(index: SearchIndex) -> None:
    live(
        index,
        page("old", year="-3.5", day="1969-12-31"),
        page("mid", year="2024", day="2026-01-31T23:59:59+02:00"),
        page("new", year="2.025e3", day="2026-02-01"),
        page("zero", year="-0", day="0001-01-01"),
    )
    assert found(index, NumberFilter(field="year", start=2024.0, end=2025.0)) == {"mid", "new"}
    assert found(index, NumberFilter(field="year", end=-3.5)) == {"old"}
    assert found(index, NumberFilter(field="year", start=0.0, end=0.0)) == {"zero"}
    assert found(index, DateFilter(field="day", end=date(2026, 1, 31))) == {"old", "mid", "zero"}
    assert found(index, DateFilter(field="day", start=date(2026, 1, 31))) == {"mid", "new"}
    assert found(index, DateFilter(field="day", start=date(2026, 1, 31), end=date(2026, 1, 31))) == {"mid"}
    assert found(index, NumberFilter(field="year")) == {"old", "mid", "new", "zero"}


def test_a_value_of_another_type_is_left_out_and_the_page_is_written(index: SearchIndex) -> None:
    number = live(index, page("odd", year="20 24", day="31.01.2026", office="x" * 300 + "; \ud800; Amt"))
    assert index.count(number) == 1
    assert found(index) == {"odd"}
    assert found(index, NumberFilter(field="year")) == found(index, DateFilter(field="day")) == set()
    assert found(index, KeywordFilter(field="office", values=("Amt",))) == {"odd"}
    assert found(index, KeywordFilter(field="office", values=("x" * 300,))) == set()


def test_k_counts_pages_that_pass(index: SearchIndex) -> None:
    nearer = [page(f"near{number}", office="Bauamt") for number in range(5)]
    far = embedded("far", content="Closed", vectors={"content": [unit(1, 9, 0, 0)]})
    live(index, *nearer, replace(far, page=replace(far.page, metadata={"office": "Standesamt"})))
    assert found(index, KeywordFilter(field="office", values=("Standesamt",)), k={"content": 1}) == {"far"}


def test_a_page_that_is_written_again_or_removed_is_filtered_by_its_new_values(index: SearchIndex) -> None:
    office = KeywordFilter(field="office", values=("Bauamt",))
    number = live(index, page("a", office="Bauamt", year="1"), page("b", office="Bauamt"), page("c"))
    assert found(index, office) == {"a", "b"}
    index.write(number, [page("a", 2, office="Standesamt"), remove("b", 2), page("c", 2, office="Bauamt")])
    index.refresh()
    assert found(index, office) == {"c"}
    assert found(index, NumberFilter(field="year")) == set()


def test_filters_hold_with_collections_that_are_left_out_and_for_a_single_page_they_do_not(
    index: SearchIndex,
) -> None:
    live(index, page("a", office="Bauamt"), page("b", office="Bauamt"), page("c"))
    office = KeywordFilter(field="office", values=("Bauamt",))
    assert found(index, office, without=frozenset({collection("town", "a", "page")})) == {"b"}
    assert found(index, office, within=frozenset({collection("town", "c", "page")})) == set()
    spec = QuerySpec(words=("hours",), sources=TOWN, filters=(office,))
    assert index.candidate(ref("c"), spec) is not None


def test_lists_of_matches_and_words_are_filtered_and_matches_tell_their_values(index: SearchIndex) -> None:
    live(index, page("a", office="Bauamt; Amt", year="3", day="2026-01-31"), page("b"))
    spec = QuerySpec(
        words=("hours",), sources=TOWN, filters=(KeywordFilter(field="office", values=("Amt",)),)
    )
    [match] = index.matching_pages(spec)
    assert match.values == {"office": ("Bauamt", "Amt"), "year": 3.0, "day": "2026-01-31"}
    assert [each.count for each in index.word_pages(spec, 5)] == [1]
    everything = index.matching_pages(replace(spec, filters=()))
    assert {each.ref.id: bool(each.values) for each in everything} == {"a": True, "b": False}


def test_chunks_are_filtered(index: SearchIndex) -> None:
    live(index, page("a", office="Bauamt"), page("b", office="Standesamt"))
    spec = QuerySpec(words=(), sources=TOWN, vector=EAST)
    office = KeywordFilter(field="office", values=("Bauamt",))
    assert {each.page.ref.id for each in index.search_chunks(spec, 5)} == {"a", "b"}
    assert {each.page.ref.id for each in index.search_chunks(replace(spec, filters=(office,)), 5)} == {"a"}


@pytest.mark.parametrize(
    "asked", [KeywordFilter(field="district", values=("Nord",)), KeywordFilter(field="year", values=("1",))]
)
def test_a_field_that_the_generation_was_not_built_with_is_refused(index: SearchIndex, asked: Filter) -> None:
    live(index, page("a", year="1", district="Nord"))
    spec = QuerySpec(words=("hours",), sources=TOWN, vector=EAST, k={"content": 5}, filters=(asked,))
    for search in (index.search, index.matching_pages, lambda spec: index.word_pages(spec, 5)):
        with pytest.raises(UnindexedFieldError, match="auskunft reindex"):
            search(spec)
    with pytest.raises(UnindexedFieldError):
        index.search_chunks(spec, 5)


def test_a_generation_without_fields_is_built_and_written_as_ever(index: SearchIndex) -> None:
    number = index.create(RECIPE).number
    index.promote(number)
    index.write(number, [page("a", office="Bauamt")])
    index.refresh()
    assert found(index) == {"a"}
    with pytest.raises(UnindexedFieldError):
        found(index, KeywordFilter(field="office", values=("Bauamt",)))


def test_fifty_filters_give_the_pages_that_plain_code_gives(index: SearchIndex) -> None:
    chance = random.Random(20_261_201)
    town = {f"p{number}": _any_page(chance) for number in range(40)}
    pages = [_written(name, *made) for name, made in town.items()]
    number = live(index, *pages)
    rewritten = {name: _any_page(chance) for name in chance.sample(sorted(town), 10)}
    index.write(number, [_written(name, *made, sequence=2) for name, made in rewritten.items()])
    index.refresh()
    town |= rewritten
    passed = 0
    for _ in range(50):
        filters = _any_filters(chance)
        k, vector = chance.randint(1, 12), unit(*(chance.uniform(-1, 1) for _ in range(4)))
        words = tuple(chance.sample(WORDS, chance.randint(1, 2)))
        spec = QuerySpec(
            words=words, sources=TOWN, vector=vector, k={"content": k}, keyword_limit=50, filters=filters
        )
        candidates = index.search(spec)
        passing = {
            name: made for name, made in town.items() if all(_passes(made[0], each) for each in filters)
        }
        passed += len(passing)
        near = {each.page.ref.id for each in candidates if each.near_fields}
        assert near == _nearest(passing, vector, k), filters
        having = {each.page.ref.id for each in candidates if each.keyword}
        assert having == {name for name, made in passing.items() if set(words) & set(made[1])}, filters
        assert {each.page.ref.id for each in candidates} == near | having
        matches = {each.ref.id for each in index.matching_pages(spec)}
        assert matches == {name for name, made in passing.items() if set(words) <= set(made[1])}, filters
    assert passed > 200


Made = tuple[Mapping[str, Any], Sequence[str], Vectors]
"""A page's values, as the oracle knows them, its words and its vector."""


def _any_page(chance: random.Random) -> Made:
    values: dict[str, Any] = {}
    if chance.random() < 0.8:
        values["office"] = chance.sample(OFFICES, chance.randint(1, 3))
    if chance.random() < 0.8:
        values["year"] = chance.choice([chance.randint(2018, 2026), round(chance.uniform(-5, 5), 2), 0.1])
    if chance.random() < 0.8:
        values["day"] = date(2024, 2, 27) + timedelta(days=chance.randint(-20, 20))
    words = chance.sample(WORDS, chance.randint(1, 3))
    return values, words, unit(*(chance.uniform(-1, 1) for _ in range(4)))


def _written(
    name: str, values: Mapping[str, Any], words: Sequence[str], vector: Vectors, sequence: int = 1
) -> Any:
    made = embedded(name, sequence, content=" ".join(words), vectors={"content": [vector]})
    metadata = {"year": str(values["year"])} if "year" in values else {}
    if "day" in values:
        metadata["day"] = values["day"].isoformat()
    if offices := values.get("office"):
        is_list = any(";" in office for office in offices)
        metadata["office"] = json.dumps(offices) if is_list else "; ".join(offices)
    return replace(made, page=replace(made.page, metadata=metadata))


def _any_filters(chance: random.Random) -> Filters:
    made: list[Filter] = []
    if chance.random() < 0.6:
        offices = [_composed(office) for office in chance.sample(OFFICES, chance.randint(1, 3))]
        made.append(KeywordFilter(field="office", values=tuple(offices)))
    if chance.random() < 0.5:
        low, high = sorted(chance.choice([chance.uniform(-5, 5), 0.1, 2020.0, 2024.0]) for _ in range(2))
        made.append(NumberFilter(field="year", start=low, end=chance.choice([high, None])))
    if chance.random() < 0.5:
        first = date(2024, 2, 27) + timedelta(days=chance.randint(-15, 10))
        last = first + timedelta(days=chance.randint(0, 20))
        made.append(DateFilter(field="day", start=chance.choice([first, None]), end=last))
    return tuple(made)


def _composed(office: str) -> str:
    """As a visitor's keyboard writes it."""
    return office.replace("u\u0308", "ü")


def _passes(values: Mapping[str, Any], asked: Filter) -> bool:
    value = values.get(asked.field)
    if value is None:
        return False
    if isinstance(asked, KeywordFilter):
        return any(_composed(office) in asked.values for office in value)
    after = asked.start is None or value >= asked.start
    return bool(after and (asked.end is None or value <= asked.end))


def _nearest(pages: Mapping[str, Made], vector: Vectors, k: int) -> set[str]:
    ordered = sorted(pages, key=lambda name: -float(pages[name][2] @ vector))
    return set(ordered[:k])
