"""Answers without a model: the blocks that answer the question, verbatim and whole."""

import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.excerpts import (
    BLOCK_CHARACTERS,
    QUOTED_CHARACTERS,
    SECTIONS,
    further_blocks,
    quoted_blocks,
    quotes,
)
from app.search.blocks import ranked_blocks
from app.search.retrieval import Hit
from tests.app.chat.pages import hit, page, passage
from tests.app.search.omissions import is_all_told, letters
from tests.fakes.real_pages import cms_pages
from tests.shared import PAGES, QUESTIONS, needs

POOL = """# Swimming pool

The pool lies at the lake. It was built in 1974.

## Opening hours

| Day | Hours |
|---|---|
| Monday | closed |
| Tuesday | 9 to 20 |

## Prices

You pay for a [day ticket](https://example.org/tickets):

* **Adults**: 5 euros
* Children: 2.50 euros [3]

Dogs are *not* allowed, see `rules.txt`.
"""


def quoted(question: str, *hits: Hit, language: str = "en") -> list[tuple[int, str]]:
    """The quotes of these hits, which are numbered from 1."""
    numbers = {found.page.ref: number for number, found in enumerate(hits, 1)}
    ranked = ranked_blocks(question, question, language, hits)
    return quotes(quoted_blocks(ranked, numbers), numbers, question, language)


def first(question: str, *hits: Hit, language: str = "en") -> str:
    return quoted(question, *hits, language=language)[0][1]


def test_a_list_is_quoted_whole_with_its_lead_below_its_heading_and_cited_at_its_end() -> None:
    assert first("How much do adults pay?", hit(page(content=POOL, title="Swimming pool"))) == (
        "> **Prices**\n>\n> You pay for a [day ticket](https://example.org/tickets):\n"
        "> * **Adults**: 5 euros\n> * Children: 2.50 euros\n>\n> Dogs are *not* allowed, see `rules.txt`. [1]"
    )


def test_a_table_keeps_its_header_and_is_cited_below() -> None:
    answer = first("What are the hours on Tuesday?", hit(page(content=POOL)))
    assert answer.startswith("> **Opening hours**\n>\n> | Day | Hours |\n> |---|---|\n> | Monday | closed |")
    assert answer.endswith("> | **Tuesday** | **9 to 20** |\n>\n> [1]")


def test_inflected_words_match() -> None:
    content = "# A\n\nDas Bad ist schön.\n\n# Wege\n\nDie Buslinien halten am Ufer."
    german = page(language="de", content=content)
    assert "Buslinien" in first("Welche Buslinie hält dort?", hit(german), language="de")


def test_what_the_question_asks_for_decides_between_equal_blocks() -> None:
    content = "# Dog tax\n\n## Register\n\nSend us the dog tax form.\n\n## Rates\n\nThe dog tax is 72 euros."
    assert "72 euros" in first("How much is the dog tax?", hit(page(content=content)))


def test_a_page_without_content_is_quoted_by_its_description_or_title() -> None:
    described = page(title="Town hall", description="The seat of the council.")
    assert first("town hall", hit(described, passage(described, "title"))) == (
        "> **Town hall**\n>\n> The seat of the council. [1]"
    )


def test_of_few_sections_only_and_no_text_twice() -> None:
    content = "\n\n".join(f"## Part {number}\n\nThe pool ticket of part {number}." for number in range(20))
    same = page("p2", content=content)
    found = quoted("pool ticket", hit(page(content=content)), hit(same, rank=2))
    assert len(found) == SECTIONS
    assert len({text.partition("\n>\n")[2].rpartition(" [")[0] for _, text in found}) == SECTIONS


def test_the_block_with_which_the_answer_is_long_enough_is_quoted_whole_and_no_shorter_one_instead() -> None:
    *longest, short = [f"The pool ticket, {'as was said, ' * n}part {n}." for n in (30, 35, 40, 1)]
    answer = first("pool ticket", hit(page(content="\n\n".join((*longest, short)))))
    assert sum(map(len, longest[:2])) < QUOTED_CHARACTERS < sum(map(len, longest))
    assert [text in answer for text in (*longest, short)] == [True, True, True, False]


def test_a_block_that_is_much_too_long_gives_way_to_a_shorter_one_unless_it_is_the_best() -> None:
    prices, long, short = (
        "A boat costs nine euros.",
        "A boat costs euros, " + "as the council said at length, " * 60,
        "Rowing boats cost four euros.",
    )
    found = first("What does a boat cost in euros?", hit(page(content="\n\n".join((prices, long, short)))))
    assert prices in found and short in found
    assert "council" not in found
    assert "council" in first("What did the council say at length?", hit(page(content=long)))


