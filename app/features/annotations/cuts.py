"""Cuts of a text as people enter them: as marks in the text. Pure functions."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from app.errors import InputError

MARK: Final = "✂"
_SEEN: Final = 60
"""Characters after a cut by which its place is found in a changed text."""
_DASHES: Final = "-\u2010\u2011\u2012\u2013\u2014\u2212"
_QUOTES: Final = "\"'\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a"


def marked(text: str, cuts: Sequence[int]) -> str:
    """Return the text with a mark at each cut."""
    bounds = [0, *cuts, len(text)]
    return MARK.join(text[start:end] for start, end in pairwise(bounds))


def cuts_of(text: str, written: str) -> tuple[int, ...]:
    """Return the cuts in ``text`` that the marks in ``written`` stand for.

    White space beside marks and the kind of line endings do not matter. Raises ``InputError`` if anything
    else differs.
    """
    return tuple(start for start in _starts(text, written.replace("\r\n", "\n").split(MARK)) if start)


def cut_before(text: str, words: str) -> int:
    """Return the position in ``text`` at which ``words`` begin.

    Any white space, dash or quotation mark matches any other, because people type the words. Raises
    ``InputError`` unless they occur exactly once.
    """
    pattern = "".join(map(_typed, re.findall(r"\s+|\S", words.strip())))
    found = [match.start() for match in re.finditer(pattern, text)] if pattern else []
    if len(found) != 1:
        raise InputError(
            "{text!r} appears {count} times: use a text that appears once", text=words, count=len(found)
        )
    return found[0]


def carried(old: str, cuts: Sequence[int], text: str) -> tuple[int, ...]:
    """Return the positions in ``text`` of the words that follow the cuts in an ``old`` text.

    Cuts whose words are gone or occur twice are left out.
    """
    beginnings = (old[cut : cut + _SEEN].strip() for cut in cuts)
    found = {text.index(each) for each in beginnings if each and text.count(each) == 1}
    return tuple(sorted(found - {0}))


def _typed(character: str) -> str:
    """A pattern for what a typed character or white space may match."""
    if character.isspace():
        return r"\s+"
    alike = next((kind for kind in (_DASHES, _QUOTES) if character in kind), character)
    return f"[{re.escape(alike)}]"


def _starts(text: str, pieces: Sequence[str]) -> Iterator[int]:
    """The positions at which the pieces begin in the text, except the first."""
    end, is_first = 0, True
    for piece in filter(None, (each.strip() for each in pieces)):
        start = end + len(text[end:]) - len(text[end:].lstrip())
        if not text.startswith(piece, start):
            raise InputError(
                "the text itself was changed near {text!r}: only set or move marks", text=piece[:40]
            )
        if not is_first:
            yield start
        end, is_first = start + len(piece), False
    if text[end:].strip():
        raise InputError("the end of the text is missing: only set or move marks")
