"""What binds comes before the recitals that explain it."""

from datetime import date

from app.law.binding import MARGIN, binding_first
from app.search.blocks import FoundBlock
from app.search.types import IndexedPage, Passage
from ingest.law.pages import page_id
from ingest.types import PageRef

DAY = date(2024, 6, 1)


def block(unit: str, score: float, kind: str = "", celex: str = "32020R0001") -> FoundBlock:
    """A block of a unit of law; with ``kind`` of a page that is none."""
    kinds = {"rct": "recital", "art": "article", "anx": "annex"}
    page = IndexedPage(
        ref=PageRef(source="law", id=unit if kind else page_id(celex, DAY, unit), language="en"),
        document="",
        sequence=1,
        url="",
        updated=None,
        kind=kind or kinds[unit.partition("_")[0]],
        fields={"content": unit},
        metadata={} if kind else {"celex": celex, "version": DAY.isoformat()},
    )
    passage = Passage(field="content", start=0, end=len(unit), text=unit)
    return FoundBlock(
        page=page,
        kind="text",
        passage=passage,
        before="",
        headings=(),
        spans=(),
        wholes=(),
        around=(0, 0),
        score=score,
    )


def order(*blocks: FoundBlock) -> list[str]:
    return [each.passage.text for each in binding_first(blocks)]


def test_an_article_that_answers_about_as_well_comes_before_a_recital() -> None:
    near = 1.0 - MARGIN / 2
    assert order(block("rct_1", 1.0), block("rct_2", near), block("art_5", near), block("art_6", near)) == [
        "art_5", "rct_1", "rct_2", "art_6",
    ]  # fmt: skip
    assert order(block("rct_1", 1.0), block("anx_I", near)) == ["anx_I", "rct_1"]


def test_a_recital_that_answers_clearly_better_stays_first() -> None:
    assert order(block("rct_1", 1.0), block("art_5", 1.0 - 2 * MARGIN)) == ["rct_1", "art_5"]


def test_what_is_put_first_counts_as_the_best() -> None:
    first, second = binding_first([block("rct_1", 1.0), block("art_5", 1.0 - MARGIN / 2)])
    assert (first.passage.text, first.score, second.score) == ("art_5", 1.0, 1.0)


def test_pages_of_websites_and_articles_at_the_top_stay_where_they_are() -> None:
    assert order(block("faq", 1.0, "page"), block("art_5", 1.0)) == ["faq", "art_5"]
    assert order(block("art_5", 1.0), block("rct_1", 1.0), block("art_6", 1.0)) == ["art_5", "rct_1", "art_6"]
    assert order(block("rct_1", 1.0), block("faq", 1.0, "page")) == ["rct_1", "faq"]
    assert order() == []
