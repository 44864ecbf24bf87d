"""Lists and tables in quotes: the rows that the question is about are bold, and what is left out is told and
linked."""

import re
from typing import Final

from app.chat.text.deep_links import passage_link
from app.chat.text.phrases import rows_shown
from app.search.blocks import FoundBlock
from app.search.extracts import OMITTED, Rows, framed
from app.search.matching_rows import AskedWords, cells, matching_items, matching_rows
from app.search.types import Passage
from ingest.sentences import ends

BLOCK_CHARACTERS: Final = 2_000
"""A longer text, item or code is cut."""

BOLD_CHARACTERS: Final = 160
"""Of a longer item the first words are bold."""

_MARKER: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_MARKED: Final = re.compile(r"[*`<]|\\$")
_FENCE: Final = "```"
_WEB: Final = ("http://", "https://")


class RowWriter:
    """Writes the lists and tables of a section. ``block``: one of it; ``question``: in ``language``, which is
    that of the answer."""

    def __init__(self, block: FoundBlock, question: str, language: str) -> None:
        self._block = block
        self._asked = AskedWords.of(question, language, block.page.ref.language)
        self._language = language

    def write(self, found: Rows) -> str:
        """Return the rows shown and those asked for, these in bold, with marks for the others; if there are
        others, below them how many, and a link to the place where all of them are."""
        bold = bold_row if found.kind == "table" else bold_item
        texts = [cut(row.markdown) if row.is_shown else None for row in found.rows]
        for number in self._matching(found):
            texts[number] = bold(cut(found.rows[number].markdown))
        markdown = framed(found, texts)
        shown = sum(text is not None for text in texts)
        if shown == len(texts):
            return markdown
        return f"{markdown}\n\n{rows_shown(self._language, shown, len(texts), self._link(found))}"

    def _matching(self, found: Rows) -> frozenset[int]:
        """The rows that the question is about, among all of the list or table."""
        rows = [row.markdown for row in found.rows]
        if found.kind == "table":
            return matching_rows(self._asked, rows)
        above = "\n".join((self._block.page.title, *self._block.headings, self._block.before))
        return matching_items(self._asked, rows, above)

    def _link(self, found: Rows) -> str:
        """The address of the list on its page; empty for what is not on the web."""
        page, field = self._block.page, self._block.passage.field
        text = page.fields[field]
        start, end = (len(text[:offset].encode()) for offset in found.span)
        place = Passage(field=field, start=start, end=end, text=text[slice(*found.span)])
        link = passage_link(page, (place,))
        return link if link.startswith(_WEB) else ""


def bold_row(row: str) -> str:
    """Return a row of a table with its cells in bold; those that have marks of their own stay as they are."""
    return f"| {' | '.join(map(_bold, cells(row)))} |"


def bold_item(item: str) -> str:
    """Return an item of a list with its first line in bold, or the first words of a long one."""
    line, separator, rest = item.partition("\n")
    marker = _MARKER.match(line)
    start = marker.end() if marker else 0
    text = line[start:].rstrip()
    end = len(text) if len(text) <= BOLD_CHARACTERS else text.rfind(" ", 0, BOLD_CHARACTERS)
    if "](" in text[end:] and "[" in text[:end]:  # a link may be cut
        return item
    return f"{line[:start]}{_bold(text[:end])}{text[end:]}{separator}{rest}" if end > 0 else item


def _bold(text: str) -> str:
    return text if not text or _MARKED.search(text) else f"**{text}**"


def cut(markdown: str) -> str:
    """Return the Markdown; if it is too long, its first sentences and a mark. Code that is cut is closed."""
    if len(markdown) <= BLOCK_CHARACTERS:
        return markdown
    kept = max((end for end in ends(markdown[:BLOCK_CHARACTERS]) if end < BLOCK_CHARACTERS), default=0)
    text = markdown[: kept or BLOCK_CHARACTERS].rstrip()
    return f"{text} {OMITTED}\n{_FENCE}" if text.startswith(_FENCE) else f"{text} {OMITTED}"
