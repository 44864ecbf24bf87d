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


SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@pytest.mark.parametrize(
    "text", ["=1+1", "+49", "-1", '@SUM(A1)|"', "=cmd|' /C calc'!A0", "＝1+1", "＋1", "－1", "＠SUM(A1)"]
)
def test_what_strangers_wrote_is_no_formula(text: str) -> None:
    assert parsed(text) == f"'{text}"


@pytest.mark.parametrize("separator", [";", "\t", "\n", "\r"])
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("between", ["", " ", '"', ' "', "'"])
def test_nothing_is_a_formula_where_another_sign_separates_the_cells(
    separator: str, sign: str, between: str
) -> None:
    lines = "".join(csv_lines(["a", "question"], [{"a": "x", "question": f"x{separator}{between}{sign}1+1"}]))
    cells = [cell for part in lines.split(separator) for cell in part.splitlines()]
    assert not [cell for cell in cells if cell.lstrip(" \"'").startswith(SIGNS) and "'" + sign not in cell]


def plain(text: str) -> str:
    return text.replace("'", "").replace("–", "-")


@given(st.text(st.characters(exclude_characters="\0"), min_size=1))
def test_other_text_comes_back_as_it_was(text: str) -> None:
    assert plain(parsed(text)) == plain(text)
    assert not parsed(text).startswith((*SIGNS, "\t", "\r", "\n"))


def test_items_of_a_list_begin_with_a_dash() -> None:
    assert parsed("Pets:\n- dogs\n  - large ones\n- cats") == "Pets:\n– dogs\n  – large ones\n– cats"


@pytest.mark.parametrize("text", ["Hund; Katze - oder = beides?", "a-b, c+d", "x@y", "1;2", "Wann?\nWo?"])
def test_signs_inside_a_text_stay_as_they_are(text: str) -> None:
    assert parsed(text) == text


def test_lists_are_joined_and_columns_have_their_order() -> None:
    lines = csv_lines(["b", "a"], [{"a": ["x", "y"], "b": 1, "c": "left out"}])
    assert list(lines) == ["b,a\r\n", "1,x y\r\n"]
