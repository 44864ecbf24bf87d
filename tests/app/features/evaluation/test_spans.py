"""Gold spans: when a text holds the answer."""

from datetime import date

import pytest

from app.features.evaluation.spans import GoldAnswer, LawSpan, PageSpan, looked_up
from app.features.evaluation.words import words

WHOLE = PageSpan(page="id", text="The card costs 37,00 Euro.")
PART = PageSpan(page="id", text="Bring a photo", partial=True)
ARTICLE = LawSpan(
    celex="32022R2065", unit="art_20", version=date(2022, 10, 19), language="en", start=4, end=9
)


def is_in(gold: GoldAnswer, text: str) -> bool:
    return gold.is_in(words(text))


def test_a_whole_span_is_the_answer() -> None:
    gold = GoldAnswer(spans=(WHOLE, PART), must=("37,00", "photo"))
    assert is_in(gold, "At once: the card costs\n37,00 Euro")
    assert not is_in(gold, "The card costs 137,00 Euro.")


def test_a_part_of_the_answer_counts_with_all_that_it_must_hold() -> None:
    gold = GoldAnswer(spans=(PART,), must=("37,00", "photo"))
    assert not is_in(gold, "Bring a photo.")
    assert is_in(gold, "Bring a photo and 37,00 Euro.")


def test_each_page_has_its_own_words_for_what_an_answer_must_hold() -> None:
    gold = GoldAnswer(must=("without an account",), must_by_page={"cy": ("heb gyfrif", "swyddi"), "none": ()})
    assert is_in(gold, "apply without an account")
    assert is_in(gold, "swyddi heb gyfrif")
    assert not is_in(gold, "heb gyfrif")


CARD = GoldAnswer(
    must=("37,00",),
    also=(("22,80", "photo"),),
    must_not=("60 Euro",),
    spans=(PageSpan(page="id", text="The card"),),
)


@pytest.mark.parametrize(
    ("first", "rest", "grade"),
    [
        ("It is 37,00 Euro.", "", "good"),
        ("Under 24: 22,80.", "Bring a photo.", "good"),
        ("A passport is 60 Euro, a card 37,00.", "", "good"),
        ("The card:", "37,00 Euro.", "good"),
        ("Opening hours.", "It is 37,00 Euro.", "ok"),
        ("A passport is 60 Euro.", "A card is 37,00.", "bad"),
        ("Bring a photo.", "", "bad"),
    ],
)
def test_what_comes_first_is_taken_for_the_answer(first: str, rest: str, grade: str) -> None:
    assert CARD.grade(words(first), words(f"{first} {rest}")) == grade


def test_nothing_is_judged_by_a_part_alone_or_by_a_span_whose_text_is_unknown() -> None:
    assert not GoldAnswer(spans=(PART,)).has_text
    assert not GoldAnswer(spans=(ARTICLE,)).has_text
    assert not GoldAnswer(must_by_page={"a": ()}).has_text
    assert GoldAnswer(spans=(WHOLE,)).has_text
    assert not is_in(GoldAnswer(), "anything")


def test_spans_of_law_get_the_texts_that_are_known() -> None:
    other = ARTICLE.model_copy(update={"language": "fr"})
    found = looked_up((WHOLE, ARTICLE, other), {ARTICLE: "six months"})
    assert found == (WHOLE, PageSpan(page="32022R2065@2022-10-19/art_20", text="six months"))


@pytest.mark.parametrize("text", ["", " ", "€ – £"])
def test_a_span_without_words_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="without a letter or digit"):
        PageSpan(page="id", text=text)
