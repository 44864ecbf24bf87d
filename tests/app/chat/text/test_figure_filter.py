"""Sentences whose figures no source has are marked while the answer streams."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_filter import FigureFilter
from app.chat.text.figure_places import SourceText
from app.chat.text.figure_subjects import FigureSubjects

SOURCE = "The dog tax is 96 euros. It is due on 15 February 2025."
PIECES = st.lists(
    st.sampled_from(["9", "6 ", "99", ".", "\n", " ", "A", "[1]", "[1", ", 2]", "|", "!", ")", "1. ", "z.B."])
)


def filtered(*pieces: str) -> tuple[str, list[str]]:
    figures = FigureFilter(Evidence([SOURCE]), "[?]")
    text = "".join(map(figures.feed, pieces)) + figures.close()
    return text, figures.unsupported


@given(PIECES)
@example(["99.", " ", "[1]", " A"])
@example(["| 99 |", " 96 |\n", "A"])
def test_the_marks_do_not_depend_on_how_the_answer_is_split(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert filtered(*pieces) == filtered(text) == filtered(*text)
    assert "".join(filtered(text)[0].replace("[?]", "").split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("It is 96 euros [1].", "It is 96 euros [1]."),
        ("It is 99 euros [1].", "It is 99 euros [1]. [?]"),
        ("It is 99 euros. [1, 2] It is due.", "It is 99 euros. [1, 2] [?] It is due."),
        ("It is 96 euros. It is 99.\n\nMore", "It is 96 euros. It is 99. [?]\n\nMore"),
        ("- 99 euros\n- 96 euros\n", "- 99 euros [?]\n- 96 euros\n"),
        ("| dog | 99 |\n| cat | 96 |", "| dog | 99 [?] |\n| cat | 96 |"),
        ('He said "99!"(so)', 'He said "99!"(so) [?]'),
        ("It is due on 15.2.2025. z. B. 99", "It is due on 15.2.2025. z. B. 99 [?]"),
        ("", ""),
    ],
)
def test_the_mark_stands_behind_the_sentence_and_its_citations(text: str, marked: str) -> None:
    assert filtered(*text)[0] == marked


def test_what_is_not_a_sentences_end_yet_is_passed_on_at_once() -> None:
    figures = FigureFilter(Evidence([SOURCE]), "[?]")
    assert figures.feed("It is 99") == "It is 99"
    assert figures.feed(" a year. ") == " a year."
    assert figures.feed("A") == " [?] A"


def test_marked_sentences_are_kept_without_citations_and_counted() -> None:
    figures = FigureFilter(Evidence([SOURCE]), "[?]")
    assert not figures.is_mostly_unsupported
    figures.feed("It is 99 euros [1]. It is 96 euros. None here. ")
    assert figures.unsupported == ["It is 99 euros."]
    assert not figures.is_mostly_unsupported
    figures.feed("And 7 more.")
    figures.close()
    assert figures.is_mostly_unsupported


FEES = SourceText(
    "Fees", "| Pass | Fee |\n| --- | --- |\n| day pass | 5 euros |\n| year pass | 96 euros |", "en"
)


def marked_by_subject(text: str, question: str = "") -> list[str]:
    subjects = FigureSubjects([FEES], question, "en")
    figures = FigureFilter(Evidence([FEES.text]), "[?]", subjects)
    for character in text:
        figures.feed(character)
    figures.close()
    return figures.unsupported


def test_a_sentence_with_the_figure_of_something_else_is_marked() -> None:
    assert marked_by_subject("The day pass is 5 euros [1]. The year pass is 5 euros [1].") == [
        "The year pass is 5 euros."
    ]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("You need a year pass. It is 5 euros.", ["It is 5 euros."]),
        ("For the year pass:\n\n- price: 96 euros\n- refund: 5 euros", ["- refund: 5 euros"]),
        ("| kind | fee |\n| --- | --- |\n| day | 5 euros |\n| year | 5 euros |", ["| year | 5 euros |"]),
    ],
)
def test_what_leads_to_a_sentence_an_item_or_a_row_tells_its_subject(text: str, marked: list[str]) -> None:
    assert marked_by_subject(text) == marked
