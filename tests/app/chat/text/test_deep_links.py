"""A link leads to words that stand in the page, whole and in one block; in doubt to the page's top."""

import itertools
import re
import time
from dataclasses import replace
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.chat.text.deep_links import MOST_WORDS, READ_BYTES, deep_link, passage_link, passage_path
from app.search.retrieval import Passage
from app.search.types import IndexedPage
from ingest.documents import PAGE_STARTS, unpaged
from ingest.types import PageRef

URL = "https://www.otterfurt.example/pool"
PAGE = """# Outdoor pool

The pool lies at the lake. It was built in 1974 by the town, and it was opened
by the mayor on a rainy day in June.

## Prices

* Adults pay five euros for a day.
* Children pay [two euros](https://www.otterfurt.example/two) for a day.
* Dogs stay out

| Day | Hours |
|---|---|
| Monday | The pool is closed for cleaning |
| Tuesday | 9 to 20 |

Season tickets – for adults, children & dogs – cost *a lot*.\\
Ask at the cash-desk, or e-mail us, before May.
"""


def words(url: str) -> str | None:
    """What the address makes the browser look for."""
    assert url.startswith(URL)
    return unquote(url.removeprefix(f"{URL}#:~:text=")) if url != URL else None


def linked(page: str, start: int = 0, end: int | None = None, url: str = URL) -> str:
    """The link to what stands between two characters of the page."""
    return deep_link(url, page, len(page[:start].encode()), len(page[:end].encode()))


def leading_to(beginning: str, end: str = "", page: str = PAGE) -> str | None:
    start = page.index(beginning)
    stop = page.index(end, start) + len(end) if end else len(page)
    return words(linked(page, start, stop))


def test_the_first_words_of_the_first_sentence_are_looked_for() -> None:
    assert leading_to("# Outdoor") == "The pool lies at"


def test_a_passage_cut_within_a_sentence_leads_to_the_next_whole_one() -> None:
    assert leading_to("ol lies", "rainy day in June.") == "It was built in"


@pytest.mark.parametrize(
    ("beginning", "end", "found"),
    [
        ("uilt in", "", "by the mayor on"),
        ("* Children", "", "Children pay two euros"),
        ("| Monday", "", "The pool is closed"),
        ("| Tuesday", "20 |", "9 to 20"),
        ("* Dogs", "out", "Dogs stay out"),
        ("Season tickets", "", "Season tickets – for adults"),
        ("# Outdoor", "pool", None),
        ("by the mayor", "rainy", None),
        ("by the mayor", "June.", "by the mayor on"),
    ],
)
def test_items_cells_and_lines_are_blocks_of_their_own(beginning: str, end: str, found: str | None) -> None:
    assert leading_to(beginning, end) == found


def test_words_that_recur_are_extended_until_they_are_unique() -> None:
    page = "The office opens on Monday at eight.\n\nThe office opens on Monday at nine.\n"
    assert leading_to("The office", page=page) == "The office opens on Monday at eight"
    assert words(linked(page, 38)) == "The office opens on Monday at nine"


def test_a_sentence_that_recurs_gives_way_to_one_that_is_unique() -> None:
    page = "Please ask us by phone.\n\nPlease ask us by phone.\n\nThe bees swarm in May.\n"
    assert leading_to("Please", page=page) == "The bees swarm in"
    assert leading_to("Please", "phone.", page=page) == "Please ask us by phone"


def test_case_and_accents_do_not_make_words_unique() -> None:
    page = "Das Café am See hat offen.\n\nDAS CAFE AM SEE HAT ZU.\n"
    assert leading_to("Das", page=page) == "Das Café am See hat offen"


def test_dashes_commas_and_ampersands_are_escaped() -> None:
    page = "Bees-wax, honey & mead come from Käthe.\n"
    assert linked(page) == f"{URL}#:~:text=Bees%2Dwax%2C%20honey%20%26%20mead%20come"
    page = "Käthe sells honey.\n"
    assert linked(f"Here\n\n{page}", 6) == f"{URL}#:~:text=K%C3%A4the%20sells%20honey"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://otterfurt.example/pool",
        "mailto:pool@otterfurt.example",
        "javascript:alert(1)",
        "/pool",
        "",
        "https://[bad",
        "https://eur-lex.example/32024R1689#art_6",
        "https://www.otterfurt.example/pool#:~:text=ready",
    ],
)
def test_other_addresses_and_such_with_a_fragment_stay(url: str) -> None:
    assert linked(PAGE, url=url) == url


def test_an_empty_fragment_and_a_query_are_kept_apart() -> None:
    assert linked(PAGE, url=f"{URL}?a=b#") == f"{URL}?a=b#:~:text=The%20pool%20lies%20at"


@pytest.mark.parametrize(("start", "end"), [(0, 0), (1, 15), (20, 22), (9_000, 9_999)])
def test_a_passage_without_a_whole_sentence_leads_to_the_pages_top(start: int, end: int) -> None:
    assert linked(PAGE, start, end) == URL


def test_addresses_and_data_are_no_words_to_look_for() -> None:
    page = f"See the page {'x' * 60} for more.\n"
    assert linked(page) == URL


