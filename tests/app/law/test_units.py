"""Pages of law, told from other pages."""

import json
from dataclasses import replace
from datetime import date

import pytest

from app.law.links import references_of
from app.law.units import LawUnit, changes_law, law_unit
from app.search.types import IndexedPage
from ingest.types import PageRef

KNOWN = {"celex": "32020R0001", "version": "2020-01-01"}
ID = "32020R0001@2020-01-01/anx_I.B"


def page(identifier: str = ID, **metadata: str) -> IndexedPage:
    return IndexedPage(
        ref=PageRef(source="any", id=identifier, language="en"),
        document="",
        sequence=1,
        url="",
        kind="article",
        updated=None,
        fields={},
        metadata=metadata,
    )


def test_a_unit_of_law_is_known_by_its_id_and_metadata() -> None:
    unit = law_unit(page(**KNOWN))
    assert unit == LawUnit(celex="32020R0001", version=date(2020, 1, 1), unit="anx_I.B")


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"celex": "32020R0001"},
        {"version": "2020-01-01"},
        {**KNOWN, "version": "yesterday"},
        {**KNOWN, "version": "2020-13-01"},
        {**KNOWN, "celex": "32020R0002"},
        {**KNOWN, "celex": ""},
    ],
)
def test_a_page_of_another_source_with_such_metadata_is_no_law(metadata: dict[str, str]) -> None:
    assert law_unit(page(**metadata)) is None
    assert references_of(page(**metadata, references=json.dumps(["32016R0679/art_5"]))) == []


def test_a_page_cannot_name_itself_by_what_is_no_celex_number() -> None:
    celex = '3" applied-until="1999-01-01'
    assert law_unit(page(f"{celex}@2020-01-01/art_1", celex=celex, version="2020-01-01")) is None


@pytest.mark.parametrize("written", ["see the guide", "5", "null", '{"a": 1}', "[1, null]", "[" * 50_000])
def test_references_that_are_no_list_of_texts_are_none(written: str) -> None:
    assert references_of(page(**KNOWN, references=written)) == []


@pytest.mark.parametrize(
    "content",
    [
        "Regulation (EC) No 3/2010 is amended as follows: (1) in Article 2, point (b) is deleted;",
        "Directive 95/46/EC is repealed with effect from 25 May 2018.",
        "This Regulation shall enter into force on the twentieth day following that of its publication.",
        "Die Verordnung (EG) Nr. 3/2010 wird wie folgt geändert:",
        "Diese Verordnung tritt am zwanzigsten Tag nach ihrer Veröffentlichung in Kraft.",
        "La directive 95/46/CE est abrogée.",
        "Le présent règlement entre en vigueur le vingtième jour suivant celui de sa publication.",
    ],
)
def test_an_article_that_changes_law_is_known_by_its_beginning(content: str) -> None:
    assert changes_law(replace(page(), fields={"content": content}))


@pytest.mark.parametrize(
    "content",
    ["Operators shall amend their plans each year.", "x" * 500 + " Directive 95/46/EC is repealed."],
)
def test_other_articles_do_not_change_law(content: str) -> None:
    assert not changes_law(replace(page(), fields={"content": content}))
