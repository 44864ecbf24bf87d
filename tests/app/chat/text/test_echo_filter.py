"""An answer ends where the model begins to repeat what it was told."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.chat.text.repetition_filter import EchoFilter

INSTRUCTIONS = (
    "You are the information service of Otterfurt.\n\nRules:\n"
    "1. Support every statement by numbers, such as [1].\n"
    "- none: they do not answer it. Say so.\nToday is 2026-11-22. Use it to check dates.",
    "Task: first write the line with STATUS.\n\nQuestion: ",
)
PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "Task: first",
                " write the",
                " line",
                "Task",
                ": ",
                "Support every statement",
                " by",
                "none: they do",
            ),
            *("1", ". ", "10", "\n", "\r", " ", "- ", "**", "\u2028", "Open.", "not answer it"),
        ]
    )
)


def filtered(*pieces: str) -> tuple[str, bool]:
    echoes = EchoFilter(INSTRUCTIONS)
    text = "".join(map(echoes.feed, pieces)) + echoes.close()
    return text, echoes.has_ended


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        ("Open [1].\n\nTask: first write the answer, then stop.\nSupport [2].", "Open [1].\n\n"),
        ("381\n2. Support every statement by [1].", "381\n"),
        ("- none: they do not answer much\nmore", ""),
        ("> **Task: first write the line**", ""),
        ("You are the information service", ""),
    ],
)
def test_a_repeated_line_and_all_that_follows_is_left_out(answer: str, own: str) -> None:
    assert filtered(answer) == (own, True)


@pytest.mark.parametrize(
    "answer",
    [
        "Task: first come, first served.\nQuestion: who?\nRules: none.",
        "Today is 2026-11-22. The pool is open.",
        "The Task: first write the line down.",
        "Support every child [1].\n1.",
        "none: they",
    ],
)
def test_an_answer_that_only_looks_like_it_stays_whole(answer: str) -> None:
    assert filtered(answer) == (answer, False)


@given(PIECES)
@example(["1", ". Support every statement by"])
@example(["Task: first write the", "\n"])
def test_the_end_does_not_depend_on_how_the_model_splits_its_answer(pieces: list[str]) -> None:
    assert filtered(*pieces) == filtered("".join(pieces))
