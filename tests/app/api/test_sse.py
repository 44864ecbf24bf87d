"""Framing."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.api.sse import frame


@given(st.text())
def test_no_text_breaks_out_of_its_frame(text: str) -> None:
    event, data, *rest = frame("delta", {"text": text}).split("\n")
    assert (event, rest) == ("event: delta", ["", ""])
    assert json.loads(data.removeprefix("data: ")) == {"text": text}
    assert "\r" not in data
