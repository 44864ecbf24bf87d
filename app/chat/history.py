"""Limits how much of a conversation is sent to the model."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.chat.model.tokens import estimate
from app.chat.text.catalogue import UNSUPPORTED_MARKS, no_answer, supported_part
from app.chat.text.citations import without_citations
from app.chat.text.verdict import with_status_line
from app.chat.types import Turn

TURNS: Final = 6
TURN_CHARACTERS: Final = 600
_MARKS: Final = re.compile(f" ?(?:{'|'.join(map(re.escape, UNSUPPORTED_MARKS))})")


def recent(history: Sequence[Turn]) -> list[Turn]:
    """Return the last ``TURNS`` turns, each cut after a word to about ``TURN_CHARACTERS``.

    Answers come without citations, because the next one's sources are numbered anew, without marks, and
    without unsupported text, which the model would copy.
    """
    return [replace(turn, content=_shortened(_said(turn))) for turn in history[-TURNS:]]


def newest(history: Sequence[Turn], tokens: int, language: str = "") -> list[Turn]:
    """Return the latest of the recent turns that fit into ``tokens``, estimated for ``language``, in order.
    Answers have their status line, so that the model continues to write one."""
    kept: list[Turn] = []
    for turn in reversed([_with_verdict(turn) for turn in recent(history)]):
        tokens -= estimate(turn.content, language)
        if tokens < 0:
            break
        kept.append(turn)
    return kept[::-1]


def _with_verdict(turn: Turn) -> Turn:
    if turn.role == "user":
        return turn
    return replace(turn, content=with_status_line(turn.verdict, turn.content))


def _said(turn: Turn) -> str:
    """Return the turn's text; for an answer that is not supported, only the passages below it."""
    if turn.role == "user":
        return turn.content
    said = supported_part(turn.content, is_supported=turn.is_supported)
    return _MARKS.sub("", without_citations(said)) or no_answer("", has_sources=False, contact="")


def _shortened(text: str) -> str:
    if len(text) <= TURN_CHARACTERS:
        return text
    return text[:TURN_CHARACTERS].rsplit(None, 1)[0] + " …"
