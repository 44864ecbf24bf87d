"""Units: whole while they are short, else 500 to 1,000 characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunkers.units import cores

PIECES = ["a", "ä€😀", "word ", "end. ", "\n", "\n\n", "(a) point\n", "x" * 90, "y" * 400]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=200).map("".join)


@given(TEXTS)
def test_cores_join_and_have_500_to_1000_characters_the_last_250_at_least(text: str) -> None:
    found = list(cores(text))
    assert "".join(found) == text
    if len(text) <= 1_000:
        assert found == [text]
        return
    assert all(500 <= len(core) <= 1_000 for core in found[:-1])
    assert 250 <= len(found[-1]) <= 1_000


@pytest.mark.parametrize("separator", ["\n\n", "\n", ". ", " "])
def test_a_long_unit_is_cut_at_the_best_place_that_comes_last(separator: str) -> None:
    weaker = "w " * 450 if separator != " " else "w" * 900
    text = "a" * 600 + separator + "b" * 100 + separator + "c" * 100 + weaker
    assert next(cores(text)) == f"{'a' * 600}{separator}{'b' * 100}{separator}"


def test_text_without_any_place_to_cut_is_cut_where_the_room_ends() -> None:
    assert [len(core) for core in cores("x" * 2_100)] == [1_000, 850, 250]


def test_each_question_of_a_faq_is_a_unit_with_its_answer() -> None:
    questions = [
        f"## Frage {n}\n\n{'Die Antwort steht hier. ' * length}\n\n" for n, length in enumerate((13, 16, 30))
    ]
    assert list(cores("".join(questions))) == questions


def test_what_is_too_short_to_stand_alone_is_joined_with_what_follows() -> None:
    short, long = "# FAQ\n\nKurz.\n\n", f"## Frage\n\n{'Die Antwort steht hier. ' * 20}"
    assert list(cores(short + long)) == [short + long]
    assert list(cores(long + "\n\n## Noch eine\n\nJa.")) == [long + "\n\n## Noch eine\n\nJa."]


def test_the_heading_of_a_long_text_stays_with_its_beginning() -> None:
    heading = f"# {'Ein langer Titel ' * 32}\n\n"
    first, *_ = cores(heading + "Ein Satz steht hier. " * 200)
    assert first.startswith(heading)
    assert "Ein Satz steht hier." in first
