"""Unwraps replies that models put into a JSON object or a code fence, as if for a program."""

import json
import re
from typing import Final

from app.chat.text.verdict import verdict_of, with_status_line

HELD_CHARACTERS: Final = 40

_FENCE: Final = re.compile(r"`{3,9}[^\S\n]{0,4}(?P<language>\w{0,20})[^\S\n]{0,4}\n\s*")
_WHOLE: Final = ("markdown", "md")
"""Languages of a fence around a whole answer."""

_STATUS: Final = "status"
_CLOSING: Final = re.compile(r"\n[^\S\n]*`{3,}[^\S\n]*(?=\n|\Z)")
_MAYBE_CLOSING: Final = re.compile(r"\n[^\S\n]*`*[^\S\n]*\Z")
_OBJECT: Final = re.compile(r"\{\s*(?:\"|\Z)")
_FIELD: Final = re.compile(
    r'"(?P<name>status|verdict|answer|antwort)"\s*:\s*"(?P<value>(?:[^"\\]|\\.)*+)', re.IGNORECASE | re.DOTALL
)


class ReplyFormFilter:
    """Passes a reply through unwrapped.

    From a JSON object only the answer passes, below its status line; from a fence around a status line or
    around the whole reply, the content. An object is held back to its end, and passes unchanged if it has no
    answer; if it breaks off, it is used as far as it goes. Otherwise at most a line of ``HELD_CHARACTERS`` is
    held.
    """

    def __init__(self) -> None:
        self._held = ""
        self._form: str | None = None

    def feed(self, text: str) -> str:
        """Return the part of the reply that is now final."""
        self._held += text
        if self._form is None:
            self._form, start = _form(self._held)
            self._held = self._held[start:]
        if self._form in (None, "object"):
            return ""
        if self._form == "fenced":
            return self._within()
        return self._released()

    def close(self) -> str:
        """Return the rest of the reply."""
        held = self._released()
        if self._form == "fenced":
            return _CLOSING.sub("", held, count=1)
        return _answer(held) if self._form == "object" else held

    def _within(self) -> str:
        """Return the text up to a line that may be the fence's end."""
        if (closing := _CLOSING.search(self._held)) and closing.end() < len(self._held):
            self._form = "plain"
            self._held = self._held[: closing.start()] + self._held[closing.end() :]
            return self._released()
        maybe = _MAYBE_CLOSING.search(self._held)
        return self._released(maybe.start() if maybe else len(self._held))

    def _released(self, end: int | None = None) -> str:
        end = len(self._held) if end is None else end
        final, self._held = self._held[:end], self._held[end:]
        return final


def _form(text: str) -> tuple[str | None, int]:
    """Return the form of a reply with this beginning, or None if more text is needed; and the offset at which
    its content begins."""
    start = len(text) - len(text.lstrip())
    fence = _FENCE.match(text, start)
    first = fence.end() if fence else start
    if first == len(text) or (text[first] == "{" and _OBJECT.fullmatch(text, first)):
        return None, 0
    if _OBJECT.match(text, first):
        return "object", first
    if fence is None:
        line = text[start:]
        is_begun = "```".startswith(line) or (line.startswith("```") and "\n" not in line)
        return (None if is_begun and len(line) <= HELD_CHARACTERS else "plain"), 0
    word = text[first : first + len(_STATUS)].lower()
    if fence["language"].lower() in _WHOLE or word == _STATUS:
        return "fenced", first
    return (None if _STATUS.startswith(word) and first + len(word) == len(text) else "plain"), 0


def _answer(reply: str) -> str:
    """Return the answer of an object below its status line; any other reply unchanged."""
    fields = {match["name"].lower(): _value(match["value"]) for match in _FIELD.finditer(reply)}
    answer = fields.get("answer", fields.get("antwort"))
    if answer is None:
        return reply
    verdict = verdict_of(fields.get("status", fields.get("verdict", "")))
    return with_status_line(verdict, answer) if verdict else answer


def _value(literal: str) -> str:
    try:
        return str(json.loads(f'"{literal}"', strict=False))
    except ValueError:
        return literal
