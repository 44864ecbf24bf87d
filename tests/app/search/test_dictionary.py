"""Words of German and English pages are translated by a dictionary."""

from collections.abc import Collection, Mapping, Sequence

import pytest

from app.search import analysis, dictionary
from app.search.coverage import QuestionWords
from app.search.translations import KnownTerms, translated


class Learned:
    """What pages taught: two words in two languages."""

    def translations(
        self, stems: Collection[str], language: str
    ) -> Mapping[str, Mapping[str, Sequence[str]]]:
        known = {"de": {"fee": ["gebühr"]}, "fr": {"fee": ["redevance"], "pass": ["carte"]}}
        found = {
            other: {stem: terms[stem] for stem in stems & terms.keys()} for other, terms in known.items()
        }
        return {other: terms for other, terms in found.items() if terms} if language == "en" else {}


@pytest.mark.parametrize(
    ("word", "language", "translation"),
    [
        ("passports", "en", "reisepass"),
        ("wedding", "en", "hochzeit"),
        ("pay", "en", "zahlen"),
        ("dog", "en", "hund"),
        ("müll", "de", "rubbish"),
        ("hochzeiten", "de", "wedding"),
    ],
)
def test_a_word_is_translated_by_its_stem(word: str, language: str, translation: str) -> None:
    [stem] = analysis.tokens(word, language)
    assert translation in dictionary.translations(stem, language)


def test_unknown_words_and_languages_have_no_translations() -> None:
    assert dictionary.translations("otterfurt", "de") == ()
    assert dictionary.translations("permis", "fr") == ()


def test_the_forms_of_a_word_in_another_language_are_those_of_its_translations_too() -> None:
    german = dictionary.forms("passport", "en", "de")
    assert {"passport", *analysis.tokens("Reisepässe", "de")} <= german
    assert dictionary.forms("passport", "en", "fr") == analysis.forms("passport", ("en", "fr"))
    assert dictionary.forms("passport", "en", "en") == analysis.forms("passport", ("en",))


def test_a_text_in_another_language_has_the_words_of_a_question() -> None:
    texts = [("de", frozenset(analysis.tokens(text, "de"))) for text in ("Die Gebühr", "Der Reisepass")]
    words = QuestionWords("passport fee", "en", texts)
    assert [sorted(words.among(*text)) for text in texts] == [[1], [0]]


def test_what_pages_taught_comes_before_the_dictionary_and_its_words_are_one_term() -> None:
    found = KnownTerms(Learned()).translations({"fee", "dog", "otterfurt"}, "en")
    assert found["de"]["fee"] == ["gebühr"]
    assert "hund" in found["de"]["dog"][0].split()
    assert found["fr"] == {"fee": ["redevance"]}
    assert set(found["de"]) == {"fee", "dog"}
    assert KnownTerms().translations({"chien"}, "fr") == {}


def test_words_are_translated_into_languages_of_pages_alone() -> None:
    assert set(translated(("fee", "pass"), "en", KnownTerms(Learned()), {"de", "fr"})) == {"de", "fr"}
    assert set(translated(("fee", "pass"), "en", KnownTerms(Learned()), {"fr"})) == {"fr"}
    assert translated(("fee", "pass"), "en", KnownTerms(Learned()), set()) == {}
