"""Removes the thoughts that reasoning models write before the answer."""

from collections.abc import Iterable, Iterator
from typing import Final

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


def without_thinking(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the streamed text without leading ``<think>...</think>`` blocks and the white space around them.

    Later blocks are kept, because the tag can be the subject of an answer.
    """
    held, inside, answering = "", False, False
    for piece in pieces:
        if answering:
            yield piece
            continue
        held, inside = _skip(held + piece, inside)
        answering = not inside and bool(held) and not _OPEN.startswith(held)
        if answering:
            yield held
    if held and not inside and not answering:
        yield held


def _skip(text: str, inside: bool) -> tuple[str, bool]:
    """Return the text without complete thoughts, and True if the rest begins within a thought."""
    while True:
        if inside:
            _, closed, rest = text.partition(_CLOSE)
            if not closed:
                return text[-len(_CLOSE) + 1 :], True
            text, inside = rest, False
        text = text.lstrip()
        if not text.startswith(_OPEN):
            return text, False
        text, inside = text.removeprefix(_OPEN), True
