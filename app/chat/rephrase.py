"""From a question in a conversation to one that can be searched for by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import structlog

from app.chat.history import recent
from app.chat.prompts import rephrase_messages
from app.chat.types import Turn
from app.errors import ModelError

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.models import ChatModel

REPLY_TOKENS: Final = 200
REPLY_CHARACTERS: Final = 400
"""A reply longer than this, and than twice the question, is not a question."""

_QUOTED: Final = re.compile(r"([\"'„“«‚])(.*)[\"'“”»‘]", re.DOTALL)

log = structlog.get_logger(__name__)


def rephrase(
    model: ChatModel, question: str, history: Sequence[Turn], *, language: str, deadline: float
) -> str | None:
    """The question as one that needs no conversation, asked of the model within ``deadline`` seconds.

    ``None`` if the model fails or its reply is empty, too long or more than one paragraph.
    """
    messages = rephrase_messages(question=question, history=recent(history), language=language)
    try:
        reply = model.complete(messages, REPLY_TOKENS, deadline)
    except ModelError as error:
        log.warning("rephrase_failed", kind=error.kind, message=str(error))
        return None
    return _checked(reply, question)


def without_model(question: str, history: Sequence[Turn]) -> str:
    """The question with the visitor's previous one before it: what can be done without a model."""
    previous = next((turn.content for turn in reversed(history) if turn.role == "user"), "")
    return f"{previous} {question}".strip()


def _checked(reply: str, question: str) -> str | None:
    line = reply.strip()
    if quoted := _QUOTED.fullmatch(line):
        line = quoted[2].strip()
    too_long = len(line) > max(REPLY_CHARACTERS, 2 * len(question))
    if "\n" in line or too_long or not any(map(str.isalnum, line)):
        log.warning("rephrase_failed", kind="bad_reply", characters=len(line))
        return None
    return line
