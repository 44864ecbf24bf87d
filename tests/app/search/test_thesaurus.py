"""Words that no page has are read, and searched for, with the other words of a thesaurus for them."""

from collections.abc import Sequence

import pytest

from app.search.thesaurus import in_written_words, is_only_spoken, senses, sure_synonyms, with_other_words


def synonyms(word: str, language: str) -> set[str]:
    return {other for sense in senses(word, language) for other in sense.words}


@pytest.mark.parametrize(
    ("word", "language", "other"),
    [
        ("Perso", "de", "Personalausweis"),
        ("blechen", "de", "bezahlen"),
        ("Lappen", "de", "Führerschein"),
        ("Auto", "de", "Pkw"),
        ("rubbish", "en", "trash"),
        ("nappy", "en", "diaper"),
    ],
)
def test_a_word_that_people_say_has_those_that_pages_have(word: str, language: str, other: str) -> None:
    assert other in synonyms(word, language)


def test_the_meanings_of_a_word_are_told_apart() -> None:
    licence, cloth = senses("Lappen", "de")

    assert "Führerschein" in licence.words
    assert "Putztuch" in cloth.words
    assert not set(licence.words) & set(cloth.words)


def test_words_that_are_only_spoken_are_looked_up_and_never_given() -> None:
    assert "Führerschein" in synonyms("Fleppe", "de")
    assert "Fleppe" not in synonyms("Führerschein", "de")


@pytest.mark.parametrize(
    ("written", "base", "language"),
    [
        ("Personalausweise", "Personalausweis", "de"),
        ("HÄUSER", "Haus", "de"),
        ("Straßen", "Strasse", "de"),
        ("nappies", "nappy", "en"),
    ],
)
def test_a_form_of_a_word_has_the_other_words_of_its_base_form(
    written: str, base: str, language: str
) -> None:
    assert set(senses(base, language)) <= set(senses(written, language))
    assert senses(base, language)


def test_no_form_of_the_word_itself_is_another_word_for_it() -> None:
    assert "Personalausweis" not in synonyms("Personalausweises", "de")


def test_words_languages_and_letters_that_are_not_known_have_no_other_words() -> None:
    assert not synonyms("Sprudelwumpe", "de")
    assert not synonyms("Perso", "fr")
    assert not synonyms("", "de")
    assert not synonyms("|", "de")
    assert not synonyms("Per|so", "de")


def test_a_spoken_word_surely_means_what_it_is_only_spoken_for() -> None:
    assert "Führerschein" in sure_synonyms("Lappen", "de")
    assert "Putztuch" not in sure_synonyms("Lappen", "de")
    assert not is_only_spoken("Lappen", "de")
    assert is_only_spoken("Perso", "de")


def test_a_word_of_a_single_meaning_surely_means_that() -> None:
    assert "Gehweg" in sure_synonyms("Bürgersteig", "de")
    assert not is_only_spoken("Bürgersteig", "de")
    assert sure_synonyms("Müll", "de") == ()


@pytest.mark.parametrize("written", ["geblecht", "blechte"])
def test_a_form_of_a_regular_verb_has_the_other_words_of_its_infinitive(written: str) -> None:
    assert sure_synonyms(written, "de") == sure_synonyms("blechen", "de")


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
