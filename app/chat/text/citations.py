"""Citations in answers: ``[1]``, ``[1, 3]``, ``[1; 3]``, ``[1 and 3]``, ``[2-4]``, also full-width. Models
also write ``[Source 1]``, ``(Source 1)`` and ``[^1]``.

A citation has at most ``HELD_CHARACTERS`` and lies within one block, outside code. It does not follow a word
character (full-width brackets may) or a backslash, and is not followed by ``(``, which makes a link. A colon
after it is punctuation: answers have no link definitions.

The filter works character by character, so its output does not depend on how the text is split into deltas.
"""

import re
from collections.abc import Collection
from typing import Final

HELD_CHARACTERS: Final = 40

_OPENING: Final = "[［【"
_CLOSING: Final = "]］】"
"""The full-width ones are written by models between Chinese or Japanese letters."""

_NUMBER: Final = "[0-9０-９]{1,2}"
_DASHES: Final = "-‐‑–—−－"
_MARK: Final = "[,;&，；、]"
_WORDS: Final = ("und", "and", "et")
_SPACE: Final = r"[^\S\n]*+(?:\n[^\S\n]*+)?+"
"""White space within a block, matched possessively: a page full of it takes linear time."""

_WORD: Final = "|".join(_WORDS)
_BETWEEN: Final = f"{_SPACE}(?:{_MARK}(?:{_SPACE}(?:{_WORD}))?|{_WORD}|[{_DASHES}]){_SPACE}"
_BEGUN_WORD: Final = "|".join(word[:end] for word in _WORDS for end in range(1, len(word)))
_OPENED: Final = rf"[{re.escape(_OPENING)}]"
_ANY: Final = f"{_OPENED}({_NUMBER}(?:{_BETWEEN}{_NUMBER})*)[{re.escape(_CLOSING)}]"

CITATION: Final = re.compile(rf"(?:(?<![\w\\])|(?!\[)){_ANY}(?!\()")
"""A citation in text that is not code; group 1 holds its numbers."""

NUMBERS_IN_BRACKETS: Final = re.compile(_ANY)
"""Text that looks like a citation, wherever it stands."""

LABELS: Final = ("quellen", "quelle", "sources", "source")
LABEL: Final = f"(?i:{'|'.join(LABELS)})"
BEGUN_LABEL: Final = f"(?i:{'|'.join(label[:end] for label in LABELS for end in range(len(label), 0, -1))})"
"""A word before the numbers, and the beginning of one."""

_LABEL: Final = f"{LABEL}:?{_SPACE}"
_LABELLED: Final = rf"(?:{_LABEL}|\^)?{_NUMBER}"
_ROUND: Final = "[(（]"
_MAYBE_CITATION: Final = re.compile(
    f" ?(?:{_OPENED}|(?P<round>{_ROUND})(?={_LABEL}))(?P<numbers>{_LABELLED}(?:{_BETWEEN}{_LABELLED})*)"
    f"(?(round)[)）]|[{re.escape(_CLOSING)}])"
)
"""A citation as models write them: in round brackets only with a label."""

_UNFINISHED: Final = re.compile(
    rf" ?(?:{_OPENED}|{_ROUND}(?=[a-zA-Z]|\Z))(?:{_LABELLED}{_BETWEEN})*"
    rf"(?:{_LABELLED}{_SPACE}(?:{_MARK}{_SPACE})?(?:{_BEGUN_WORD})?|{_LABEL}|{BEGUN_LABEL}|\^)?"
)
_WORD_OR_CHARACTER: Final = re.compile(r"\w+|\W")
_NUMBER_OR_DASH: Final = re.compile(rf"\d+|[{_DASHES}]")
_FENCE: Final = re.compile(r"(~{3,}).*|(`{3,})[^`]*")
_LIST_ITEM: Final = re.compile(r" {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?:\s|\Z)")


def cited_numbers(numbers: str, known: Collection[int]) -> list[int]:
    """Return the ``known`` ones among a citation's ``numbers`` (``1, 3-5``), each once, in order."""
    found: list[int] = []
    is_range = False
    for part in _NUMBER_OR_DASH.findall(numbers):
        if not part.isdecimal():
            is_range = True
            continue
        first, last = found[-1] if is_range else int(part), int(part)
        found += range(min(first, last), max(first, last) + 1)
        is_range = False
    return [number for number in dict.fromkeys(found) if number in known]


def cited_in(text: str, known: Collection[int]) -> tuple[int, ...]:
    """Return the ``known`` numbers that an answer's Markdown cites, in order of first appearance."""
    citations = CitationFilter(known)
    citations.feed(text)
    citations.close()
    return tuple(citations.cited)


def without_citations(text: str) -> str:
    """Return the answer's Markdown without its citations."""
    citations = CitationFilter(())
    return citations.feed(text) + citations.close()


