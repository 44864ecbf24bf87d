"""The block of an answer that is still being written, as plain text for visitors until its HTML is ready.

Markup is removed; characters at the end that may still become markup are held back. The text is a preview and
need not be exact.
"""

import re
from typing import Final

from app.chat.text.plain_text import CELL_SEPARATOR, without_marks
from ingest.text import visible

READ_CHARACTERS: Final = 6_000
"""Text beyond this is shown only with the finished block, because a draft is made for each piece from the
model."""

BULLET: Final = "• "

_UNDECIDED: Final = re.compile(
    r"(?:\[[^\[\]\n]{0,300}(?:\]\([^()\n]{0,2000}|\])?"  # a link or citation
    r"|(?:\A|\n)[-*+>#|`~:=.)\d \t]*+"  # the beginning of a line
    r"|(?<![*_`~\\|])[*_`~\\|]++[ \t]*+)\Z"
)
_UNSEEN_LINE: Final = re.compile(
    r"^(?:[ \t]*+(?:```|~~~).*|[-:|*_ \t]{3,}+)(?:\n|\Z)", re.MULTILINE
)  # fences, rules, below a table's header
_JOINED_LINE: Final = re.compile(r"(?<=[^\n|])\n(?![ \t]*(?:[-*+>#|\n]|\d{1,9}[.)]))")
_LINE_MARK: Final = re.compile(r"^[ \t]*+(?:>[ \t]?)*+(?:#{1,6}[ \t]+|(?P<item>[-*+][ \t]+))?", re.MULTILINE)
_ROW: Final = re.compile(r"^\|(.*)$", re.MULTILINE)
_CELL_EDGE: Final = re.compile(r"(?<!\\)\|")


def draft(markdown: str) -> str:
    """Return the plain text of an unfinished block: a line each for list items, rows and headings."""
    text = visible(markdown[:READ_CHARACTERS])
    if undecided := _UNDECIDED.search(text):
        text = text[: undecided.start()]
    text = _JOINED_LINE.sub(" ", _UNSEEN_LINE.sub("", text))
    text = _LINE_MARK.sub(lambda mark: BULLET if mark["item"] else "", text)
    text = _ROW.sub(lambda row: _cells(row[1]), text)
    return re.sub(r"\n{2,}", "\n", without_marks(text)).strip()


def common_length(before: str, after: str) -> int:
    """Return the length of the beginning that both texts share."""
    if after.startswith(before):
        return len(before)
    pairs = enumerate(zip(before, after, strict=False))
    return next((place for place, (old, new) in pairs if old != new), len(after))


def _cells(row: str) -> str:
    cells = map(str.strip, _CELL_EDGE.split(row))
    return CELL_SEPARATOR.join(cell for cell in cells if cell)
