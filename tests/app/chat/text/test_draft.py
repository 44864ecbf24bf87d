"""A block that is being written can be read along as plain text."""

from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.text.draft import common_length, draft
from tests.growth import grows_with_size

WRITTEN: Final = (
    "Die **Hundesteuer** kostet *96,00 €* [1, 3], siehe [Seite](https://town.example/a_(b)_c).\n\n"
    "- erstens `code`\n- zweitens snake_case\n\n1. Am 3. Mai\n2. ~~alt~~ 5 \\* 3\n\n"
    "| Hund | Euro |\n|---|--:|\n| der erste | 96,00 |\n"
)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("It is **96 euros** [1].", "It is 96 euros [1]."),
        ("It is **96 eu", "It is 96 eu"),
        ("It is 96 euros [1", "It is 96 euros"),
        ("See [the page](https://town.exa", "See"),
        ("See [the page](https://town.example/a).", "See the page."),
        ("## Prices\nText", "Prices Text"),
        ("- first\n- second\n- ", "• first\n• second"),
        ("1. first\n2. second\n3", "1. first\n2. second"),
        ("2026 is", "2026 is"),
        ("| Dog | Euros |\n|---|--:|\n| first | 96.00 |\n| second |", "Dog · Euros\nfirst · 96.00\nsecond"),
        ("One line\nand the next", "One line and the next"),
        ("> quoted\n> on", "quoted\non"),
        ("```python\nx = 1\n", "x = 1"),
        ("snake_case, _emphasis_, 5 \\* 3", "snake_case, emphasis, 5 * 3"),
        ("a\u202eb", "ab"),
        ("", ""),
    ],
)
def test_markup_is_left_out(markdown: str, text: str) -> None:
    assert draft(markdown) == text


def test_what_was_shown_stays_while_the_text_grows() -> None:
    shown = [draft(WRITTEN[:end]) for end in range(len(WRITTEN) + 1)]
    for before, after in pairwise(shown):
        assert len(before) - common_length(before, after) <= 1, (before, after)


@pytest.mark.parametrize(
    "piece", ["*", "_", " ", "\t", "1", "[", "](", "|", "\\", "- ", "\n", "`", "_x", ">", "#"]
)
def test_a_long_run_of_anything_takes_time_by_its_length_alone(piece: str) -> None:
    def read(times: int) -> None:
        draft(piece * times + "x")
        draft("x\n" + piece * times)

    assert grows_with_size(read, 5_000)


@settings(deadline=None)
@given(st.text(alphabet="ab1 \n*_`~[]()|#>-+.\\!<&", max_size=60))
def test_any_beginning_has_a_draft(markdown: str) -> None:
    assert draft(markdown) == draft(markdown).strip()
