"""Checks what the model replied when it was asked for a context, and makes a line of plain text of it."""

import re
from collections.abc import Sequence
from typing import Final

from app.errors import AuskunftError
from ingest.text import shortened, visible

MAX_CHARACTERS: Final = 700
"""The longest context: 100 tokens of a language that needs many letters for one."""

MIN_CHARACTERS: Final = 15
RUN_WORDS: Final = 8
"""So many words in a row that are the instructions' are no coincidence."""

LEAST_VARIETY: Final = 0.4
"""The share of different words below which a reply turns in a circle."""

_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG: Final = re.compile(r"</?[a-zA-Z|｜!][^<>]*>")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)\S*", re.IGNORECASE)
_MARKS: Final = re.compile(r"[*_`#|~\\<>]+|^\s*[-+]\s", re.MULTILINE)
_LABEL: Final = re.compile(
    r"^\W*(?:(?:here is|here's|hier ist)\b[^:]{0,60}:"
    r"|(?:(?:short|succinct|kurzer)\s+)?(?:context|kontext)\s*:)\s*",
    re.IGNORECASE,
)
_REFUSAL: Final = re.compile(
    r"^\W*(?:(?:i am|i'm|i’m) (?:sorry|unable|not able)|sorry\b|i (?:cannot|can't|can’t)"
    r"|as an? (?:ai|language model)|(?:es )?tut mir leid|entschuldigung|leider kann ich"
    r"|ich kann (?:das|dir|ihnen|diese|dabei|nicht)|als (?:ki|sprachmodell)|je suis désolé|je ne peux pas)",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"\w+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")


class ReplyError(AuskunftError):
    """What came is no context; ``reason`` says why in a word or two."""

    code = "bad_reply"

    def __init__(self, reason: str) -> None:
        super().__init__("the reply is no context: {reason}", reason=reason)
        self.reason = reason


def context_of(reply: str, instructions: str) -> str:
    """The context in a reply, on one line, without markup and addresses. ``instructions``: what the model was
    told beside the document.

    Raises ``ReplyError`` for one that is empty, refuses, repeats the instructions or turns in a circle.
    """
    text = _said_once(_plain(reply))
    words = _words(text)
    if len(text) < MIN_CHARACTERS:
        raise ReplyError("empty")
    if _REFUSAL.match(text):
        raise ReplyError("refusal")
    if _runs(words) & _runs(_words(instructions)):
        raise ReplyError("repeats the instructions")
    if len(words) > 20 and len(set(words)) < LEAST_VARIETY * len(words):
        raise ReplyError("turns in a circle")
    return shortened(text, MAX_CHARACTERS)


def _plain(reply: str) -> str:
    text = _THOUGHT.sub(" ", visible(reply))
    text = _ADDRESS.sub(" ", _LINK.sub(r"\1", _TAG.sub(" ", text)))
    text = " ".join(_MARKS.sub(" ", text).split())
    return _LABEL.sub("", text).strip(" \"'“”„»«")


def _said_once(text: str) -> str:
    """The text without sentences that it repeats, the last one also as far as it got."""
    *whole, last = _SENTENCE_END.split(text)
    ends = [] if any(sentence.startswith(last) for sentence in whole) else [last]
    return " ".join(dict.fromkeys([*whole, *ends]))


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + RUN_WORDS]) for start in range(len(words) - RUN_WORDS + 1)}
