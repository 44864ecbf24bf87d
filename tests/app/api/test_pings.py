"""Parts of a stream with pings between them, and readers who leave."""

import threading
from collections.abc import Generator

import pytest
from structlog.testing import capture_logs

from app.api.pings import AHEAD, with_pings


def stay() -> None:
    """For readers who leave, but whose parts need no ending."""


def test_parts_pass_in_order_and_the_stream_ends() -> None:
    texts = list(map(str, range(200)))
    assert "".join(with_pings((text for text in texts), stay, "ping", seconds=5)) == "".join(texts)


def test_what_is_ready_comes_at_once() -> None:
    begun, made = threading.Event(), threading.Event()

    def quick() -> Generator[str, None, None]:
        yield "first"
        begun.wait(10)
        yield from "1234"
        made.set()

    stream = with_pings(quick(), stay, "ping", seconds=5)
    assert next(stream) == "first"
    begun.set()
    assert made.wait(10)
    assert next(stream) == "1234"


def test_a_slow_reader_is_waited_for() -> None:
    made = 0

    def endless() -> Generator[str, None, None]:
        nonlocal made
        while True:
            made += 1
            yield "part"

    stream = with_pings(endless(), stay, "ping", seconds=5)
    taken = sum(len(next(stream)) for _ in range(50)) // len("part")
    assert made <= taken + AHEAD + 1
    stream.close()


def test_pings_come_while_nothing_else_does() -> None:
    ready = threading.Event()

    def slow() -> Generator[str, None, None]:
        ready.wait(10)
        yield "part"

    stream = with_pings(slow(), stay, "ping", seconds=0.01)
    assert [next(stream), next(stream)] == ["ping", "ping"]
    ready.set()
    assert next(part for part in stream if part != "ping") == "part"
    assert list(stream) == []


def test_a_reader_who_leaves_closes_the_source() -> None:
    closed = threading.Event()

    def endless() -> Generator[str, None, None]:
        try:
            while True:
                yield "part"
        finally:
            closed.set()

    stream = with_pings(endless(), stay, "ping", seconds=5)
    next(stream)
    stream.close()
    assert closed.is_set()


def test_the_part_being_made_when_the_reader_leaves_is_not_waited_for() -> None:
    left, closed = threading.Event(), threading.Event()

    def waiting() -> Generator[str, None, None]:
        try:
            yield "part"
            assert left.wait(10)
            yield "late"
        finally:
            closed.set()

    stream = with_pings(waiting(), left.set, "ping", seconds=0.01)
    assert next(part for part in stream if part != "ping") == "part"
    assert next(stream) == "ping"
    stream.close()
    assert left.is_set()
    assert closed.is_set()


def test_an_error_reaches_the_reader() -> None:
    def broken() -> Generator[str, None, None]:
        yield "part"
        raise RuntimeError("broken")

    stream = with_pings(broken(), stay, "ping", seconds=5)
    assert next(stream) == "part"
    with pytest.raises(RuntimeError, match="broken"):
        next(stream)


def test_what_breaks_while_the_reader_leaves_is_logged() -> None:
    def breaking() -> Generator[str, None, None]:
        try:
            yield "part"
        finally:
            raise RuntimeError("broken")

    stream = with_pings(breaking(), stay, "ping", seconds=5)
    next(stream)
    with capture_logs() as logged:
        stream.close()
    assert [str(entry["exc_info"]) for entry in logged] == ["broken"]


def test_a_reader_who_leaves_in_peace_leaves_no_line_in_the_log() -> None:
    stream = with_pings((part for part in "01"), stay, "ping", seconds=5)
    next(stream)
    with capture_logs() as logged:
        stream.close()
    assert logged == []
