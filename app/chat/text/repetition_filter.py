"""Ends an answer where it begins to repeat itself or the model's instructions.

Small models do both when they have nothing more to say; other models repeat instructions if a visitor asks.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MOST_WORDS: Final = 60
"""The longest passage whose repetition is recognised: two or three sentences."""

LEAST_TIMES: Final = 3
LONG_WORDS: Final = 8
LEAST_OWN: Final = 3
"""A passage with fewer different words, numbers aside, may be a cell of a table."""

_PART: Final = re.compile(r"(\w+)|\W")
_UNCOUNTED: Final = re.compile(r"\d{1,2}")

OPENING_CHARACTERS: Final = 20
OPENING_WORDS: Final = 4
"""The least length of the beginning by which a line is recognised: shorter ones also begin answers."""

_MARK: Final = re.compile(r"[\s*_#>-]*+(?:\d{1,2}\.\s++)?+")
"""White space, list marks and emphasis before a line's first word."""

_MARK_BEGUN: Final = re.compile(r"[\s*_#>-]*+(?:\d{1,2}\.?)?+\s*+")

_WORD_END: Final = re.compile(r"(?<=\S)(?=\s)|\Z")


class RepetitionFilter:
    """Passes an answer through until it has said the same words several times in a row.

    Three times are enough, or four for fewer than ``LONG_WORDS``, or ten for one or two different words,
    which tables also repeat. Punctuation, numbers of list items and citations do not count. The output does
    not depend on how the text is split into pieces. ``has_ended``: True from then on.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._words: list[str] = []
        self._word = ""
        self._before = "\n"

    def feed(self, text: str) -> str:
        """Return the part of the answer that is now final."""
        if self.has_ended:
            return ""
        for part in _PART.finditer(text):
            if part[1]:
                self._word += part[1]
                continue
            self._end_word()
            if self.has_ended:
                return text[: part.start()]
            if not part[0].isspace() or part[0] == "\n":
                self._before = part[0]
        return text

    def _end_word(self) -> None:
        word, self._word = self._word.casefold(), ""
        if not word or (self._before in "\n[" and _UNCOUNTED.fullmatch(word)):
            return
        self._before = word
        self._words.append(word)
        del self._words[: -MOST_WORDS * LEAST_TIMES - 1]
        earlier = reversed(self._words[-1 - MOST_WORDS : -1])
        self.has_ended = any(self._repeats(count) for count, said in enumerate(earlier, 1) if said == word)

    def _repeats(self, count: int) -> bool:
        """Return True if the last ``count`` words were said often enough in a row."""
        words = self._words
        last = words[-count:]
        if words[-count * LEAST_TIMES :] != last * LEAST_TIMES:
            return False
        is_short = len({word for word in last if word.isalpha()}) < LEAST_OWN
        times = 10 if is_short else LEAST_TIMES if count >= LONG_WORDS else 4
        return words[-count * times :] == last * times


class EchoFilter:
    """Passes an answer through up to a line that begins like a line of the ``instructions`` (any texts).

    The beginning of a line is held back while it may still be an instruction. The output does not depend on
    how the text is split into pieces. ``has_ended``: True after such a line.
    """

    def __init__(self, instructions: Iterable[str]) -> None:
        self.has_ended = False
        self._openings = tuple({opening for text in instructions for opening in _openings(text)})
        self._line = ""
        self._passes = False

    def feed(self, text: str) -> str:
        """Return the part of the answer that is now final."""
        return "".join(self._line_part(part) for part in text.splitlines(keepends=True))

    def close(self) -> str:
        """Return the rest of the answer."""
        held, self._line = self._line, ""
        return held

    def _line_part(self, part: str) -> str:
        """Return the text that is final after this part of one line."""
        if self.has_ended:
            return ""
        held, self._line = self._line + part, ""
        if not self._passes and _first_words(held).startswith(self._openings):
            self.has_ended = True
            return ""
        if not self._passes and not held.endswith("\n") and self._may_become_opening(held):
            self._line = held
            return ""
        self._passes = not held.endswith("\n")
        return held

    def _may_become_opening(self, line: str) -> bool:
        words = _first_words(line)
        return bool(_MARK_BEGUN.fullmatch(line)) or any(each.startswith(words) for each in self._openings)


def _first_words(line: str) -> str:
    """Return the line without the list mark and emphasis before it."""
    return line[len(_MARK.match(line)[0]) :]  # type: ignore[index] # it matches the empty text, too


def _openings(text: str) -> Iterator[str]:
    """Yield the shortest beginnings, in whole words, by which the lines of a text are recognised. Beginnings
    with digits are left out, because a date also begins answers."""
    for line in text.splitlines():
        words = _first_words(line)
        for end in _WORD_END.finditer(words):
            opening = words[: end.start()]
            if len(opening) >= OPENING_CHARACTERS and opening.count(" ") >= OPENING_WORDS - 1:
                if not any(map(str.isdigit, opening)):
                    yield opening
                break
