"""A link leads to words that stand in the page, whole and in one block; in doubt to the page's top."""

import itertools
import re
import time
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.deep_links import deep_link

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


def leading_to(beginning: str, end: str = "", page: str = PAGE) -> str | None:
    start = page.index(beginning)
    stop = page.index(end, start) + len(end) if end else len(page)
    return words(deep_link(URL, page, page[start:stop]))


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
        ("Season tickets", "", "Season tickets – for"),
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
    assert words(deep_link(URL, page, page[38:])) == "The office opens on Monday at nine"


def test_a_sentence_that_recurs_gives_way_to_one_that_is_unique() -> None:
    page = "Please ask us by phone.\n\nPlease ask us by phone.\n\nThe bees swarm in May.\n"
    assert leading_to("Please", page=page) == "The bees swarm in"
    assert leading_to("Please", "phone.", page=page) == "Please ask us by phone"


def test_case_and_accents_do_not_make_words_unique() -> None:
    page = "Das Café am See hat offen.\n\nDAS CAFE AM SEE HAT ZU.\n"
    assert leading_to("Das", page=page) == "Das Café am See hat offen"


def test_dashes_commas_and_ampersands_are_escaped() -> None:
    page = "Bees-wax, honey & mead come from Käthe.\n"
    assert deep_link(URL, page, page) == f"{URL}#:~:text=Bees%2Dwax%2C%20honey%20%26%20mead"
    page = "Käthe sells honey.\n"
    assert deep_link(URL, f"Here\n\n{page}", page) == f"{URL}#:~:text=K%C3%A4the%20sells%20honey"


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
    assert deep_link(url, PAGE, PAGE) == url


def test_an_empty_fragment_and_a_query_are_kept_apart() -> None:
    assert deep_link(f"{URL}?a=b#", PAGE, PAGE) == f"{URL}?a=b#:~:text=The%20pool%20lies%20at"


@pytest.mark.parametrize("passage", ["", " \n", "not in the page", "Outdoor pool", "The  pool lies"])
def test_a_passage_that_the_page_does_not_hold_leads_to_its_top(passage: str) -> None:
    assert deep_link(URL, PAGE, passage) == URL


def test_addresses_and_data_are_no_words_to_look_for() -> None:
    page = f"See the page {'x' * 60} for more.\n"
    assert deep_link(URL, page, page) == URL


def test_invisible_characters_are_not_looked_for() -> None:
    page = "The fer\u00adry leaves\u200b the pier daily.\n"
    assert leading_to("The", page=page) == "The ferry leaves the"


def test_an_image_or_a_line_break_within_the_sentence_ends_it() -> None:
    page = "The ferry ![a boat](boat.png) leaves the northern pier daily.\n"
    assert leading_to("The", page=page) == "leaves the northern pier"


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


@given(
    pieces=st.lists(PIECES, max_size=25),
    cuts=st.tuples(st.integers(0, 150), st.integers(0, 150)),
)
def test_what_is_looked_for_stands_in_the_page_wherever_the_passage_is_cut(
    pieces: list[str], cuts: tuple[int, int]
) -> None:
    page = "".join(pieces)
    start, end = sorted(cuts)
    found = words(deep_link(URL, page, page[start:end]))
    if found is not None:
        assert re.sub(r"\W", "", found) in re.sub(r"\W", "", page)
        assert 2 <= len(found.split()) <= 10


@pytest.mark.parametrize(
    "text", ["a b c d. ", "word", "The pool opens at nine. ", "* x\n", "a", "[", "|a|b|\n|-|-|\n", "\u0300"]
)
def test_long_pages_do_not_take_long(text: str) -> None:
    page = (text * 100_000)[:100_000]
    started = time.monotonic()
    for start, end in itertools.pairwise([1, 50_001, 100_000]):
        deep_link(URL, page, page[start:end])
    assert time.monotonic() - started < 30
