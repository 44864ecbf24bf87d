"""Other words that mean the same are found for what visitors write."""

import pytest

from app.search.thesaurus import is_only_spoken, senses, sure_synonyms, synonyms


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
    assert "Urkunde" in licence.wider
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
    assert synonyms("Sprudelwumpe", "de") == ()
    assert synonyms("Perso", "fr") == ()
    assert synonyms("", "de") == ()
    assert synonyms("|", "de") == ()
    assert synonyms("Per|so", "de") == ()


def test_a_sense_has_what_is_wider() -> None:
    assert "Kindergarten" in senses("Kita", "de")[0].wider


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
