"""Blocks of a page as one text: slices of it, with every omission marked."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.blocks import FoundBlock, ranked_blocks
from app.search.extracts import joined_markdown, quoted_markdown, written_rows
from tests.app.chat.pages import hit, page
from tests.app.search.omissions import is_all_told
from tests.ingest.test_blocks import LINES


def blocks_of(content: str) -> list[FoundBlock]:
    """All blocks of a page with this content, in its order."""
    ranked = ranked_blocks("anything", "anything", "en", [hit(page(content=content))])
    return sorted(ranked, key=lambda block: block.passage.start)


def joined(content: str, *numbers: int) -> str:
    """The blocks with these numbers as one text."""
    found = blocks_of(content)
    return joined_markdown([found[number] for number in numbers])


def quoted(blocks: Sequence[FoundBlock]) -> str:
    return quoted_markdown(blocks, written_rows, str)


LONG = "\n\n".join(f"{'This is told at length. ' * 15}It is part {number}." for number in range(3))
ITEMS = "\n".join(f"- thing number {number}, {'which is long, ' * 5}" for number in range(30))
ROWS = "\n".join(f"| Street {number} | {'Monday, ' * 10} |" for number in range(30))


def test_between_paragraphs_that_do_not_follow_each_other_a_mark_stands() -> None:
    assert f"It is part 0.\n\n[…]\n\n{LONG[:10]}" in joined(LONG, 0, 2)
    assert "[…]" not in joined(LONG, 0, 1, 2)


def test_sentences_of_one_paragraph_are_joined_or_marked_within_it() -> None:
    content = "This sentence is one of very many. " * 40
    assert joined(content, 0, 1, 2).rstrip() == content.rstrip()
    first, last = joined(content, 0, 2).split(" […] ")
    assert content.startswith(first)
    assert content.rstrip().endswith(last)
    assert joined(content, 1).startswith("[…] This sentence")
    assert joined(content, 1).endswith("many. […]")


def test_items_and_rows_that_are_left_out_are_marked_in_their_place() -> None:
    listed = joined(f"Bring:\n\n{ITEMS}", 0, 2)
    assert listed.startswith("Bring:\n- thing number 0,")
    assert listed.count("\n- […]\n") == 1
    table = joined(f"The days are:\n\n| Street | Day |\n|---|---|\n{ROWS}", 1)
    assert table.startswith("The days are:\n| Street | Day |\n|---|---|\n| […] |\n| Street ")
    assert table.endswith("|\n| […] |")


def test_numbered_items_keep_their_numbers_beside_what_is_left_out() -> None:
    items = "\n".join(f"{number}. step, {'which is long, ' * 9}" for number in range(1, 20))
    assert "\n\n[…]\n\n11. step" in joined(items, 0, 2)


def test_no_mark_stands_between_a_paragraph_and_the_list_that_its_end_leads_to() -> None:
    content = f"{'This is told at length. ' * 12}Bring:\n\n- a pen\n- paper"
    assert joined(content, 0, 1).endswith("Bring:\n- a pen\n- paper")
    assert "[…]" not in joined(content, 0, 1)


def test_a_quote_tells_at_its_ends_that_the_section_has_more() -> None:
    found = blocks_of(f"# Town\n\n{LONG}\n\n## Pool\n\nOpen.")
    assert quoted(found[1:2]).startswith("[…] This is told")
    assert quoted(found[1:2]).endswith("It is part 1. […]")
    assert "[…]" not in quoted(found[:3])
    assert quoted(found[3:]) == "Open."


def test_what_ends_in_a_colon_before_a_heading_is_marked() -> None:
    assert quoted(blocks_of("You need:\n\n## Papers\n\n- a pen")[:1]) == "You need: […]"


@given(content=st.lists(LINES, min_size=1, max_size=30).map("\n".join), data=st.data())
def test_whatever_blocks_are_chosen_nothing_is_left_out_without_a_mark(
    content: str, data: st.DataObject
) -> None:
    found = blocks_of(content)
    if not found:
        return
    section = data.draw(st.sampled_from([block.around for block in found]))
    within = [block for block in found if block.around == section]
    chosen = data.draw(st.lists(st.sampled_from(within), min_size=1, unique_by=lambda block: block.passage))
    assert is_all_told(quoted(chosen), content[slice(*section)])


@pytest.mark.parametrize("quote", ["One. Three.", "One. […] Two.", "Two. Three.", "One. Four. […]"])
def test_the_check_itself_finds_what_is_not_told(quote: str) -> None:
    assert is_all_told("One. […] Three.", "One. Two. Three.")
    assert not is_all_told(quote, "One. Two. Three.")
