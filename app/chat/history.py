"""Limits how much of a conversation is sent to the model."""

from collections.abc import Sequence
from typing import Final

from app.chat.model.tokens import estimate
from app.chat.text.citations import without_citations
from app.chat.types import Turn

TURNS: Final = 6
TURN_CHARACTERS: Final = 600


def recent(history: Sequence[Turn]) -> list[Turn]:
    """The last ``TURNS`` turns, each shortened at a word to about ``TURN_CHARACTERS``. Answers come without
    citations: the next one's sources are numbered anew."""
    return [Turn(role=turn.role, content=_shortened(_said(turn))) for turn in history[-TURNS:]]


def newest(history: Sequence[Turn], tokens: int) -> list[Turn]:
    """The latest of the recent turns that fit into ``tokens``, in their order."""
    kept: list[Turn] = []
    for turn in reversed(recent(history)):
        tokens -= estimate(turn.content)
        if tokens < 0:
            break
        kept.append(turn)
    return kept[::-1]


def _said(turn: Turn) -> str:
    return without_citations(turn.content) if turn.role == "assistant" else turn.content


def _shortened(text: str) -> str:
    if len(text) <= TURN_CHARACTERS:
        return text
    return text[:TURN_CHARACTERS].rsplit(None, 1)[0] + " …"
