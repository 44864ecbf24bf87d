"""Marks of notes at prices and dates: "18 €*", "Tageskarte ¹", "12. Mai (*)". Pure functions.

A price or date with a mark is not whole without its note.
"""

import re
from collections.abc import Sequence
from typing import Final

from app.features.facts.contact_lines import plain_line

MOST_CHARACTERS: Final = 1_000
"""In a longer line any price may have a mark."""

_EMPHASIS: Final = re.compile(r"(?<![^\s(|])(\*{1,3}|_{1,3})(?=\S)((?:(?!\|).)+?)(?<=\S)\1(?![\w*_])")
_STAR: Final = r"(?<=[^\s|*])\s?\*{1,3}(?![\w*])|\*\)"
_RAISED: Final = r"(?<=[\d€$£).%])\s?[¹²³⁴-⁹]+|(?<=[^\W\d_]{3})\s?[¹²³⁴-⁹]+"
_SIGN: Final = (
    r"[†‡§#]|~~|(?<=[^\W\d_]{3})\s?°(?!C)|(?<=[€$£])\s?[^\w\s|,.;:()/+–—\[~*-]"
    r"|\[\W?[\d¹²³⁴-⁹*]+\W?\](?!\()"
)
_NUMBER: Final = r"(?<=[€$£])\s?(?:\(?\d\)|\([a-z]\))|(?<=\beuro)\s?\(?\d\)|(?<=[^\W\d_]{3})\s\(?\d\)(?!\w)"
_MARK: Final = re.compile(f"{_STAR}|{_RAISED}|{_SIGN}|{_NUMBER}", re.IGNORECASE)
_DATE_MARK: Final = re.compile(rf"{_STAR}|{_RAISED}|[†‡]|\(\d\)|\[\W?[\d¹²³⁴-⁹*]+\W?\](?!\()", re.IGNORECASE)
_NOTE: Final = re.compile(r"^[\s>(-]*(?:(?:\\?\*+|[¹²³⁴-⁹]+|\d\)|†)[\s):]*\w|\d\s+[^\W\d])", re.MULTILINE)


def marked_lines(markdown: str) -> list[str]:
    """Return the lines of a table or list that have the mark of a note, without their markup."""
    return [_plain(line) for line in markdown.splitlines() if _has_mark(line)]


def is_marked(label: str, lines: Sequence[str]) -> bool:
    """Return True if a row with this label is among :func:`marked_lines`."""
    name = _plain(label.split(", ", maxsplit=1)[0])
    return any(line.startswith(name) for line in lines)


def has_note(markdown: str) -> bool:
    """Return True if a line of a page begins with the mark of a note."""
    return bool(_NOTE.search(markdown))


def has_date_mark(markdown: str) -> bool:
    """Return True if a line that states a date, or one of several, has the mark of a note."""
    return any(_has_mark(line, _DATE_MARK) for line in markdown.splitlines())


def _has_mark(line: str, mark: re.Pattern[str] = _MARK) -> bool:
    if len(line) > MOST_CHARACTERS:
        return True
    text = re.sub(r"^\s*[-*+]\s", "", line)
    while (shown := _EMPHASIS.sub(r"\2", text)) != text:
        text = shown
    return bool(mark.search(text.replace("\\*", "*")))


def _plain(line: str) -> str:
    return " ".join(_MARK.sub("", plain_line(line.strip().removeprefix("|").strip())).split())
