"""The model's answer as it grows."""

from hypothesis import example, given
from hypothesis import strategies as st

from app.chat.text.answer_filter import AnswerFilter
from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_filter import FigureFilter

PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "STATUS: partly\n",
                "STATUS",
                ": answered",
                "\r",
                "\n",
                " ",
                "a",
                "- one",
                "[1]",
                "[1",
                ", 9]",
                "7. ",
            ),
            *("[", "]", "`", "می", "\u200c", "خواهم", "\u200b", "\u00ad", "\x00"),
        ]
    )
)


def filtered(*pieces: str) -> tuple[str, str, list[int], str | None]:
    """The text that was streamed, the whole text, the citations and the verdict."""
    answer = AnswerFilter({1, 2}, FigureFilter(Evidence([]), "[?]"))
    deltas = [delta.text for piece in pieces for delta in answer.feed(piece)]
    deltas += [delta.text for delta in answer.close()]
    return "".join(deltas), answer.text, answer.cited, answer.verdict


@given(PIECES)
@example(["- one\r", "\n- two"])
@example(["می", "\u200cخواهم"])
def test_the_answer_does_not_depend_on_how_the_model_splits_it(pieces: list[str]) -> None:
    streamed, text, *others = filtered(*pieces)
    assert streamed == text
    assert (streamed, text, *others) == filtered("".join(pieces))
