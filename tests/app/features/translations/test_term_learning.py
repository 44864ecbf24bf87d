"""Which words mean the same, learned from texts in two languages."""

from itertools import chain, product

from hypothesis import given
from hypothesis import strategies as st

from app.features.translations.term_learning import MOST_PAIRS, MOST_TRANSLATIONS, MOST_WORDS, learned_terms
from app.search.analysis import folded


def sentences(*words: tuple[str, str]) -> list[tuple[str, str]]:
    """Every pair of these words in a sentence of its own, in both languages."""
    return [(f"{one[0]} {two[0]}", f"{one[1]} {two[1]}") for one, two in product(words, words) if one != two]


ANIMALS = sentences(("Hund", "dog"), ("Katze", "cat"), ("Pferd", "horse"), ("Vogel", "bird"))


def test_words_that_always_stand_beside_each_other_translate_each_other() -> None:
    learned = learned_terms(ANIMALS, ("de", "en"))
    assert learned.first == {"hund": ("dog",), "katz": ("cat",), "pferd": ("horse",), "vogel": ("bird",)}
    assert learned.second == {"dog": ("hund",), "cat": ("katze",), "hors": ("pferd",), "bird": ("vogel",)}


def test_forms_of_a_word_are_one_and_its_commonest_form_is_shown() -> None:
    texts = sentences(("Hunde", "dogs"), ("Katze", "cat"), ("Pferd", "horse"))
    learned = learned_terms([*texts, *texts, *ANIMALS], ("de", "en"))
    assert learned.first["hund"] == ("dogs",)


def test_function_words_numbers_single_letters_and_endless_words_are_no_terms() -> None:
    endless = "acgt" * 700
    learned = learned_terms([(f"Der Hund 5 x {endless}", f"The dog 5 x {endless}")] * 5, ("de", "en"))
    assert learned.first == {"hund": ("dog",)}


def test_a_word_that_stands_beside_anything_has_no_translation() -> None:
    texts = [(f"Sache {animal}", animals) for animal, animals in ANIMALS]
    assert "sach" not in learned_terms(texts, ("de", "en")).first


def test_texts_that_are_too_long_to_tell_teach_nothing() -> None:
    long = ("Hund " * (MOST_WORDS + 1), "dog")
    assert learned_terms([long] * 5, ("de", "en")).first == {}


def test_texts_that_are_too_long_take_no_room_from_later_ones() -> None:
    half = round(MOST_PAIRS**0.5 / 2)
    long = ("Otter " * half, "otter " * half)
    assert learned_terms([*[long] * 5, *ANIMALS], ("de", "en")) == learned_terms(ANIMALS, ("de", "en"))


def test_without_texts_nothing_is_learned() -> None:
    for texts in ([], [("", "")], [("Hund", "")], [("der", "the")]):
        assert learned_terms(texts, ("de", "en")).first == {}


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), max_size=12))
def test_every_translation_is_a_word_of_the_other_texts(texts: list[tuple[str, str]]) -> None:
    learned = learned_terms(texts, ("fr", "ar"))
    for terms, side in ((learned.first, 1), (learned.second, 0)):
        said = {word for text in texts for word in folded(text[side])}
        assert all(0 < len(words) <= MOST_TRANSLATIONS for words in terms.values())
        assert said.issuperset(chain.from_iterable(terms.values()))


@given(st.permutations(ANIMALS))
def test_the_order_of_the_texts_does_not_matter(texts: list[tuple[str, str]]) -> None:
    assert learned_terms(texts, ("de", "en")) == learned_terms(ANIMALS, ("de", "en"))
