"""Lists and tables in quotes: the rows that the question is about are bold, and what is left out is told and
linked."""

import re
from collections.abc import Sequence
from typing import Final

from app.chat.text.catalogue import rows_in_full, rows_shown
from app.chat.text.deep_links import passage_link
from app.chat.text.row_heads import heads
from app.search.blocks import FoundBlock
from app.search.extracts import OMITTED, Rows, framed, is_part
from app.search.matching_rows import AskedWords, cells, matching_items, matching_rows
from app.search.types import Passage
from ingest.sentences import ends

BLOCK_CHARACTERS: Final = 2_000
"""A longer text, item or code is cut."""

MOST_HEADS: Final = 15
REST_CHARACTERS: Final = 500
HEADS_CHARACTERS: Final = 1_000
"""Of how many rows more are shown than were found, and how long these may be, whole or by their heads."""

BOLD_CHARACTERS: Final = 160
"""Of a longer item the first words are bold."""

_MARKER: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_MARKED: Final = re.compile(r"[*`<]|\\$")
_FENCE: Final = "```"
_WEB: Final = ("http://", "https://")


class RowWriter:
    """Writes the lists and tables of a section. ``blocks``: those of it that are quoted; ``question``: in
    ``language``, which is that of the answer."""

    def __init__(self, blocks: Sequence[FoundBlock], question: str, language: str) -> None:
        self._block = blocks[0]
        self._is_named = any(map(is_part, blocks))
        self._asked = AskedWords.of(question, language, self._block.page.ref.language)
        self._language = language

    def write(self, found: Rows) -> str:
        """Return the rows shown and those asked for, these in bold, with marks for the others, or with their
        heads where a list is asked for as a whole; if some are not shown in full, below them how many are,
        and a link to the place where all of them are."""
        matching = self._matching(found)
        texts = self._texts(found, matching)
        shown = sum(text is not None for text in texts)
        full = sum(text == row.markdown for text, row in zip(texts, found.rows, strict=True))
        if len(matching) < shown:
            bold = bold_row if found.kind == "table" else bold_item
            texts = [bold(text) if text and n in matching else text for n, text in enumerate(texts)]
        markdown = framed(found, texts)
        if full == len(texts) or len(texts) == 1:
            return markdown
        link = self._link(found)
        if shown < len(texts):
            return f"{markdown}\n\n{rows_shown(self._language, shown, len(texts), link)}"
        return f"{markdown}\n\n{rows_in_full(self._language, full, len(texts), link)}"

    def _texts(self, found: Rows, matching: frozenset[int]) -> list[str | None]:
        """What is shown of each row."""
        texts = [
            cut(row.markdown) if row.is_shown or number in matching else None
            for number, row in enumerate(found.rows)
        ]
        return texts if matching or self._is_named else _completed(found, texts)

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


def _completed(found: Rows, texts: list[str | None]) -> list[str | None]:
    """The texts with the rows that have none, if these are short, else with heads of items, if these are."""
    missing = [number for number, text in enumerate(texts) if text is None]
    if len(missing) > MOST_HEADS:
        return texts
    rows = [row.markdown for row in found.rows]
    for others, most in ((rows, REST_CHARACTERS), (heads(rows), HEADS_CHARACTERS)):
        if sum(len(others[number]) for number in missing) <= most:
            return [others[number] if text is None else text for number, text in enumerate(texts)]
        if found.kind == "table":
            break
    return texts


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
