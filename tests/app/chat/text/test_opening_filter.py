"""An answer begins with what it says of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.opening_filter import OpeningFilter

QUESTION = "Was kostet ein Reisepass?"
INSTRUCTIONS = ("Nenne den Teil und sage, was fehlt. Verwende die Quellen.\n\nFrage: ",)


def filtered(*pieces: str) -> str:
    opening = OpeningFilter(QUESTION, INSTRUCTIONS)
    return "".join(map(opening.feed, pieces)) + opening.close()


@pytest.mark.parametrize(
    "echo",
    [
        "Quellen: [1][3]",
        QUESTION,
        f"Frage: {QUESTION}\n\nQuellen: [1, 2]",
        "Was kostet",
        "[1]",
        "1. ",
        "(Source 1)[^3]",
        "Sources: [1][3]",
        "[Source 1, Source 2]",
    ],
)
def test_words_of_question_and_instructions_alone_are_no_answer(echo: str) -> None:
    assert filtered(*echo) == ""


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        (f"{QUESTION}\n70 Euro [1].", "70 Euro [1]."),
        (f"**Frage: {QUESTION}**\n\n- 70 Euro", "- 70 Euro"),
        (
            "Was kostet ein Personalausweis? Sage ich nicht.",
            "Was kostet ein Personalausweis? Sage ich nicht.",
        ),
        ("Ja [1].", "Ja [1]."),
        ("Die Quellen nennen 70 Euro.", "Die Quellen nennen 70 Euro."),
    ],
)
def test_a_repeated_question_is_left_out_and_other_openings_stay(answer: str, own: str) -> None:
    assert filtered(*answer) == own


@given(
    st.lists(
        st.sampled_from(
            [
                "Frage: ",
                "Was ",
                "kostet",
                " ein ",
                "Reisepass",
                "?",
                "**",
                "\n",
                "Quellen",
                "[1",
                "]",
                "1. ",
                "70",
                "a",
            ]
        ),
        max_size=16,
    )
)
def test_the_answer_does_not_depend_on_how_the_model_splits_it(pieces: list[str]) -> None:
    assert filtered(*pieces) == filtered("".join(pieces))
