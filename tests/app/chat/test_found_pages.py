"""What a search shows of a page: the block that matches, its words marked, and a link to it."""

from dataclasses import replace

import pytest

from app.chat.found_pages import SHOWN_CHARACTERS, FoundPage, block_lines, found_pages
from tests.app.chat.pages import hit, page, retrieval

POOL = """The outdoor pool lies at the lake.

## Prices

You pay at the gate:

| Ticket | Adults | Children |
|---|---|---|
| Day | 5 euros | 2 euros |
| Season | 85 euros | 30 euros |

## Rules

Please mind:

- Dogs stay outside, with or without a lead.
- Balls may be brought along.
"""


def found(question: str, content: str, **fields: str) -> FoundPage:
    hits = (hit(page(content=content, **fields)),)
    [only] = found_pages(retrieval(question, *hits), hits)
    return only


def texts(question: str, content: str = POOL) -> list[str]:
    return [line.text for line in found(question, content).lines]


def test_a_row_of_a_table_names_its_columns_below_what_leads_to_it() -> None:
    shown = found("How much is the season ticket?", POOL)
    assert shown.heading == "Prices"
    assert [line.text for line in shown.lines] == [
        "You pay at the gate:",
        "Ticket: Day · Adults: 5 euros · Children: 2 euros",
        "Ticket: Season · Adults: 85 euros · Children: 30 euros",
    ]
    assert [line.listed for line in shown.lines] == [False, True, True]


def test_a_list_is_shown_in_whole_items_with_its_lead() -> None:
    assert texts("Are dogs allowed?") == [
        "Please mind:",
        "Dogs stay outside, with or without a lead.",
        "Balls may be brought along.",
    ]


def test_the_questions_words_are_marked() -> None:
    (line,) = [line for line in found("Is a dog allowed?", POOL).lines if "Dogs" in line.text]
    assert list(line.pieces)[:3] == [
        ("", False),
        ("Dogs", True),
        (" stay outside, with or without a lead.", False),
    ]


def test_the_link_opens_the_block() -> None:
    assert found("Are dogs allowed?", POOL).href.endswith("#:~:text=Dogs%20stay%20outside%2C%20with")


def test_a_heading_that_repeats_the_title_is_left_out() -> None:
    assert found("Are dogs allowed?", POOL, title="Rules").heading == ""


@pytest.mark.parametrize("lead", ["", "The streets:\n\n"])
def test_of_a_long_list_the_items_around_the_best_one_are_shown_whole(lead: str) -> None:
    items = [f"On {name} street the bins are emptied on Monday morning." for name in "abcdefghijklmn"]
    items[2] = "On dog street they are emptied on Friday."
    shown = texts("dog street Friday", lead + "\n".join(f"- {item}" for item in items))
    assert shown[:1] == ["The streets:"] or not lead
    assert shown[len(lead) > 0] == "…"
    assert shown[-1] == "…"
    assert items[2] in shown
    assert set(shown) <= {*items, "…", "The streets:"}
    assert sum(map(len, shown)) <= SHOWN_CHARACTERS + len("The streets:") + 2


def test_of_a_long_sentence_the_piece_with_the_words_is_shown() -> None:
    sentence = f"{'Many words come first, ' * 20}then the ferry leaves, {'and more of them ' * 20}."
    [line] = block_lines(sentence, ("ferry",), ("en",))
    assert "ferry" in line.text
    assert len(line.text) <= 200


def test_a_text_that_is_only_named_is_shown_from_its_beginning() -> None:
    content = "(1) This Regulation applies to ferries.\n\n" + "(2) Bridges are for Article 6 of the Act. " * 8
    named = retrieval("Article 6 Ferries Act", hit(page(content=content)))
    [shown] = found_pages(replace(named, mode="lookup"), named.hits)
    assert shown.lines[0].text.startswith("(1) This Regulation")


def test_a_page_without_text_is_shown_without_lines() -> None:
    shown = found("Are dogs allowed?", "", name="Dogs")
    assert [line.text for line in shown.lines] in ([], ["Dogs"])
    assert shown.href == "https://example.org/p1"
