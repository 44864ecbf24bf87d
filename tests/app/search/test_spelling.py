"""Which words of a question are corrected, and to what."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search import spelling
from app.search.spelling import corrected, distances
from tests.app.search.known_words import TOWN, Pages

PAGES = Pages(register=3, registers=1, passport=5, parking=2, permit=4, house=3, horse=7, apply=9, gone=0)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where do I apply to registter my passport?", "Where do I apply to register my passport?"),
        ("parking premit", "parking permit"),
        ("Parkng permit", "parking permit"),
        ("rgeistre", "register"),  # two edits of a long word
        ("hoose", "horse"),  # as near as another, and more frequent
        ("hoosse", "hoosse"),
        ("huose", "house"),  # one edit of a short one
        ("regisder", "register"),
        ("passport", "passport"),
        ("gon", "gon"),
        ("gonne", "gonne"),  # no page has it any more
    ],
)
def test_words_that_no_page_has_are_corrected(question: str, expected: str) -> None:
    assert corrected(question, "en", PAGES) == expected


@pytest.mark.parametrize(
    "question",
    [
        "apply 32016R0679",
        "apply PERMT",
        "apply permt2",
        "apply passport@permt.example",
        "apply permt.example",
        "apply /permt",
    ],
)
def test_numbers_abbreviations_and_addresses_stay(question: str) -> None:
    assert corrected(question, "en", PAGES) == question


def test_a_question_in_capitals_is_corrected() -> None:
    assert corrected("APPLY PASPORT", "en", PAGES) == "APPLY passport"


def test_in_whole_questions_doubled_and_swapped_letters_of_longer_words_are_corrected() -> None:
    question = "Which house did they apply to for a hosre, a {} and a {} of the horse?"
    assert corrected(question.format("pasport", "regitser"), "en", PAGES) == question.format(
        "passport", "register"
    )
    other_words = question.format("passports", "registrar")
    assert corrected(other_words, "en", PAGES) == other_words


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("saterday", "saturday"),  # another letter
        ("recyling", "recycling"),  # one left out
        ("saturtday", "saturday"),  # one too many
        ("opning", "opening"),  # an e that is hardly heard
    ],
)
def test_in_whole_questions_one_wrong_letter_of_a_long_word_is_corrected(written: str, expected: str) -> None:
    pages = Pages(saturday=6, recycling=2, opening=1, house=3)
    question = "Is the house there on {}?"
    assert corrected(question.format(written), "en", pages) == question.format(expected)


@pytest.mark.parametrize(
    "written",
    [
        "saturdaz",  # the last letter: rather another form
        "satxrdax",  # two letters
        "opxning",  # a short word
        "confession",  # a word of its own, near one that a single page has
    ],
)
def test_in_whole_questions_what_may_be_another_word_stays(written: str) -> None:
    pages = Pages(saturday=6, opening=4, concession=1, house=3)
    question = f"Is the house there on {written}?"
    assert corrected(question, "en", pages) == question


def test_a_question_of_which_every_other_word_is_misspelt_is_corrected() -> None:
    pages = Pages(recycling=2, centre=3, opening=4, hours=5, saturday=6)
    question = "recyling center opning hours saterday"
    assert corrected(question, "en", pages) == "recycling centre opening hours saturday"


def test_a_question_that_pages_know_too_little_of_stays() -> None:
    question = "registter of the brambles, thistles and nettles"
    assert corrected(question, "en", PAGES) == question


def test_decomposed_letters_are_one() -> None:
    assert corrected("mu\u0308hlenn passport", "de", Pages(mühlen=1, passport=1)) == "mühlen passport"


@given(st.text("abcä", min_size=1, max_size=7), st.lists(st.text("abcä", min_size=1, max_size=7), max_size=9))
def test_distances_are_those_of_the_textbook(word: str, others: list[str]) -> None:
    assert distances(word, others).tolist() == [_distance(word, other) for other in others]


@cache
def _distance(one: str, other: str) -> int:
    """Of optimal string alignment, letter by letter."""
    if not one or not other:
        return len(one) + len(other)
    best = min(
        _distance(one[:-1], other) + 1,
        _distance(one, other[:-1]) + 1,
        _distance(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    )
    if one[-2:] == other[-2:][::-1] and len(one) > 1 and len(other) > 1:
        best = min(best, _distance(one[:-2], other[:-2]) + 1)
    return best


def test_only_words_of_letters_and_of_some_length_are_spelt() -> None:
    assert [word for word in ("cat", "cats", "c4ts", "x" * 41) if spelling.is_spelt(word)] == ["cats"]


def test_a_question_keeps_its_compounds() -> None:
    assert corrected("Kinder: Hundesteuersatzung?", "de", TOWN) == "Kinder: Hundesteuersatzung?"
