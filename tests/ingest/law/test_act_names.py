"""Acts' names in questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.law.act_names import ActNames

NAMES = ActNames({
    "AI Act": "1", "KI-Verordnung": "1", "règlement sur l'IA": "1", "Data Act": "2",
    "Data Governance Act": "3", "Regulation (EU) 2016/679": "4",
})  # fmt: skip


def found(text: str) -> str:
    return NAMES.replaced(text, lambda name, celex: f"<{name}={celex}>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the ai act.", "the <ai act=1>."),
        ("KI Verordnung, KI-Verordnung", "<KI Verordnung=1>, <KI-Verordnung=1>"),
        ("le règlement sur l’IA", "le <règlement sur l’IA=1>"),
        ("l'AI Act", "l'<AI Act=1>"),
        ("Data Governance Act or Data Act", "<Data Governance Act=3> or <Data Act=2>"),
        ("Data Governance", "Data Governance"),
        ("AI, Act", "AI, Act"),
        ("AI   Act", "AI   Act"),
        ("AI Acts, MAI Act", "AI Acts, MAI Act"),
        ("Regulation (EU) 2016/679", "Regulation (EU) 2016/679"),
        ("", ""),
    ],
)
def test_names_are_found_word_by_word(text: str, expected: str) -> None:
    assert found(text) == expected


@given(
    st.lists(st.sampled_from(["AI", "Act", "data", "governance", " ", "-", "'", "’", "\n", ".", "é"])).map(
        "".join
    )
)
def test_what_is_no_name_stays_as_it_is(text: str) -> None:
    assert NAMES.replaced(text, lambda name, _celex: name) == text
    assert ActNames({}).replaced(text, lambda _name, celex: celex) == text
