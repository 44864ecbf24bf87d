"""Keeps visible text only: what a reader cannot see must not be indexed or reach a model."""

import re
import unicodedata
from typing import Final

_HIDDEN: Final = (
    "\x00-\x08\x0e-\x1b\x7f-\x9f"  # controls but tab, newline and what separates
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"  # zero width, bidi controls
    "\ufff9-\ufffb\U000e0000-\U000e0fff"  # annotations, tags, variation selectors supplement
    "\ud800-\udfff"  # lone surrogates: not encodable
)
_SUSPECT: Final = re.compile(f"[{_HIDDEN}\x0b-\x0d\x1c-\x1f\u200c\u200d\u2028\u2029]")
_INVISIBLE: Final = re.compile(f"[{_HIDDEN}]+")
_JOINER: Final = re.compile("[\u200c\u200d]+")
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # those of str.splitlines
_UNIT_SEPARATOR: Final = "\x1f"

JOINING_SCRIPTS: Final = frozenset({
    "ARABIC", "BALINESE", "BENGALI", "DEVANAGARI", "GUJARATI", "GURMUKHI", "JAVANESE", "KANNADA",
    "KHMER", "MALAYALAM", "MANDAIC", "MONGOLIAN", "MYANMAR", "NKO", "ORIYA", "SINHALA", "SYRIAC",
    "TAMIL", "TELUGU", "TIBETAN",
})  # fmt: skip
"""First words of the Unicode names of letters between which a (non-)joiner changes the spelling."""


def visible(text: str) -> str:
    """``text`` without characters that do not show, lines ending in ``\\n``.

    What separates goes on doing so: form feeds, vertical tabs, separators of files, groups and records become
    newlines, those of units blanks. Removed: the other C0 and C1 controls but tab and newline, soft hyphens,
    zero-width and bidi control characters, the tag block (U+E0000 on), lone surrogates. U+200C and U+200D
    stay only between two letters or marks of a script whose spelling needs them (:data:`JOINING_SCRIPTS`).
    Idempotent, keeps NFC, linear.
    """
    if not _SUSPECT.search(text):  # one look instead of three, for nearly all text
        return text
    text = _LINE_END.sub("\n", text).replace(_UNIT_SEPARATOR, " ")
    text = _INVISIBLE.sub("", text)
    return _JOINER.sub(_joiner, text)


def shortened(text: str, characters: int) -> str:
    """``text`` with at most so many characters: cut after a word if possible, with an ellipsis."""
    if len(text) <= characters:
        return text
    kept = text[: characters - 1]
    if not text[characters - 1].isspace():
        kept = (kept.rsplit(maxsplit=1) or [""])[0]
    return f"{kept.rstrip()}…"


def _joiner(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    if start == 0 or end == len(text) or not _joins(text[start - 1]) or not _joins(text[end]):
        return ""
    return match.group()[0]


def _joins(character: str) -> bool:
    return unicodedata.name(character, "").partition(" ")[0] in JOINING_SCRIPTS


class VisibleFilter:
    """:func:`visible` for a text that comes in pieces, however it is split.

    What depends on the characters behind it is held back: line ends and joiners at the end of a piece.
    """

    def __init__(self) -> None:
        self._held = ""
        self._last = ""

    def feed(self, piece: str) -> str:
        """The part of the visible text that is now final."""
        text = self._held + piece
        end = len(text)
        while end and _SUSPECT.match(text, end - 1):
            end -= 1
        self._held = text[end:]
        return self._passed(text[:end])

    def close(self) -> str:
        """The rest of the visible text."""
        held, self._held = self._held, ""
        return self._passed(held)

    def _passed(self, text: str) -> str:
        """The text behind ``_last``, the visible character before it, which a joiner is judged by too."""
        passed = visible(self._last + text)[len(self._last) :]
        self._last = passed[-1:] or self._last
        return passed