class CitationFilter:
    """Passes an answer through and rewrites its citations as ``[1, 3]``, with only the ``known`` numbers.

    A citation without known numbers is removed together with the space before it, and so is an unfinished one
    at the end of a block. At most ``HELD_CHARACTERS`` are held back between two calls.
    """

    def __init__(self, known: Collection[int]) -> None:
        self._known = known
        self._code = _CodeState()
        self._held = ""
        self._previous = ""
        self.cited: list[int] = []

    def feed(self, text: str) -> str:
        """Return the part of the answer that is now final."""
        return "".join(map(self._push_all, _WORD_OR_CHARACTER.findall(text)))

    def close(self) -> str:
        """Return the rest of the answer."""
        held, self._held = self._held, ""
        return self._finished(held)

    def _push_all(self, word: str) -> str:
        passed = self._push(word[0])
        if self._held:
            return passed + "".join(map(self._push, word[1:]))
        self._code.push_word(word[1:])
        self._previous = word[-1]
        return passed + word[1:]

    def _push(self, character: str) -> str:
        in_code = self._code.push(character)
        passed = ""
        if len(self._held) == HELD_CHARACTERS and self._held[0] == " ":
            passed, self._held = " ", self._held[1:]
        if not self._continues(character):
            passed += self._released(character)
            self._held = ""
        if self._held or (not in_code and self._may_begin(character)):
            self._held += character
        else:
            passed += character
        self._previous = character
        return passed

    def _may_begin(self, character: str) -> bool:
        if character in "[(":
            return not (self._previous.isalnum() or self._previous in {"_", "\\"})
        return character == " " or character in f"{_OPENING}（"

    def _continues(self, character: str) -> bool:
        longer = self._held + character
        if not self._held or len(longer) > HELD_CHARACTERS:
            return False
        pattern = _MAYBE_CITATION if character in f"{_CLOSING})）" else _UNFINISHED
        return bool(pattern.fullmatch(longer))

    def _released(self, following: str) -> str:
        """Return the held text, now that a character follows that does not continue it."""
        if following == "(":
            return self._held
        ends_block = following == "\n" and "\n" in self._held
        return self._finished(self._held) if ends_block else self._checked(self._held)

    def _finished(self, held: str) -> str:
        """Return the held text at the end of a block. Words in round brackets may be the answer's own."""
        if held.lstrip(" ")[:1] in ("(", "（") or not _UNFINISHED.fullmatch(held):
            return self._checked(held)
        return held[held.index("\n") :] if "\n" in held else ""

    def _checked(self, held: str) -> str:
        """Return the held citation with only its known numbers, empty if none; other text unchanged."""
        match = _MAYBE_CITATION.fullmatch(held)
        if match is None:
            return held
        kept = cited_numbers(match["numbers"], self._known)
        self.cited += [number for number in kept if number not in self.cited]
        space = held[: match.start("numbers") - 1]
        return f"{space}[{', '.join(map(str, kept))}]" if kept else ""


class _CodeState:
    """Tracks whether the text is in a code span, a fenced or an indented block, as far as this can be known
    before the next characters arrive.

    A code span lasts from its opening run of backticks to the closing one or a blank line. Within a list no
    block is taken for an indented one.
    """

    def __init__(self) -> None:
        self._line = ""
        self._run = 0
        self._span = 0
        self._fence = ""
        self._in_list = False
        self._begins_block = True

    def push(self, character: str) -> bool:
        """Take the next character, and return True if it is code."""
        escaped = not self._run and not self._span and self._line.endswith("\\")
        if character == "`" and not escaped:
            self._run += 1
        elif self._run:
            self._end_run()
        if character == "\n":
            self._end_line()
        else:
            self._line += character
        return bool(self._fence or self._span or self._is_indented())

    def push_word(self, letters: str) -> None:
        """Take more letters and digits of a word."""
        self._line += letters

    def _is_indented(self) -> bool:
        if self._in_list or not self._begins_block:
            return False
        return self._line[:4].expandtabs(4).startswith("    ")

    def _end_run(self) -> None:
        run, self._run = self._run, 0
        if not self._span:
            self._span = run
        elif self._span == run:
            self._span = 0

    def _end_line(self) -> None:
        is_indented, whole = self._is_indented(), self._line
        line, self._line = whole.strip(), ""
        if self._fence:
            if line.startswith(self._fence) and not line.strip(self._fence[0]):
                self._fence = ""
            self._span = 0
            return
        if not line or is_indented:
            self._span, self._begins_block = 0, True
            return
        if opening := _FENCE.fullmatch(line):
            self._fence, self._span = opening[1] or opening[2], 0
        self._in_list = bool(_LIST_ITEM.match(whole)) or (
            self._in_list and (whole[0].isspace() or not self._begins_block)
        )
        self._begins_block = False
