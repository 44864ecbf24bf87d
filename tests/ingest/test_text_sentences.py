"""Where sentences end, and where they only seem to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.text import ends, sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["Das kostet z. B. 5 Euro. ", "Am 3. Mai ist zu."],
        ["Siehe Abs. 2 und Nr. 7 der Verordnung. ", "Sie gilt ab 2024. ", "Danach nicht."],
        ["Dr. Huber hilft! ", "„Wirklich?“ ", "Ja."],
        ["Mr. Smith works e.g. on Mondays. ", "Call him."],
        ["Version 3.5 is out. ", "Get it."],
        ["First line\n", "second line"],
        ["你好。", "再见"],
        ["One"],
    ],
)
def test_sentences_are_told_apart(parts: list[str]) -> None:
    assert sentences("".join(parts)) == parts


@given(text=st.text())
def test_sentences_join_to_the_text(text: str) -> None:
    assert "".join(sentences(text)) == text
    assert list(ends(text))[-1:] == ([len(text)] if text else [])
