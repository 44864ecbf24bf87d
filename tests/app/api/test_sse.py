"""Framing and pings."""

import json
import threading
from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.sse import PING, frame, with_pings


@given(st.text())
def test_no_text_breaks_out_of_its_frame(text: str) -> None:
    event, data, *rest = frame("delta", {"text": text}).split("\n")
    assert (event, rest) == ("event: delta", ["", ""])
    assert json.loads(data.removeprefix("data: ")) == {"text": text}
    assert "\r" not in data


def stay() -> None:
    """For readers who leave, but whose frames need no ending."""


def test_frames_pass_in_order_and_the_stream_ends() -> None:
    assert list(with_pings((character for character in "01234"), stay, seconds=5)) == list("01234")


def test_pings_come_while_nothing_else_does() -> None:
    ready = threading.Event()

    def slow() -> Generator[str, None, None]:
        ready.wait(10)
        yield "frame"

    stream = with_pings(slow(), stay, seconds=0.01)
    assert [next(stream), next(stream)] == [PING, PING]
    ready.set()
    assert next(frame for frame in stream if frame != PING) == "frame"
    assert list(stream) == []


def test_a_reader_who_leaves_closes_the_source() -> None:
    closed = threading.Event()

    def endless() -> Generator[str, None, None]:
        try:
            while True:
                yield "frame"
        finally:
            closed.set()

    stream = with_pings(endless(), stay, seconds=5)
    next(stream)
    stream.close()
    assert closed.is_set()


def test_the_frame_being_made_when_the_reader_leaves_is_not_waited_for() -> None:
    left, closed = threading.Event(), threading.Event()

    def waiting() -> Generator[str, None, None]:
        try:
            yield "frame"
            assert left.wait(10)
            yield "late"
        finally:
            closed.set()

    stream = with_pings(waiting(), left.set, seconds=0.01)
    assert [next(stream), next(stream)] == ["frame", PING]
    stream.close()
    assert left.is_set()
    assert closed.is_set()


def test_an_error_reaches_the_reader() -> None:
    def broken() -> Generator[str, None, None]:
        yield "frame"
        raise RuntimeError("broken")

    stream = with_pings(broken(), stay, seconds=5)
    assert next(stream) == "frame"
    with pytest.raises(RuntimeError, match="broken"):
        next(stream)
