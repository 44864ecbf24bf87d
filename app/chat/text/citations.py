"""Citations in a streamed answer: ``[1]``, ``[1, 3]``, ``[2-4]``.

Grammar: ``\\[\\d{1,2}(\\s*[,–-]\\s*\\d{1,2})*\\]`` of at most ``HELD_CHARACTERS``, outside code, not after
a word character or a backslash, not before ``(`` or ``:`` (which make a link or a definition). Numbers of no
source are removed; a bracket left empty is removed with the space before it.

The filter works character by character, so its output does not depend on how the text is split into deltas.
"""

import re
from typing import Final

HELD_CHARACTERS: Final = 16

_CITATION: Final = re.compile(r" ?\[([0-9]{1,2}(?:\s*[,–-]\s*[0-9]{1,2})*)\]")
_BEGUN: Final = re.compile(r" ?\[(?:[0-9]{1,2}\s*[,–-]\s*)*(?:[0-9]{1,2}\s*)?")
_PART: Final = re.compile(r"[0-9]+|[,–-]")
_FENCE: Final = re.compile(r"(~{3,}).*|(`{3,})[^`]*")


class CitationFilter:
    """Passes an answer through, and removes citations of numbers that are not ``known``.

    At most ``HELD_CHARACTERS`` are held back between two calls.
    """

    def __init__(self, known: set[int]) -> None:
        self._known = known
        self._code = _CodeState()
        self._held = ""
        self._previous = ""
        self.cited: list[int] = []

    def feed(self, text: str) -> str:
        """The part of the answer that is now final."""
        return "".join(map(self._push, text))

    def close(self) -> str:
        """The rest of the answer."""
        held, self._held = self._held, ""
        return self._checked(held)

    def _push(self, character: str) -> str:
        in_code = self._code.push(character)
        passed = ""
        if len(self._held) == HELD_CHARACTERS and self._held[0] == " ":
            passed, self._held = " ", self._held[1:]
        if not self._continues(character):
            passed += self._held if character in "(:" else self._checked(self._held)
            self._held = ""
        if self._held or (not in_code and self._may_begin(character)):
            self._held += character
        else:
            passed += character
        self._previous = character
        return passed

    def _may_begin(self, character: str) -> bool:
        if character == "[":
            return not (self._previous.isalnum() or self._previous in {"_", "\\"})
        return character == " "

    def _continues(self, character: str) -> bool:
        longer = self._held + character
        if not self._held or len(longer) > HELD_CHARACTERS:
            return False
        return bool((_CITATION if character == "]" else _BEGUN).fullmatch(longer))

    def _checked(self, held: str) -> str:
        match = _CITATION.fullmatch(held)
        if match is None:
            return held
        numbers = _expanded(match[1])
        kept = [number for number in numbers if number in self._known]
        self.cited += [number for number in kept if number not in self.cited]
        if kept == numbers:
            return held
        space = held[: match.start(1) - 1]
        return f"{space}[{', '.join(map(str, kept))}]" if kept else ""


def _expanded(body: str) -> list[int]:
    """The numbers in ``1, 3-5``, each once, in order."""
    parts = _PART.findall(body)
    numbers = [int(parts[0])]
    for separator, part in zip(parts[1::2], parts[2::2], strict=True):
        first, last = numbers[-1], int(part)
        between = range(min(first, last), max(first, last) + 1) if separator != "," else [last]
        numbers += between
    return list(dict.fromkeys(numbers))


class _CodeState:
    """Tells if the text is inside a code span or a fenced block, as far as CommonMark decides it early.

    A code span lasts from its opening run of backticks to the closing one or a blank line, even if it is not
    closed.
    """

    def __init__(self) -> None:
        self._line = ""
        self._run = 0
        self._span = 0
        self._fence = ""

    def push(self, character: str) -> bool:
        """Take the next character; True if it is code."""
        escaped = not self._run and not self._span and self._line.endswith("\\")
        if character == "`" and not escaped:
            self._run += 1
        elif self._run:
            self._end_run()
        if character == "\n":
            self._end_line()
        else:
            self._line += character
        return bool(self._fence or self._span)

    def _end_run(self) -> None:
        run, self._run = self._run, 0
        if not self._span:
            self._span = run
        elif self._span == run:
            self._span = 0

    def _end_line(self) -> None:
        line, self._line = self._line.strip(), ""
        if self._fence:
            if line.startswith(self._fence) and not line.strip(self._fence[0]):
                self._fence = ""
            self._span = 0
        elif opening := _FENCE.fullmatch(line):
            self._fence, self._span = opening[1] or opening[2], 0
        elif not line:
            self._span = 0
