"""Which block of the pages found answers the question."""

from dataclasses import replace

import pytest

from app.search.blocks import ANSWER_WEIGHT, best_scores, for_model, ranked_blocks
from app.search.extracts import joined_markdown
from app.search.retrieval import NearBlock, NearChunk
from tests.app.chat.pages import hit, page

CONTENT = """## Fees

The season ticket costs 85 euros.

## Hours

Open from 9 to 20.

## Contact

Town hall, market square 1.
"""


def near(content: str, text: str, relevance: float) -> NearChunk:
    """A chunk that is this text."""
    start = len(content[: content.index(text)].encode())
    return NearChunk(start=start, end=start + len(text.encode()), relevance=relevance)


def test_the_block_in_the_nearest_chunk_comes_first_where_no_word_says_more() -> None:
    found = replace(
        hit(page(content=CONTENT)),
        near_chunks=(near(CONTENT, "Open from 9 to 20.", 0.6), near(CONTENT, "Town hall", 0.2)),
    )
    ranked = ranked_blocks("Zu welcher Uhrzeit?", "Zu welcher Uhrzeit?", "de", [found])
    assert ranked[0].headings == ("Hours",)


def test_the_questions_words_and_headings_decide_where_meaning_was_not_searched() -> None:
    ranked = ranked_blocks("contact", "contact", "en", [hit(page(content=CONTENT))])
    assert ranked[0].passage.text.strip() == "Town hall, market square 1."


def test_a_block_of_a_page_further_down_must_be_better() -> None:
    same, other = hit(page("a", content=CONTENT)), hit(page("b", content=CONTENT), rank=2)
    ranked = ranked_blocks("season ticket", "season ticket", "en", [same, other])
    assert [block.page.ref.id for block in ranked[:2]] == ["a", "b"]


def test_a_footnote_comes_after_the_text_that_it_belongs_to() -> None:
    content = (
        "The disclosure covers discarded products.[^6]\n\n[^6]: Regulation on discarded products, OJ L 19."
    )
    question = "regulation on the disclosure of discarded products"
    ranked = ranked_blocks(question, question, "en", [hit(page(content=content))])
    assert ranked[0].passage.text.startswith("The disclosure")


def test_a_footnote_is_no_part_of_the_block_before_it() -> None:
    content = "The disclosure covers discarded products.[^6]\n\n[^6]: OJ L 19."
    ranked = ranked_blocks("disclosure", "disclosure", "en", [hit(page(content=content))])
    assert [block.passage.text.strip() for block in ranked] == [
        "The disclosure covers discarded products.[^6]",
        "[^6]: OJ L 19.",
    ]


def test_only_the_last_question_says_what_kind_of_text_is_wanted() -> None:
    content = "## A\n\nThe ticket costs 5 euros.\n\n## B\n\nBring it back to the counter of the station."
    found = [hit(page(content=content))]
    both = "How much is the ticket? What about the counter?"
    first, second = (
        ranked_blocks(both, asked, "en", found)
        for asked in ("How much is the ticket?", "What about the counter?")
    )
    scores = [{block.headings: block.score for block in ranked} for ranked in (first, second)]
    assert scores[0]["A",] > scores[1]["A",]
    assert scores[0]["B",] == scores[1]["B",]


def test_a_text_for_the_age_that_is_told_comes_first() -> None:
    content = (
        "## Adults\n\nThe fee from 24 years is 70 euros.\n\n## Others\n\nThe fee under 24 years is 37 euros."
    )
    told = ranked_blocks(
        "What is the fee? My daughter is 19.", "What is the fee?", "en", [hit(page(content=content))]
    )
    assert told[0].headings == ("Others",)
    other = ranked_blocks(
        "What is the fee? My mother is 70.", "What is the fee?", "en", [hit(page(content=content))]
    )
    assert other[0].headings == ("Adults",)


def test_passages_are_bytes_of_the_field() -> None:
    content = "## Größe\n\nÄpfel und Öl für übermorgen."
    [block] = ranked_blocks("Öl", "Öl", "de", [hit(page(content=content))])
    assert content.encode()[block.passage.start : block.passage.end].decode() == block.passage.text


def test_neighbours_are_joined_without_repeating_what_leads_to_them() -> None:
    rows = "".join(f"| Street {number} | Monday |\n" for number in range(100))
    content = f"The days are:\n\n| Street | Day |\n|---|---|\n{rows}"
    ranked = ranked_blocks("Street 50", "Street 50", "en", [hit(page(content=content))])
    ordered = sorted(ranked, key=lambda block: block.passage.start)
    assert joined_markdown(ordered).count("| Street | Day |") == 1
    assert joined_markdown(ordered).count("The days are:") == 1
    assert joined_markdown([ordered[0], ordered[-1]]).count("| Street | Day |") == 1
    assert "[…]" in joined_markdown([ordered[0], ordered[-1]])


