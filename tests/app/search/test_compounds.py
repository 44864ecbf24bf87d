"""Compounds of questions in parts, and words of short questions in the compounds of titles."""

import re
from collections.abc import Sequence

import pytest

from app.search.spelling import compound_parts, in_parts, with_compounds
from tests.app.search.known_words import TOWN, Pages

TITLES = (
    "Sperrmüll: Abholung vereinbaren",
    "Restmülltonne bestellen",
    "Wahlgräber und Reihengräber",
    "Vereinsförderung",
    "Strandbad am Nordufer",
    "Eheurkunde und Familienstammbuch",
    "Bücherei Seedorf",
    "Angeln: Fischereischein",
    "Hund anmelden und Hundesteuer",
)
PAGES = Pages(tonne=2, förderung=1, steuer=3)


def titles_like(part: str) -> Sequence[str]:
    pattern = re.compile(part.replace("_", "."))
    return [title for title in TITLES if pattern.search(title.lower())]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("hundesteuersatzung", ["hundesteuer", "satzung"]),
        ("hundeanmeldung", ["hunde", "anmeldung"]),
        ("kindergartenplatz", ["kinder", "garten", "platz"]),
        ("steuersanmeldung", ["steuer", "anmeldung"]),
        ("hundesteuer", ["hunde", "steuer"]),
        ("hundeschule", []),
        ("anmeldungen", []),
        ("hund", []),
        ("x" * 40, []),
    ],
)
def test_a_compound_is_split_into_words_that_pages_have(word: str, parts: list[str]) -> None:
    assert compound_parts(word, TOWN) == parts


@pytest.mark.parametrize("word", ["grundsteuer", "fahrradständer"])
def test_no_compound_is_split_into_what_only_looks_like_a_word(word: str) -> None:
    pages = Pages(grunds=5, steuer=9, fahrradst=2, änder=4)
    assert compound_parts(word, pages) == []


def test_compounds_of_german_questions_are_searched_in_parts_and_those_of_others_are_not() -> None:
    words = ("kinder", "hundesteuersatzung")
    for language in ("de", None):
        assert in_parts(words, words[1:], language, TOWN) == ["kinder", "hundesteuer", "satzung"]
    assert in_parts(words, words[1:], "en", TOWN) == list(words)


@pytest.mark.parametrize(
    ("word", "compounds"),
    [
        ("müll", ["sperrmüll", "restmülltonne"]),
        ("grab", ["wahlgräber", "reihengräber"]),
        ("verein", ["vereinsförderung"]),
        ("bad", ["strandbad"]),
        ("tonne", ["restmülltonne"]),
    ],
)
def test_a_word_of_a_short_question_is_searched_for_in_the_compounds_of_titles(
    word: str, compounds: list[str]
) -> None:
    assert with_compounds((word,), "de", titles_like, PAGES) == (" ".join((word, *compounds)),)


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("reis", "letters of a word, not a part of it"),
        ("bücher", "a plural is not in a singular, nor before what is no word"),
        ("hund", "a title has the word itself"),
        ("fisch", "what stands behind it is no word of a page"),
        ("an", "too short"),
        ("24", "no word"),
    ],
)
def test_what_only_looks_like_a_part_of_a_compound_is_not_searched_for(word: str, why: str) -> None:
    assert with_compounds((word,), "de", titles_like, PAGES) == (word,), why


def test_languages_without_such_compounds_keep_their_words() -> None:
    assert with_compounds(("bad",), "en", titles_like, PAGES) == ("bad",)
    assert with_compounds(("bad",), None, titles_like, PAGES) == ("bad strandbad",)