def test_invisible_characters_are_not_looked_for() -> None:
    page = "The fer\u00adry leaves\u200b the pier daily.\n"
    assert leading_to("The", page=page) == "The ferry leaves the"


def test_an_image_or_a_line_break_within_the_sentence_ends_it() -> None:
    page = "The ferry ![a boat](boat.png) leaves the northern pier daily.\n"
    assert leading_to("The", page=page) == "leaves the northern pier"


def test_markup_in_a_cut_paragraph_does_not_hide_its_sentences() -> None:
    page = "Bees live here. They **like** the [old park](https://otterfurt.example/park) most. And honey.\n"
    assert leading_to("live", page=page) == "They like the old"


def test_paragraphs_and_items_within_a_list_are_text() -> None:
    page = "* Ferries\n\n    The ferry leaves at nine.\n\n    * The bus leaves at ten.\n"
    assert leading_to("    The ferry", page=page) == "The ferry leaves at"
    assert leading_to("    * The bus", page=page) == "The bus leaves at"


@pytest.mark.parametrize("beginning", ["Before", "```", "let", "```\n\nBehind"])
def test_code_is_not_looked_for(beginning: str) -> None:
    page = "Before\n\n```\nlet it be now\n\nlet _me_ be here\n```\n\nBehind it stands a hive.\n"
    assert leading_to(beginning, page=page) == "Behind it stands a"


def test_the_words_of_other_links_count_as_the_pages() -> None:
    page = "Ask [the *town* hall](https://otterfurt.example/hall) for keys.\n\nAsk the town hall for help.\n"
    assert leading_to("Ask the", page=page) == "Ask the town hall for help"


def test_a_word_is_whole_where_reading_ends() -> None:
    page = f"{'Bee ' * 494}. . In Otterfurt a ferryman lives."
    assert page[:READ_BYTES].endswith("a ferry")
    assert words(linked(page)) == " ".join(["Bee"] * MOST_WORDS)


def test_words_in_another_script_are_looked_for() -> None:
    page = "Το πλοίο φεύγει στις εννέα.\n\nΟι μέλισσες ζουν εδώ και πολλά χρόνια.\n"
    assert leading_to("Οι", page=page) == "Οι μέλισσες ζουν εδώ"


def test_far_into_a_long_page_the_place_is_found() -> None:
    bees = "Bienen fliegen über Otterfurt.\n\n" * 9_000
    page = f"{bees}Only the ferry leaves at nine.\n\n{bees}"
    assert leading_to("Only", page=page) == "Only the ferry leaves"


PIECES = st.sampled_from(
    [
        "The pool ",
        "opens. ",
        "\n\n",
        "* ",
        "## ",
        "| a | b |\n|-|-|\n",
        "*Dr. Otter* ",
        "1. ",
        "(`x`) ",
        "ä-ß, ",
        "\n",
    ]
)


@example(pieces=["The pool "] * 6 + ["\n", "(`x`) ", "* "], cuts=(0, 55))
@given(
    pieces=st.lists(PIECES, max_size=25),
    cuts=st.tuples(st.integers(0, 150), st.integers(0, 150)),
)
def test_what_is_looked_for_stands_in_the_page_wherever_the_passage_is_cut(
    pieces: list[str], cuts: tuple[int, int]
) -> None:
    page = "".join(pieces)
    start, end = sorted(cuts)
    found = words(linked(page, start, end))
    if found is not None:
        assert re.sub(r"\W", "", found) in re.sub(r"\W", "", page)
        assert 2 <= sum(any(map(str.isalnum, word)) for word in found.split()) <= 10


@pytest.mark.parametrize(
    "text", ["a b c d. ", "word", "The pool opens at nine. ", "* x\n", "a", "[", "|a|b|\n|-|-|\n", "\u0300"]
)
def test_long_pages_do_not_take_long(text: str) -> None:
    page = (text * 100_000)[:100_000]
    started = time.monotonic()
    for start, end in itertools.pairwise([1, 50_001, 100_000]):
        linked(page, start, end)
    assert time.monotonic() - started < 30


def test_a_passage_of_a_file_leads_to_its_page_of_the_file() -> None:
    content, starts = unpaged("The fees.\fThe dog tax.")
    page = IndexedPage(
        ref=PageRef(source="s", id="fees.pdf", language="de"),
        document="fees.pdf",
        sequence=1,
        url="https://otterfurt.example/files/fees.pdf",
        kind="page",
        updated=None,
        fields={"content": content},
        content_spans=(),
        metadata={PAGE_STARTS: starts},
    )
    start = content.index("The dog")
    passages = [Passage(field="content", start=start, end=len(content), text=content[start:])]
    assert passage_link(page, passages) == "https://otterfurt.example/files/fees.pdf#page=2"
    assert passage_path(page, passages) == "otterfurt.example › files › fees.pdf, Seite 2"
    local = replace(page, url="fees.pdf", ref=PageRef(source="s", id="fees.pdf", language="en"))
    assert passage_link(local, passages) == "fees.pdf"
    assert passage_path(local, passages) == "fees.pdf, page 2"
