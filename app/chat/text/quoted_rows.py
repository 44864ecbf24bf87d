"""Lists and tables in quotes: what is left out of them is told and linked."""

from typing import Final

from app.chat.text.deep_links import passage_link
from app.chat.text.phrases import rows_shown
from app.search.blocks import FoundBlock
from app.search.extracts import OMITTED, Rows, framed
from app.search.types import Passage
from ingest.sentences import ends

BLOCK_CHARACTERS: Final = 2_000
"""A longer text, item or code is cut."""

_FENCE: Final = "```"
_WEB: Final = ("http://", "https://")


class RowWriter:
    """Writes the lists and tables of a section. ``block``: one of it; ``language``: of the answer."""

    def __init__(self, block: FoundBlock, language: str) -> None:
        self._block = block
        self._language = language

    def write(self, found: Rows) -> str:
        """Return the rows shown with marks for the others; if there are others, below them how many, and a
        link to the place where all of them are."""
        markdown = framed(found, [cut(row.markdown) if row.is_shown else None for row in found.rows])
        if found.shown == len(found.rows):
            return markdown
        note = rows_shown(self._language, found.shown, len(found.rows), self._link(found))
        return f"{markdown}\n\n{note}"

    def _link(self, found: Rows) -> str:
        """The address of the list on its page; empty for what is not on the web."""
        page, field = self._block.page, self._block.passage.field
        text = page.fields[field]
        start, end = (len(text[:offset].encode()) for offset in found.span)
        place = Passage(field=field, start=start, end=end, text=text[slice(*found.span)])
        link = passage_link(page, (place,))
        return link if link.startswith(_WEB) else ""


def cut(markdown: str) -> str:
    """Return the Markdown; if it is too long, its first sentences and a mark. Code that is cut is closed."""
    if len(markdown) <= BLOCK_CHARACTERS:
        return markdown
    kept = max((end for end in ends(markdown[:BLOCK_CHARACTERS]) if end < BLOCK_CHARACTERS), default=0)
    text = markdown[: kept or BLOCK_CHARACTERS].rstrip()
    return f"{text} {OMITTED}\n{_FENCE}" if text.startswith(_FENCE) else f"{text} {OMITTED}"
