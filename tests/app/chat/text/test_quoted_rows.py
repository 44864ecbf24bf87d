"""Lists and tables in quotes: what is left out of them is told and linked."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from app.chat.text.excerpts import BLOCK_CHARACTERS, RowWriter, bold_item, bold_row, cut
from app.search.blocks import FoundBlock, ranked_blocks
from app.search.extracts import quoted_markdown
from app.search.passages import slice_of
from app.search.types import IndexedPage
from tests.app.chat.pages import hit, page
from tests.app.search.omissions import is_all_told
from tests.fakes.real_pages import cms_pages, law_pages, sample_pages
from tests.shared import LAW, PAGES, needs

ITEMS = "\n".join(f"- thing number {number}, {'which is long, ' * 5}" for number in range(30))
TABLE = "| Street | Day |\n|---|---|\n" + "\n".join(
    f"| Street {number} | {'Monday, ' * 10} |" for number in range(30)
)


def blocks_of(found: IndexedPage) -> list[FoundBlock]:
    """All blocks of a page's content, in its order."""
    ranked = ranked_blocks("anything", "anything", "en", [hit(found)])
    content = [block for block in ranked if block.passage.field == "content"]
    return sorted(content, key=lambda block: block.passage.start)


def quoted(blocks: list[FoundBlock], language: str = "en", question: str = "") -> str:
    return quoted_markdown(blocks, RowWriter(blocks, question, language).write, cut)


@pytest.mark.parametrize("rows", [ITEMS, TABLE])
def test_below_a_part_of_a_list_or_table_stands_how_much_it_is_with_a_link_to_all(rows: str) -> None:
    found = blocks_of(page(content=f"Please bring this:\n\n{rows}"))
    text = quoted(found[1:2])
    shown = text.count("which is long, " * 5) + text.count("Monday, " * 10)
    assert 1 < shown < 30
    note = text.rpartition("\n\n")[2]
    assert note.startswith(f"{shown} of 30 shown, [see all](https://example.org/p1#:~:text=")
    assert (
        quoted(found[1:2], "de").rpartition("\n\n")[2].startswith(f"{shown} von 30 gezeigt, [alle ansehen](")
    )
    assert "shown" not in quoted(found)


def test_the_row_that_the_question_is_about_is_bold_wherever_it_stands() -> None:
    found = blocks_of(page(content=TABLE))
    text = quoted(found[:1], question="When is it in Street 25?")
    assert f"| […] |\n| **Street 25** | **{('Monday, ' * 10).strip()}** |\n| […] |" in text
    assert text.count("**") == 4


def test_the_item_that_the_question_is_about_is_bold_up_to_its_first_words() -> None:
    items = (
        "- the passport",
        f"- (b) a photo, {'which is new, ' * 25}",
        "- [form](https://town.example/form)",
    )
    found = blocks_of(page(content="\n".join(("Bring this:\n", *items))))
    assert quoted(found, question="Do I need my passport?").count("- **the passport**\n") == 1
    long = quoted(found, question="Do I need a photo?")
    assert "- **(b) a photo, which is new," in long
    assert long.replace("**", "").count("which is new") == 25
    assert "- **[form](https://town.example/form)**" in quoted(found, question="Do I need a form?")
    assert "**" not in quoted(found, question="What do I need to bring?")


POINTS = "1. The following shall be prohibited:\n\n" + "\n".join(
    f"- ({letter}) the use of {letter * 3} systems {'in any way ' * 30}" for letter in "abcdefgh"
)


def test_of_a_list_asked_for_as_a_whole_all_points_are_shown_the_others_by_their_heads() -> None:
    text = quoted(blocks_of(page(content=POINTS))[1:2], question="What is prohibited?")
    assert text.startswith("1. The following shall be prohibited:\n- (a) the use of aaa systems in any way")
    lines = text.split("\n")[1:9]
    assert [line[2:5] for line in lines] == [f"({letter})" for letter in "abcdefgh"]
    assert sum(line.endswith(" […]") for line in lines) == 6
    assert "\n\n2 of 8 in full, [see all](" in text


def test_of_a_list_of_which_a_point_is_asked_for_the_others_are_left_out() -> None:
    [first, second, *_] = blocks_of(page(content=POINTS))
    text = quoted([second], question="May I use ddd systems?")
    assert "- **(d) the use of ddd systems" in text
    assert "(e)" not in text
    part = slice_of(first.page, "content", (first.passage.start, first.passage.start + 350))
    assert quoted([replace(first, passage=part)], question="point a").count("\n- (") == 1


def test_a_list_or_table_of_which_little_is_missing_is_shown_whole() -> None:
    for rows in (ITEMS, TABLE):
        whole = "\n".join(rows.split("\n")[:14])
        found = blocks_of(page(content=whole))
        assert len(found) > 1
        assert quoted(found[:1]) == whole


def test_of_very_many_points_no_heads_are_shown() -> None:
    text = quoted(blocks_of(page(content=ITEMS))[:1], question="What is to bring?")
    assert text.count("- thing") == text.count("which is long, " * 5) < 30


def test_the_only_row_that_is_shown_is_not_bold() -> None:
    [found] = blocks_of(page(content="| Day | Hours |\n|---|---|\n| Monday | closed |\n| Friday | open |"))
    part = slice_of(found.page, "content", (found.passage.start, found.passage.start + 19))
    assert "**" not in quoted([replace(found, passage=part)], question="Monday?")


def test_what_has_marks_of_its_own_stays_as_it_is() -> None:
    assert bold_row("| **Pass** | 7 € | `x` | |") == "| **Pass** | **7 €** | `x` |  |"
    assert bold_item("- the *old* passport") == "- the *old* passport"
    assert bold_item("- [form](https://town.example/" + "a" * 200 + ")").count("**") in (0, 2)


def test_what_is_not_on_the_web_has_no_link() -> None:
    found = [
        replace(block, page=replace(block.page, url="notes.txt")) for block in blocks_of(page(content=ITEMS))
    ]
    assert quoted(found[:1]).endswith("of 30 shown")


def test_of_an_item_that_is_too_long_the_first_sentences_are_shown() -> None:
    [found] = blocks_of(page(content=f"- {'This is told at length. ' * 200}"))
    text = quoted([found])
    assert text.endswith("length. […]")
    assert len(text) < 1.1 * BLOCK_CHARACTERS


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(sample_pages, id="sample site"),
        pytest.param(cms_pages, id="cms", marks=[pytest.mark.slow, needs(PAGES)]),
        pytest.param(law_pages, id="law", marks=[pytest.mark.slow, needs(LAW)]),
    ],
)
def test_whatever_blocks_of_real_pages_are_chosen_nothing_is_left_out_without_a_mark(
    pages: Callable[[], Iterator[IndexedPage]],
) -> None:
    random, quotes = Random(7), 0
    for found in pages():
        sections: dict[tuple[int, int], list[FoundBlock]] = {}
        for block in blocks_of(found):
            sections.setdefault(block.around, []).append(block)
        for around, within in sections.items():
            chosen = random.sample(within, random.randint(1, len(within)))
            text = quoted(sorted(chosen, key=lambda block: block.passage.start))
            assert is_all_told(text, found.fields["content"][slice(*around)]), (found.ref, text)
            assert not text.rstrip("*_ ").endswith(":"), (found.ref, text)
            quotes += 1
    assert quotes > 20
