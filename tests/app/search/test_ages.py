"""Ages that questions tell, and limits of age in texts."""

import re

import pytest

from app.search.ages import ages_stated, share_within, without_ages


@pytest.mark.parametrize(
    ("question", "ages"),
    [
        ("Was kostet ein Reisepass für meine 19-jährige Tochter?", (19,)),
        ("Unser Sohn ist 4, was zahlen wir?", (4,)),
        ("Ich bin 17 und Italiener, darf ich wählen?", (17,)),
        ("ein zweijähriges Kind", (2,)),
        ("How much is a ride for my ten-year-old?", (10,)),
        ("My girl is 7 and swims well, her brother is only 3.", (7, 3)),
        ("Der Pass ist 10 Jahre gültig, was dann?", ()),
        ("Ich bin 3 Tage in der Stadt.", ()),
        ("It is 25 euros, right?", ()),
        ("Wie lange dauert es, 4 Wochen?", ()),
    ],
)
def test_an_age_is_told_of_a_person(question: str, ages: tuple[int, ...]) -> None:
    assert ages_stated(question) == ages


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet ein Reisepass für unter 24-Jährige?",
        "Ich bin noch keine 24 Jahre alt.",
        "Ich bin noch nicht 24 Jahre alt.",
        "Er ist nicht einmal 24 Jahre alt.",
        "für bis zu 24-Jährige",
        "für über 24-Jährige",
        "für 20- bis 24-Jährige",
        "für 24-Jährige und jünger",
        "für Kinder, die jünger als sechs Jahre alt sind",
        "Ich bin fast 24 Jahre alt.",
        "if you are under 24 years old",
        "for under-24-year-olds",
        "for a child of less than six years old",
        "I am not yet 24 years old.",
        "24 years old or younger",
    ],
)
def test_a_limit_is_no_age(question: str) -> None:
    assert not ages_stated(question)
    assert re.search(r"24|sechs|six", without_ages(question))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Reisepass unter 24 Jahren | 37,50 €", (19, 23)),
        ("Reisepass ab 24 Jahren | 70,00 €", (24, 80)),
        ("Kinder ab drei Jahren", (3, 4)),
        ("Abholen dürfen nur Personen ab 14 Jahren.", (14, 15)),
        ("Children under 8 need someone aged 16 or over with them.", (7, 16)),
        ("Children aged 6 to 14", (6, 14)),
        ("Ermäßigt sind Kinder von 4 bis 17 Jahren.", (4, 17)),
        ("bis zu 12 Jahren", (12,)),
    ],
)
def test_a_limit_holds_the_ages_within_it(text: str, held: tuple[int, ...]) -> None:
    assert share_within(held, text) == 1


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("Reisepass unter 24 Jahren | 37,50 €", 24),
        ("Reisepass ab 24 Jahren | 70,00 €", 19),
        ("Children aged 6 to 14", 5),
        ("Children aged 6 to 14", 15),
        ("Ermäßigt sind Kinder von 4 bis 17 Jahren.", 18),
        ("Die Karte kostet 19 Euro und gilt ab 8 Uhr.", 19),
        ("The car park is full from 12.", 19),
        ("", 19),
    ],
)
def test_a_text_without_a_limit_for_an_age_does_not_hold_it(text: str, age: int) -> None:
    assert share_within((age,), text) == 0
    assert share_within((), text) == 0
