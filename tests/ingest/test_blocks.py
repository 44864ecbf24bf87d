"""Blocks: slices of the text that a reader takes in at once."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ingest.blocks import PARAGRAPH_CHARACTERS, blocks, rows

PAGE = """# Swimming pool

The pool lies at the lake.

## Opening hours

We open every day but Christmas. The hours are:

- May: 9 to 19
- June: 9 to 20
  and on Wednesdays to 21

Last entry is at half past.

## Prices

| Ticket | Price |
| --- | --- |
| Day | 4.50 |
| Season | 85.00 |

```
## no heading
```
"""


def read(markdown: str) -> list[str]:
    """What is read of each block."""
    return [
        "\n".join(markdown[start:end].strip("\n") for start, end in block.spans) for block in blocks(markdown)
    ]


def test_a_list_is_read_with_the_sentences_that_lead_to_it_and_its_nested_lines() -> None:
    assert read(PAGE)[1] == (
        "We open every day but Christmas. The hours are:\n"
        "- May: 9 to 19\n- June: 9 to 20\n  and on Wednesdays to 21"
    )


def test_a_table_is_read_with_its_header_and_code_holds_no_heading() -> None:
    table, code = read(PAGE)[3:]
    assert table == "| Ticket | Price |\n| --- | --- |\n| Day | 4.50 |\n| Season | 85.00 |"
    assert code == "```\n## no heading\n```"


def test_blocks_know_the_headings_above_them() -> None:
    assert [block.headings for block in blocks(PAGE)] == [
        ("Swimming pool",),
        ("Swimming pool", "Opening hours"),
        ("Swimming pool", "Opening hours"),
        ("Swimming pool", "Prices"),
        ("Swimming pool", "Prices"),
    ]


def test_each_part_of_a_long_table_is_read_with_the_header() -> None:
    rows = "".join(f"| Street {number} | Monday |\n" for number in range(200))
    parts = read(f"| Street | Day |\n|---|---|\n{rows}")
    assert len(parts) > 3
    assert all(part.startswith("| Street | Day |\n|---|---|\n| Street ") for part in parts)
    assert "".join(part.removeprefix("| Street | Day |\n|---|---|\n") + "\n" for part in parts) == rows


def test_each_part_of_a_long_list_is_read_with_its_lead() -> None:
    items = "\n".join(f"- thing number {number}" for number in range(100))
    parts = read(f"Please bring:\n\n{items}")
    assert len(parts) > 1
    assert all(part.startswith("Please bring:\n- thing number") for part in parts)


def test_a_lead_is_as_long_as_it_is_read_not_as_the_addresses_in_it_are() -> None:
    lead = (
        f"{'This is told. ' * 10}Book at [the office](https://www.town.example/{'offices/' * 20}) and bring:"
    )
    assert read(f"{lead}\n\n- a pen\n- paper") == [f"{lead}\n- a pen\n- paper"]


def test_what_leads_to_a_list_from_a_long_paragraph_is_read_with_the_list_alone() -> None:
    told = "This is told at length. " * 10
    text, listed = told[:72], f"{told[72:]}Please bring:\n- a pen"
    assert read(f"{told}Please bring:\n\n- a pen") == [text, listed]


def test_a_numbered_paragraph_leads_to_the_points_below_it() -> None:
    points = "\n".join(f"- ({letter}) {'the use of systems ' * 20}" for letter in "abc")
    first, *others = read(
        f"1. Scope.\n\n2. The following are prohibited:\n\n{points}\n\n3. Other law applies."
    )
    assert first == "1. Scope."
    assert [other.partition("\n")[0] for other in others[:-1]] == ["2. The following are prohibited:"] * 3
    assert others[-1] == "3. Other law applies."


def test_a_paragraph_that_ends_in_a_colon_is_read_with_what_follows_it() -> None:
    paragraphs = [f"{'As was said. ' * 20}They say:", "Word for word. " * 20]
    assert read("\n\n".join(paragraphs)) == ["\n\n".join(paragraphs)]
    assert read("Run **this:**\n\n```\nmake\n```") == ["Run **this:**\n```\nmake\n```"]
    long = f"{'As was said. ' * 30}\nThe hours are:\n{'From nine to ten. ' * 20}"
    assert all(not piece.rstrip().endswith(":") for piece in read(long))


def test_each_slice_knows_what_it_is_a_part_of() -> None:
    told = "This is told at length. " * 10
    items = "".join(f"- thing number {number}\n" for number in range(100))
    markdown = f"{told}Please bring:\n\n{items}"
    text, first, *others = blocks(markdown)
    paragraph, listed = (0, len(told) + 14), (len(told) + 15, len(markdown))
    assert text.wholes == (paragraph,)
    assert {each.wholes for each in (first, *others)} == {(paragraph, listed)}
    assert [markdown[slice(*listed)][start:end] for start, end in rows(items, "list")] == (
        items.splitlines(keepends=True)
    )


def test_short_paragraphs_are_one_block_and_long_ones_are_split_between_sentences() -> None:
    assert read("One.\n\nTwo.\n\nThree.") == ["One.\n\nTwo.\n\nThree."]
    pieces = read("This sentence is one of very many. " * 40)
    assert len(pieces) > 2
    assert all(piece.rstrip().endswith("many.") and len(piece) <= PARAGRAPH_CHARACTERS for piece in pieces)


def test_paragraphs_of_a_quotation_are_paragraphs() -> None:
    paragraphs = [f"> This sentence {number} is one of very many. " * 8 for number in range(3)]
    assert read("\n>\n".join(paragraphs)) == paragraphs


LINES = st.sampled_from([
    "", "# Town", "## Pool", "A sentence. Another one.", "word " * 150, "- item", "  - nested", "1. first",
    "| a | b |", "|---|---|", "```", "   ", "> said", ">", "**bold**", "x" * 600, "- item " * 200,
    "Lead:", "\u2028odd", "1. Points:", "A sentence. " * 60 + "As follows:",
])  # fmt: skip


@given(st.lists(LINES, max_size=30).map("\n".join))
def test_every_line_but_headings_is_in_one_block_and_blocks_follow_each_other(markdown: str) -> None:
    found = blocks(markdown)
    own = [block.own for block in found]
    assert own == sorted(own)
    assert all(before[1] <= after[0] for before, after in pairwise(own))
    assert all(0 <= start < end <= len(markdown) for block in found for start, end in block.spans)
    for block in found:
        for (start, end), whole in zip(block.spans, block.wholes, strict=True):
            assert whole[0] <= start < end <= whole[1]
            assert all(
                other is block or not max(start, other.own[0]) < min(end, other.own[1]) for other in found
            )
    outside = list(markdown)
    for block in found:
        for start, end in block.spans:
            outside[start:end] = ["\n" if letter == "\n" else " " for letter in outside[start:end]]
    left = "".join(outside).split("\n")
    assert all(not line.replace(">", " ").strip() or line.startswith("#") for line in left)
