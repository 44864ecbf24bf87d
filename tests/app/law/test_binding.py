"""What binds comes before the recitals that explain it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from app.law.binding import MARGIN, RECITAL_MARGIN, binding_first
from app.search.blocks import FoundBlock
from app.search.retrieval import Hit, NearChunk, Passage
from app.search.types import IndexedPage
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


def order(*blocks: FoundBlock, hits: Sequence[Hit] = ()) -> list[str]:
    return [each.passage.text for each in binding_first(blocks, hits)]


def test_an_article_that_answers_about_as_well_comes_before_a_recital() -> None:
    near = 1.0 - MARGIN / 2
    assert order(block("rct_1", 1.0), block("rct_2", near), block("art_5", near), block("art_6", near)) == [
        "art_5", "rct_1", "rct_2", "art_6",
    ]  # fmt: skip
    assert order(block("rct_1", 1.0), block("anx_I", near)) == ["anx_I", "rct_1"]


def test_a_recital_that_answers_clearly_better_stays_first() -> None:
    assert order(block("rct_1", 1.0), block("art_5", 1.0 - 2 * MARGIN)) == ["rct_1", "art_5"]


def test_what_is_put_first_counts_as_the_best() -> None:
    first, second = binding_first([block("rct_1", 1.0), block("art_5", 1.0 - MARGIN / 2)], [])
    assert (first.passage.text, first.score, second.score) == ("art_5", 1.0, 1.0)


def test_pages_of_websites_and_articles_at_the_top_stay_where_they_are() -> None:
    assert order(block("faq", 1.0, "page"), block("art_5", 1.0)) == ["faq", "art_5"]
    assert order(block("art_5", 1.0), block("rct_1", 1.0), block("art_6", 1.0)) == ["art_5", "rct_1", "art_6"]
    assert order(block("rct_1", 1.0), block("faq", 1.0, "page")) == ["rct_1", "faq"]
    assert order() == []


def found(block: FoundBlock, explains: FoundBlock | None = None) -> Hit:
    """The hit of a block's page; of a recital with the provision that it explains."""
    return Hit(
        rank=1,
        page=block.page,
        score=1.0,
        coverage=0.0,
        similarity={},
        passages=(),
        near_chunks=(NearChunk(start=0, end=block.passage.end, relevance=1.0),),
        explains=explains.page.ref if explains else None,
    )


def test_the_provision_that_a_recital_explains_comes_before_it_however_far_it_is() -> None:
    recital, near, far = block("rct_1", 1.0), block("art_5", 0.99), block("art_6", 0.1)
    hits = [found(recital, explains=far), found(near), found(far)]
    assert order(recital, near, far, hits=hits) == ["art_6", "rct_1", "art_5"]


def test_another_good_recital_leads_to_its_provision_and_a_worse_one_does_not() -> None:
    best, second, article = block("rct_1", 1.0), block("rct_2", 1.0 - RECITAL_MARGIN / 2), block("art_6", 0.1)
    hits = [found(best), found(second, explains=article), found(article)]
    assert order(best, second, article, hits=hits) == ["art_6", "rct_1", "rct_2"]
    worse = replace(second, score=1.0 - 2 * RECITAL_MARGIN)
    assert order(best, worse, article, hits=hits) == ["rct_1", "rct_2", "art_6"]


def test_a_recital_whose_provision_has_no_block_stays_first() -> None:
    best, article = block("rct_1", 1.0), block("art_6", 0.1)
    assert order(best, hits=[found(best, explains=article)]) == ["rct_1"]
