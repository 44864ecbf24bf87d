"""A source's address and a piece of its text, short, readable and about the question."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.previews import PATH_CHARACTERS, SNIPPET_CHARACTERS, path, snippet
from ingest.text import visible

POOL = """# Outdoor pool

The pool lies at the lake. It was built in 1974.

## Prices

A day ticket [costs](https://otterfurt.example/prices) five euros. Children pay **two** euros.

* Dogs stay outside
"""


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://www.otterfurt.example/leisure/pool", "otterfurt.example › leisure › pool"),
        ("https://www.Otterfurt.example/leisure/index.html", "otterfurt.example › leisure"),
        ("https://otterfurt.example/index.php?id=3#top", "otterfurt.example"),
        ("https://otterfurt.example/", "otterfurt.example"),
        ("https://otterfurt.example:8443//a//b.htm", "otterfurt.example:8443 › a › b"),
        ("https://otterfurt.example/f%C3%A4hre/An%20Bord.aspx", "otterfurt.example › fähre › An Bord"),
        ("https://otterfurt.example/v1.2/plan.pdf", "otterfurt.example › v1.2 › plan.pdf"),
        ("https://me:secret@otterfurt.example/a", "otterfurt.example › a"),
        ("https://otterfurt.example/a%E2%80%AEb%00/c%FF", "otterfurt.example › ab › c\ufffd"),
        (
            "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32024R1689#art_6",
            "eur-lex.europa.eu › 32024R1689 › art_6",
        ),
        (
            "https://eur-lex.europa.eu/legal-content/DE/TXT/?uri=CELEX%3A02009L0028-20151005",
            "eur-lex.europa.eu › 02009L0028-20151005",
        ),
        (
            "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
            "eur-lex.europa.eu › eli › reg › 2024 › 1689 › oj",
        ),
        ("file:///pages/pool.md", "pages › pool"),
        ("", ""),
        ("https://[bad", ""),
    ],
)
def test_an_address_reads_as_a_path(url: str, shown: str) -> None:
    assert path(url) == shown


def test_a_long_address_keeps_its_host_and_its_end() -> None:
    url = f"https://otterfurt.example/{'folder/' * 20}outdoor-pool"
    assert re.fullmatch("otterfurt.example › …( › folder)+ › outdoor-pool", path(url))
    assert PATH_CHARACTERS - len(" › folder") < len(path(url)) <= PATH_CHARACTERS
    assert path(f"https://otterfurt.example/a/{'bees-' * 30}").endswith("bees-bees…")
    assert path(f"https://otterfurt.example/a/{'bees-' * 30}").startswith("otterfurt.example › … › bees-")


@given(url=st.text(max_size=200) | st.text(max_size=300).map("https://otterfurt.example/".__add__))
def test_any_address_is_shown_short_and_visible(url: str) -> None:
    shown = path(url)
    assert len(shown) <= PATH_CHARACTERS
    assert visible(shown) == shown
    assert "\n" not in shown


def test_the_sentence_with_the_questions_words_comes_first_and_the_next_ones_follow() -> None:
    shown = snippet([POOL], "How much does a ticket cost?", "en")
    assert shown == "A day ticket costs five euros. Children pay two euros. Dogs stay outside"


def test_inflected_words_and_later_passages_count() -> None:
    passages = ["Das Bad ist schön.", "Am Ufer halten alle Buslinien."]
    assert snippet(passages, "Welche Buslinie?", "de") == "Am Ufer halten alle Buslinien."


def test_sentences_of_two_passages_are_not_joined() -> None:
    assert snippet(["The pool is warm.", "Bees are kept."], "pool", "en") == "The pool is warm."


def test_without_the_words_it_begins_at_the_beginning() -> None:
    assert snippet([POOL], "Quantum physics?", "en") == "The pool lies at the lake. It was built in 1974."
    assert snippet([POOL], "", "en").startswith("The pool lies")


def test_cut_words_at_the_ends_of_a_passage_are_left_out() -> None:
    shown = snippet(["icipal pool is warm. It opens in May. Children under si"], "warm pool", "en")
    assert shown == "… pool is warm. It opens in May. Children under …"


def test_without_the_words_a_cut_sentence_gives_way_to_a_whole_one() -> None:
    assert snippet(["icipal pool. It opens in May."], "quantum", "en") == "It opens in May."


def test_list_items_are_parted() -> None:
    assert (
        snippet(["* open in May\n* warm\n* at the lake"], "open", "en") == "open in May · warm · at the lake"
    )


def test_an_overlong_sentence_is_cut_around_the_words() -> None:
    text = f"{'before and ' * 60}the hidden treasure {'after and ' * 60}"
    shown = snippet([text], "Where is the treasure?", "en")
    assert "hidden treasure" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= SNIPPET_CHARACTERS
    assert shown.strip("… ") in text


@pytest.mark.parametrize("passages", [[], [""], ["\n\n"], ["# Only a heading"], ["\u200b"]])
def test_no_text_has_no_snippet(passages: list[str]) -> None:
    assert snippet(passages, "pool", "en") == ""


WORDS = st.sampled_from(
    ["pool", "opens.", "Why?", "größer", "\n\n", "* ", "## ", "\u202e", "x" * 90, "[3]", "|"]
)


@given(text=st.lists(WORDS, max_size=80).map(" ".join), question=st.lists(WORDS, max_size=5).map(" ".join))
def test_every_snippet_is_short_visible_and_of_the_text(text: str, question: str) -> None:
    shown = snippet([text], question, "en")
    assert len(shown) <= SNIPPET_CHARACTERS
    assert visible(shown) == shown
    assert re.sub(r"\W", "", shown) in re.sub(r"\W", "", visible(text).replace("[3]", ""))


@pytest.mark.parametrize("text", ["a b. ", "pool ", "a", "[", "%41/", "\u200b", "* pool\n"])
def test_long_input_does_not_take_long(text: str) -> None:
    started = time.monotonic()
    long = text * (100_000 // len(text))
    snippet([long, long, long], "pool " + long[:2_000], "en")
    path(f"https://otterfurt.example/{long}")
    assert time.monotonic() - started < 30