PHONE, HOURS, LETTERS, PARKING = (
    f"{text}{', as everybody in town knows' * 7}."
    for text in (
        "Phone the hall at 0300 060 3900",
        "It is open on weekdays from 8 to 17, but not on the days after a feast",
        "What comes by letter is read within two weeks",
        "Cars are left behind the building",
    )
)


def test_what_stands_beside_the_best_block_is_quoted_though_it_has_no_word_of_the_question() -> None:
    content = "\n\n".join(("## Contact", PHONE, HOURS, LETTERS, PARKING))
    found = first("phone", hit(page(content=content)))
    assert [text in found for text in (PHONE, HOURS, LETTERS, PARKING)] == [True, True, False, False]


def test_what_stands_beside_the_best_block_comes_before_what_is_a_little_better_elsewhere() -> None:
    parts = [f"## Pool ticket {number}\n\nThe ticket{', as was said' * 40}, {number}." for number in range(3)]
    parts[0] += "\n\nChildren pay half" + ", as was said" * 40
    found = quoted("pool ticket", hit(page(content="\n\n".join(parts))))
    assert "Children" in found[0][1]


def test_what_was_nearly_as_good_before_the_best_block_was_read_is_quoted_too() -> None:
    parts = "\n\n".join(f"## Part {number}\n\nThe pool ticket of part {number}." for number in range(3))
    ranked = ranked_blocks("pool ticket", "pool ticket", "en", [hit(page(content=parts))])
    scores = ((0.65, 0.15), (0.35, 0.0), (0.25, 0.0))
    read = [
        replace(block, score=score, reader_score=gain)
        for block, (score, gain) in zip(ranked, scores, strict=True)
    ]
    assert quoted_blocks(read, {read[0].page.ref}) == read[:2]


def test_what_else_of_the_first_page_is_nearly_as_good_is_not_lost() -> None:
    parts = "\n\n".join(f"## Part {number}\n\nThe pool ticket of part {number}." for number in range(5))
    pages = hit(page(content=parts)), hit(page("p2", content="The pool ticket elsewhere."), rank=2)
    question = "pool ticket"
    ranked = ranked_blocks(question, question, "en", pages)
    shown = quoted_blocks(ranked, {found.page.ref for found in pages})
    further = further_blocks(ranked, shown)
    assert {block.page.ref for block in further} == {pages[0].page.ref}
    assert len({block.section for block in further} | {block.section for block in shown}) >= 5
    assert not {block.markdown for block in further} & {block.markdown for block in shown}
    assert further_blocks(ranked[:1], shown[:1]) == []


def test_code_that_is_too_long_is_cut() -> None:
    content = "```\n" + "some code line\n" * 500 + "```"
    answer = first("code", hit(page(content=content)))
    assert len(answer) < 1.2 * BLOCK_CHARACTERS
    assert answer.endswith("code line […]\n> ```\n>\n> [1]")


def test_numbers_in_brackets_do_not_read_as_citations() -> None:
    answer = first("Adults children euros", hit(page(content=POOL)))
    assert re.findall(r"\[\d\]", answer) == ["[1]"]


WORDS = st.sampled_from(["pool", "open", "Dr.", "z. B.", "3.", "Mai", "größer", "and", "See", "why?", "No!"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
BLOCKS = st.lists(
    st.builds(str.format, st.sampled_from(["{}", "## {}", "* {}", "> {}"]), SENTENCES),
    min_size=1,
    max_size=12,
).map("\n\n".join)


@given(content=BLOCKS, question=SENTENCES)
def test_every_quoted_line_stands_in_the_page_and_the_answer_stays_short(content: str, question: str) -> None:
    found = quoted(question, hit(page(content=content, title="Title")))
    lines = [
        line.removeprefix(">").replace("**", "").strip() for _, quote in found for line in quote.split("\n")
    ]
    for line in lines:
        bare = line.removesuffix("[1]").strip()
        assert bare == "Title" or all(part.strip() in content for part in bare.split("[…]"))
    assert sum(map(len, lines)) <= 3 * QUOTED_CHARACTERS


@needs(PAGES)
def test_on_real_pages_a_quote_tells_what_it_leaves_out_of_its_section() -> None:
    pages = {found.ref.id: found for found in cms_pages()}
    quotes_read = 0
    for line in QUESTIONS.read_text("utf-8").splitlines()[::4]:
        question = json.loads(line)
        for gold in question["gold"]:
            found = pages[gold]
            blocks = ranked_blocks("", "", "en", [hit(found)])
            for _, quote in quoted(question["question"], hit(found), language=question["language"]):
                heading, _, body = quote.removesuffix("[1]").removeprefix("> **").partition("**\n>\n")
                sections = {
                    found.fields["content"][slice(*block.around)]
                    for block in blocks
                    if letters((block.headings or (found.title,))[-1]) == letters(heading)
                }
                assert any(is_all_told(body.replace("\n> ", "\n"), each) for each in sections), quote
                quotes_read += 1
    assert quotes_read > 50
