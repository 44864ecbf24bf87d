"""Words that no page has are read, and searched for, as pages say them."""

from collections.abc import Sequence

import pytest

from app.search.other_words import in_written_words, with_other_words


class Pages:
    """Words of pages, each with the number of those that have it."""

    def __init__(self, **counts: int) -> None:
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        return [self._counts.get(word.casefold(), 0) for word in words]

    def similar_words(self, word: str, edits: int) -> set[str]:
        return set()


PAGES = Pages(personalausweis=3, lichtbildausweis=1, führerschein=2, zahlen=4, hund=5, gehweg=1, doch=9)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Was kostet ein neuer Perso?", "Was kostet ein neuer Personalausweis?"),
        ("Muss ich dafür blechen?", "Muss ich dafür zahlen?"),
        ("Wo ist die Fleppe, die Fleppe?", "Wo ist die Führerschein, die Führerschein?"),
    ],
)
def test_a_word_that_is_only_spoken_is_read_as_the_one_that_most_pages_have(question: str, read: str) -> None:
    assert in_written_words(question, "de", PAGES) == read


@pytest.mark.parametrize(
    "question",
    [
        "Wo ist mein Lappen?",  # a cloth, too
        "Wer räumt den Bürgersteig?",  # written elsewhere
        "Wo ist die Glotze?",  # no page says it in any way
        "Person und Persot",
        "",
    ],
)
def test_a_word_that_may_be_meant_as_it_stands_is_read_so(question: str) -> None:
    assert in_written_words(question, "de", PAGES) == question


def test_a_spoken_word_that_pages_have_stays() -> None:
    assert in_written_words("Mein Perso", "de", Pages(perso=1, personalausweis=9)) == "Mein Perso"


def test_other_languages_keep_their_words() -> None:
    assert in_written_words("Mon Perso", "fr", PAGES) == "Mon Perso"
    assert in_written_words("Perso", None, PAGES) == "Perso"


def test_an_unknown_word_is_searched_for_together_with_its_synonyms_that_pages_have() -> None:
    words = ("lappen", "bürgersteig", "verloren")

    assert with_other_words(words, ("lappen", "bürgersteig"), "de", PAGES) == (
        "lappen führerschein",
        "bürgersteig gehweg",
        "verloren",
    )


def test_words_that_pages_have_and_words_without_a_subject_are_searched_for_alone() -> None:
    assert with_other_words(("lappen",), (), "de", PAGES) == ("lappen",)
    assert with_other_words(("allein",), ("allein",), "de", PAGES) == ("allein",)
