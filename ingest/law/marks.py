"""Recognises opening and closing quotation marks, and whether the last one closes an earlier quotation."""

import re
from typing import Final

QUOTES: Final = "‘’“”«»„‟\"'`"

_MARK: Final = re.compile(rf"(?<!\w)[{QUOTES}]|[{QUOTES}](?!\w)")
"""A quotation mark, but not an apostrophe inside a word."""

_ALWAYS_OPENING: Final = frozenset("‘«„‟")
_OPENING_OR_CLOSING: Final = frozenset("“\"'`")
_BEFORE_OPENING: Final = re.compile(rf"(?:^|[\s(\[–—{QUOTES}-])$")
_OPENING: Final = re.compile(r"[\s(]*([‘“«„'\"`])")
_CLOSING: Final = re.compile(r"[’”»'\"“`]\s*[.;,:]*[\s\"]*(?:(?:and|or|et|ou|und|oder)\s*)?$")
_END: Final = 40
"""The number of characters at the end of a text that are searched for a closing mark."""


def opening(text: str) -> str:
    """Return the quotation mark at the beginning of ``text``; empty if there is none."""
    found = _OPENING.match(text)
    return found[1] if found else ""


def closes(text: str, *, opened_here: bool) -> bool:
    """Return True if ``text`` ends with a closing mark whose opening mark is not in it.

    ``opened_here``: the first mark opens the quotation to be closed, so it counts as outside.
    """
    if not _CLOSING.search(text[-_END:]):
        return False
    inner, closed_inner = 0, False
    marks = _MARK.finditer(text)
    if opened_here:
        next(marks, None)
    for mark in marks:
        if _is_opening(text, mark):
            inner += 1
        else:
            closed_inner = inner > 0
            inner = max(inner - 1, 0)
    return not closed_inner


def _is_opening(text: str, mark: re.Match[str]) -> bool:
    if mark[0] in _ALWAYS_OPENING:
        return True
    if mark[0] not in _OPENING_OR_CLOSING:
        return False
    before, after = text[max(mark.start() - 1, 0) : mark.start()], text[mark.end() : mark.end() + 1]
    return bool(after.strip()) and _BEFORE_OPENING.search(before) is not None