def test_a_description_is_a_block_before_the_content_and_one_that_repeats_it_is_none() -> None:
    said = "Fees, hours and contact of the open-air pool."
    own = hit(page(content=CONTENT, description=said))
    assert said in [block.passage.text for block in ranked_blocks("pool", "pool", "en", [own])]
    repeated = hit(page(content=CONTENT, description="The **season ticket** costs 85 euros …"))
    ranked = ranked_blocks("season ticket", "season ticket", "en", [repeated])
    assert {block.passage.field for block in ranked} == {"content"}


def test_names_and_keywords_are_blocks_for_words_that_stand_nowhere_else() -> None:
    known = page(title="Pool", name="Pool", keywords="season ticket, hours", content=CONTENT)
    fields = {block.passage.field for block in ranked_blocks("pool", "pool", "en", [hit(known)])}
    assert fields == {"content"}
    more = page(title="Pool", name="Pool", keywords="season ticket, lido", content=CONTENT)
    fields = {block.passage.field for block in ranked_blocks("lido", "lido", "en", [hit(more)])}
    assert fields == {"content", "keywords"}


def test_a_summary_comes_after_what_it_sums_up_unless_it_has_what_is_asked_for() -> None:
    question = "How much is the season ticket?"
    for description, first in (
        ("All about the season ticket.", "content"),
        ("The season ticket is 85 euros.", "description"),
    ):
        content = "The season ticket is sold at the pool."
        found = hit(page(content=content, description=description))
        assert ranked_blocks(question, question, "en", [found])[0].passage.field == first


def test_a_list_of_links_comes_after_a_text_unless_it_has_what_is_asked_for() -> None:
    links = "* [Burial act](https://law.example/burial)\n* [Duties of relatives](https://law.example/2)"
    content = f"## Law\n\n{links}\n\n## Who pays\n\nBrothers and sisters pay, too."
    found = replace(
        hit(page(title="Burial", content=content)),
        near_chunks=(near(content, links, 0.55), near(content, "Brothers and sisters pay, too.", 0.5)),
    )
    for question, first in (("and my uncle?", "Who pays"), ("duties relatives burial act", "Law")):
        assert ranked_blocks(question, question, "en", [found])[0].headings == (first,)


def test_a_unit_of_law_is_read_without_its_place_in_the_act() -> None:
    found = page(name="Article 6", description="Title III › Chapter 1", content="High-risk systems.")
    law = hit(replace(found, metadata={"celex": "32024R1689"}))
    [block] = ranked_blocks("chapter", "chapter", "en", [law])
    assert block.passage.field == "content"


def test_a_page_without_text_is_read_by_its_title() -> None:
    found = replace(hit(page(title="Pool", content="x")), page=page(title="Pool"))
    [block] = ranked_blocks("pool", "pool", "en", [found])
    assert (block.passage.field, block.passage.text) == ("title", "Pool")


def test_a_model_reads_in_turn_the_best_blocks_by_comparison_and_by_chunks() -> None:
    question, found = "contact", hit(page(content=CONTENT))
    start, end = (len(CONTENT[: CONTENT.index(text)].encode()) for text in ("Open from", "## Contact"))
    hours = NearBlock(field="content", start=start, end=end, relevance=0.9)
    ranked = ranked_blocks(question, question, "en", [replace(found, compared_blocks=(hours,))])
    assert [block.headings[-1] for block in for_model(ranked)] == ["Hours", "Contact", "Fees"]


def test_a_block_that_was_read_to_answer_comes_before_one_that_is_as_near() -> None:
    found = hit(page(content=CONTENT))
    starts = [len(CONTENT[: CONTENT.index(text)].encode()) for text in ("The season", "Open from")]
    compared = (NearBlock(field="content", start=start, end=start + 9, relevance=0.5) for start in starts)
    read = replace(
        found,
        compared_blocks=tuple(compared),
        likelihoods={("content", starts[0]): 0.1, ("content", starts[1]): 0.9},
    )
    best = ranked_blocks("the pool", "the pool", "en", [read])[0]
    assert best.headings[-1] == "Hours"
    assert best.score - best.score_without_reader == pytest.approx(0.9 * ANSWER_WEIGHT)
    assert best_scores("the pool", "en", [read]) == [best.score]


def test_so_does_a_block_of_law_which_is_not_compared() -> None:
    found = hit(page(content=CONTENT))
    start = len(CONTENT[: CONTENT.index("Open from")].encode())
    best = ranked_blocks(
        "the pool", "the pool", "en", [replace(found, likelihoods={("content", start): 0.9})]
    )[0]
    assert best.headings[-1] == "Hours"
    assert best.score - best.score_without_reader == pytest.approx(0.9 * ANSWER_WEIGHT)


def test_what_begins_a_page_gives_way_to_a_section_that_says_as_much() -> None:
    content = "The lido has a slide.\n\n## Slide\n\nThe lido has a long slide.\n"
    first, second = ranked_blocks("lido slide", "lido slide", "en", [hit(page(content=content))])
    assert (first.headings[-1:], second.headings[-1:]) == (("Slide",), ())
    price = "The slide of the lido costs 2 euros.\n\n## Slide\n\nThe lido has a long slide.\n"
    question = "What does the slide cost?"
    [first, _] = ranked_blocks(question, question, "en", [hit(page(content=price))])
    assert "2 euros" in first.markdown
