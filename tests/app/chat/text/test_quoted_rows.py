"""Lists and tables in quotes: what is left out of them is told and linked."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from app.chat.text.quoted_rows import BLOCK_CHARACTERS, RowWriter, bold_item, bold_row, cut
from app.search.blocks import FoundBlock, ranked_blocks
from app.search.extracts import quoted_markdown
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
    return quoted_markdown(blocks, RowWriter(blocks[0], question, language).write, cut)


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
        pytest.param(cms_pages, id="cms", marks=needs(PAGES)),
        pytest.param(law_pages, id="law", marks=needs(LAW)),
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
