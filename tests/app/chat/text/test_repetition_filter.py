"""An answer ends where it says the same again and again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.repetition_filter import RepetitionFilter


def filtered(*pieces: str) -> tuple[str, bool]:
    repetitions = RepetitionFilter()
    return "".join(map(repetitions.feed, pieces)), repetitions.has_ended


@pytest.mark.parametrize(
    ("again", "times"),
    [
        ("Der Ausweis kostet für Erwachsene siebenunddreißig Euro im Bürgeramt [1]. ", 3),
        ("in der Ausweis der Reisepass, die ", 4),
        ("Gehen Sie zum Amt. Nehmen Sie ein Foto mit. ", 3),
        ("der ", 10),
    ],
)
def test_what_is_said_again_and_again_is_said_so_often_at_most(again: str, times: int) -> None:
    text, has_ended = filtered("Die Antwort: ", *[again] * 20)
    assert has_ended
    assert text == f"Die Antwort: {again * times}"[: len(text)]
    assert text.count(again.strip(" .")) <= times


def test_numbers_of_list_items_make_no_difference() -> None:
    text, has_ended = filtered("".join(f"{n}. Nehmen Sie bitte ein Foto mit.\n" for n in range(1, 20)))
    assert has_ended
    assert "6. Nehmen" not in text


@pytest.mark.parametrize(
    "answer",
    [
        "| Montag | geschlossen |\n" * 2 + "| geschlossen " * 7 + "|",
        "".join(f"- {day}: 8 bis 12 Uhr und 14 bis 16 Uhr [1]\n" for day in ("Mo", "Di", "Mi", "Do", "Fr")),
        "| 8 bis 12 Uhr " * 5 + "|",
        "Bitte bringen Sie ein Foto mit. Der Pass kostet 70 Euro. Bitte bringen Sie ein Foto mit.",
    ],
)
def test_tables_and_lists_of_hours_pass_whole(answer: str) -> None:
    assert filtered(answer) == (answer, False)


@given(
    st.lists(st.sampled_from(["der ", "die", " Pass", ". ", "\n", "1. ", "[1]", "Amt und Rat "]), max_size=80)
)
def test_the_end_does_not_depend_on_how_the_model_splits_its_answer(pieces: list[str]) -> None:
    assert filtered(*pieces) == filtered("".join(pieces))
