"""Ends an answer where the model begins to repeat its instructions, as small models do when they have said
all they can, and others when a visitor asks them to."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

OPENING_CHARACTERS: Final = 20
OPENING_WORDS: Final = 4
"""Least length of the beginning of a line by which it is recognised: shorter ones also begin answers."""

_MARK: Final = re.compile(r"[\s*_#>-]*+(?:\d{1,2}\.\s++)?+")
"""White space, list marks and emphasis before a line's first word."""

_MARK_BEGUN: Final = re.compile(r"[\s*_#>-]*+(?:\d{1,2}\.?)?+\s*+")

_WORD_END: Final = re.compile(r"(?<=\S)(?=\s)|\Z")


class EchoFilter:
    """Passes an answer through up to a line that begins as one of the ``instructions`` (any texts of several
    lines).

    The beginning of a line is held back while an instruction may begin there. The output does not depend on
    how the text is split into pieces. ``has_ended``: True from such a line on.
    """

    def __init__(self, instructions: Iterable[str]) -> None:
        self.has_ended = False
        self._openings = tuple({opening for text in instructions for opening in _openings(text)})
        self._line = ""
        self._passes = False

    def feed(self, text: str) -> str:
        """The part of the answer that is now final."""
        return "".join(self._line_part(part) for part in text.splitlines(keepends=True))

    def close(self) -> str:
        """The rest of the answer."""
        held, self._line = self._line, ""
        return held

    def _line_part(self, part: str) -> str:
        """What passes of a part of one line."""
        if self.has_ended:
            return ""
        held, self._line = self._line + part, ""
        if not self._passes and self._is_opening(held):
            self.has_ended = True
            return ""
        if not self._passes and not held.endswith("\n") and self._may_become_opening(held):
            self._line = held
            return ""
        self._passes = not held.endswith("\n")
        return held

    def _is_opening(self, line: str) -> bool:
        return _first_words(line).startswith(self._openings)

    def _may_become_opening(self, line: str) -> bool:
        words = _first_words(line)
        return bool(_MARK_BEGUN.fullmatch(line)) or any(each.startswith(words) for each in self._openings)


def _first_words(line: str) -> str:
    """The line without the list mark and emphasis before it."""
    return line[len(_MARK.match(line)[0]) :]  # type: ignore[index] # it matches the empty text, too


def _openings(text: str) -> Iterator[str]:
    """The shortest beginnings, by whole words, by which the lines of a text are recognised. Those with
    figures are left out: a date also begins answers."""
    for line in text.splitlines():
        words = _first_words(line)
        for end in _WORD_END.finditer(words):
            opening = words[: end.start()]
            if len(opening) >= OPENING_CHARACTERS and opening.count(" ") >= OPENING_WORDS - 1:
                if not any(map(str.isdigit, opening)):
                    yield opening
                break
