"""Pieces of a text with the question's words marked."""

from hypothesis import given
from hypothesis import strategies as st

from app.search.highlight import HIGHLIGHTS, highlights, marks
from tests.growth import grows_with_size


def marked(text: str, *words: str) -> list[list[str]]:
    """The marked words of each piece."""
    return [[piece.text[start:end] for start, end in piece.marks] for piece in highlights(text, words, "en")]


def test_the_pieces_with_most_of_the_words_come_in_the_order_of_the_text() -> None:
    text = "One dog.\n\nA dog and a licence.\n\nA cat.\n\nAnother dog.\n\nLicences for dogs."
    assert marked(text, "dog", "licence") == [["dog"], ["dog", "licence"], ["Licences", "dogs"]]


def test_a_word_that_stands_often_counts_once() -> None:
    text = "dog dog dog\n\ndog and cat\n\ncat and dog\n\ndog with cat"
    assert marked(text, "dog", "cat") == [["dog", "cat"], ["cat", "dog"], ["dog", "cat"]]


def test_decomposed_letters_are_marked_whole() -> None:
    text = "Das Bu\u0308rgerbu\u0308ro"
    [piece] = highlights(text, ("bürgerbüro",), "de")
    assert [piece.text[start:end] for start, end in piece.marks] == ["Bu\u0308rgerbu\u0308ro"]


def test_nothing_is_marked_without_words_or_matches() -> None:
    assert (
        highlights("A dog", (), "en")
        == highlights("A dog", ("cat",), "en")
        == highlights("", ("a",), "en")
        == []
    )


def test_words_are_marked_in_any_form_of_any_of_the_languages() -> None:
    text = "Dogs and Hunde: a dog, ein Hund."
    found = marks(text, ("dog", "hunden"), ("de", "en"))
    assert [text[start:end] for start, end in found] == ["Dogs", "Hunde", "dog", "Hund"]


@given(text=st.text(alphabet="ab dog\n\u0308.", max_size=400))
def test_pieces_are_slices_and_marks_lie_in_them_without_overlap(text: str) -> None:
    pieces = highlights(text, ("dog", "ab"), "en")
    assert len(pieces) <= HIGHLIGHTS
    for piece in pieces:
        assert piece.text in text
        edges = [edge for mark in piece.marks for edge in mark]
        assert edges == sorted(edges)
        assert 0 <= edges[0] < edges[-1] <= len(piece.text)


def test_four_times_the_text_is_no_sixteen_times_the_work() -> None:
    def mark(lines: int) -> None:
        highlights("A dog and its licence.\n" * lines, ("dog", "licence"), "en")

    assert grows_with_size(mark, 5_000)
