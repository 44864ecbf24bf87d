"""Tables for spreadsheets."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.csv import csv_lines


def parsed(text: str) -> str:
    [header, row] = list(csv.reader(io.StringIO("".join(csv_lines(["question"], [{"question": text}])), "")))
    assert header == ["question"]
    return row[0]


@pytest.mark.parametrize("text", ["=1+1", "+49", "-1", '@SUM(A1)|"', "\t=1", "\r=1", "=cmd|' /C calc'!A0"])
def test_what_strangers_wrote_is_no_formula(text: str) -> None:
    assert parsed(text) == f"'{text}"


@given(st.text(st.characters(exclude_characters="\0"), min_size=1))
def test_other_text_comes_back_as_it_was(text: str) -> None:
    assert parsed(text).removeprefix("'") == text.removeprefix("'")
    assert not parsed(text).startswith(("=", "+", "-", "@"))


def test_lists_are_joined_and_columns_have_their_order() -> None:
    lines = csv_lines(["b", "a"], [{"a": ["x", "y"], "b": 1, "c": "left out"}])
    assert list(lines) == ["b,a\r\n", "1,x y\r\n"]
