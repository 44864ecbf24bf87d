"""What a reasoning model thinks is left out, however it is cut."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.model.thinking import without_thinking


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Plain answer.", "Plain answer."),
        ("<think>so</think>Answer.", "Answer."),
        ("\n<think>\nso\n</think>\n\n Answer.", "Answer."),
        ("<think>a</think> <think>b</think> Answer.", "Answer."),
        ("<think></think>Answer.", "Answer."),
        ("<think>never closed", ""),
        ("<thin", "<thin"),
        ("The tag <think>x</think> stays.", "The tag <think>x</think> stays."),
        ("", ""),
    ],
)
@given(data=st.data())
def test_leading_thoughts_vanish_for_every_split(text: str, answer: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
    bounds = [0, *cuts, len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(bounds)]
    assert "".join(without_thinking(pieces)) == answer
