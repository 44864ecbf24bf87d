"""Checks the model's reply to a request for a context, and turns it into one line of plain text."""

import re
from collections.abc import Sequence
from typing import Final

from app.errors import AuskunftError
from ingest.text import shortened, visible

MAX_CHARACTERS: Final = 700
"""The longest context: 100 tokens in a language with many letters per token."""

MIN_CHARACTERS: Final = 15
RUN_WORDS: Final = 8
"""A run of this many words that is also in the instructions is no coincidence."""

LEAST_VARIETY: Final = 0.4
"""Below this share of different words, a reply repeats itself."""

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
    """The reply is no context; ``reason`` says why in a word or two."""

    code = "bad_reply"

    def __init__(self, reason: str) -> None:
        super().__init__("the reply is no context: {reason}", reason=reason)
        self.reason = reason


def context_of(reply: str, instructions: str) -> str:
    """Return the context in a reply, on one line, without markup and addresses.

    ``instructions``: the prompt without the document. Raises ``ReplyError`` if the reply is empty, refuses,
    repeats the instructions or repeats itself.
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
    """The text without repeated sentences; the last one also counts as repeated if it is an unfinished
    copy."""
    *whole, last = _SENTENCE_END.split(text)
    ends = [] if any(sentence.startswith(last) for sentence in whole) else [last]
    return " ".join(dict.fromkeys([*whole, *ends]))


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + RUN_WORDS]) for start in range(len(words) - RUN_WORDS + 1)}
