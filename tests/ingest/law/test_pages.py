"""Pages of an act."""

import json
from datetime import UTC, date, datetime

import pytest

from ingest.errors import PageError
from ingest.law.model import Act, Division, Unit
from ingest.law.pages import designation, pages
from ingest.types import RawPage

DIVISIONS = (Division(label="CHAPTER II", heading="FARES"), Division(label="SECTION 1"))
UNITS = (
    Unit(name="act", kind="act", markdown="Having regard to the sea,"),
    Unit(name="rct_1", kind="recital", number="1", label="(1)", markdown="The sea is wide.", anchor="rct_1"),
    Unit(
        name="art_7a",
        kind="article",
        number="7a",
        label="Article 7a",
        heading="Crossing fee",
        markdown="The fee of Article 7a stands in Annex I. Article 6 of Regulation (EU) 2016/679 applies.",
        divisions=DIVISIONS,
        anchor="art_7a",
        amended_by=("M1", "M2"),
    ),
    Unit(name="anx_I", kind="annex", number="I", label="ANNEX I", markdown="Four euros.", anchor="anx_I"),
    Unit(name="anx_I", kind="annex", number="I", label="ANNEX I", markdown="More euros.", part="B"),
    Unit(name="final", kind="final", markdown="Done at Bremen."),
)


def act(**changes: object) -> Act:
    """An act with one unit of each kind."""
    values: dict[str, object] = {
        "celex": "32020R0001",
        "language": "en",
        "version": date(2020, 1, 2),
        "layout": "oj-convex",
        "units": UNITS,
        "title": "REGULATION (EU) 2020/1 OF THE COUNCIL on ferries",
        "type": "regulation",
        "number": "2020/1",
    }
    return Act(**(values | changes))  # type: ignore[arg-type]


def named(unit: str, **changes: object) -> RawPage:
    """The page of a unit."""
    return next(page for page in pages(act(**changes), source="law") if page.ref.id.endswith(f"/{unit}"))


def test_each_unit_is_a_page_and_the_act_the_last_one() -> None:
    listed = pages(act(), source="law")
    assert [page.ref.id for page in listed] == [
        f"32020R0001@2020-01-02/{unit}" for unit in ("rct_1", "art_7a", "anx_I", "anx_I.B", "act")
    ]
    assert {page.document for page in listed} == {"32020R0001@2020-01-02/en"}
    assert [page.kind for page in listed] == ["recital", "article", "annex", "annex", "act"]


def test_an_article_has_its_heading_its_place_and_its_text() -> None:
    page = named("art_7a")
    texts = {name: field.text for name, field in page.fields.items()}
    assert texts["name"] == "Regulation (EU) 2020/1, Article 7a"
    assert texts["title"] == "Crossing fee"
    assert texts["description"].startswith("CHAPTER II: FARES › SECTION 1 › REGULATION (EU) 2020/1")
    assert texts["content"].startswith("The fee of Article 7a")
    assert page.updated == datetime(2020, 1, 2, tzinfo=UTC)


def test_a_page_says_which_unit_of_which_act_it_is_and_what_it_refers_to() -> None:
    known = named("art_7a").metadata
    assert (known["celex"], known["unit"], known["version"]) == ("32020R0001", "art_7a", "2020-01-02")
    assert json.loads(known["references"]) == ["32020R0001/anx_I", "32016R0679/art_6"]
    assert known["amended_by"] == "M1 M2"
    assert named("anx_I.B").metadata["unit"] == "anx_I"


def test_an_article_of_definitions_has_the_terms_as_keywords() -> None:
    text = "For the purposes of this Regulation:\n\n- (1) ‘ferry’ means a ship;\n- (2) ‘quay’ means a wall;"
    unit = Unit(name="art_3", kind="article", number="3", label="Article 3", markdown=text)
    page = named("art_3", units=(*UNITS, unit))
    assert json.loads(named("act", units=(*UNITS, unit)).metadata["terms"]) == {
        "ferry": "art_3",
        "quay": "art_3",
    }
    assert "terms" not in named("act").metadata
    assert page.fields["keywords"].text == "2020/1, 32020R0001, ferry, quay"


def test_the_act_page_holds_citations_signatures_and_the_list_of_articles() -> None:
    page = named("act")
    assert page.fields["content"].text == (
        "- Article 7a: Crossing fee\n\nHaving regard to the sea,\n\nDone at Bremen."
    )
    assert page.metadata["recitals"] == "yes"
    assert "recitals" not in named("act", units=UNITS[:1]).metadata


def test_units_whose_names_are_none_are_refused() -> None:
    units = [Unit(name=f"art_{'1' * length}", kind="article", markdown="Boats.") for length in (300, 301)]
    with pytest.raises(PageError, match="a name of 304 characters"):
        pages(act(units=(*UNITS, *units)), source="law")


def test_a_link_opens_at_the_unit() -> None:
    place = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:"
    assert named("art_7a").url == f"{place}32020R0001#art_7a"
    assert named("anx_I.B").url == f"{place}32020R0001"
    assert named("art_7a", consolidated=True, language="fr").url == (
        "https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=CELEX:02020R0001-20200102#art_7a"
    )
    assert named("act", celex="32020R0001R(04)").url == f"{place}32020R0001R%2804%29"
    assert pages(act(), source="law", url="https://law.example/a")[0].url == "https://law.example/a#rct_1"


def test_an_act_is_called_by_its_short_title_else_by_its_printed_number_else_by_its_celex_number() -> None:
    assert designation(act(short_title="Ferries Act")) == "Ferries Act"
    assert designation(act()) == "Regulation (EU) 2020/1"
    assert designation(act(title="DIRECTIVE 95/46/EC OF THE COUNCIL")) == "Directive 95/46/EC"
    assert designation(act(title="Protocol on ferries")) == "32020R0001"


def test_captions_are_in_the_acts_language() -> None:
    assert named("rct_1").fields["name"].text == "Regulation (EU) 2020/1, recital 1"
    assert named("rct_1", language="fr").fields["name"].text.endswith("considérant 1")
    assert named("rct_1", language="de").fields["name"].text.endswith("Erwägungsgrund 1")
    assert named("anx_I").fields["name"].text.endswith("Annex I")
    assert named("anx_I.B").fields["name"].text.endswith("Annex I (B)")
