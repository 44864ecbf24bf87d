"""Markdown as plain text: sentences, list items and table rows without markup."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.text.citations import NUMBERS_IN_BRACKETS
from ingest.text import sentences

CELL_SEPARATOR: Final = " · "
LONGEST_WORD: Final = 120
"""Text with a longer word is a URL or data, not prose."""

_DELIMITER_ROW: Final = re.compile(r"\|[\s:|-]+\|\s*$", re.MULTILINE)
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_MARK: Final = re.compile(r"\\([!-/:-@\[-`{-~])|[*`]+|~~|(?<!\w)_++(?=\w)|(?<=[^\W_])_++(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextUnit:
    """One sentence, or one row of a table.

    ``listed`` is true for list items and rows; ``heading`` is the nearest one above it, empty if there is
    none. ``cells``: the cells of a row, including empty ones; ``is_header``: True for the first row of a
    table.
    """

    text: str
    heading: str
    listed: bool
    cells: tuple[str, ...] = ()
    is_header: bool = False


def text_units(markdown: str) -> Iterator[TextUnit]:
    """Yield the units in text order, without headings. Markers such as ``[3]`` are removed because they look
    like citations."""
    heading = ""
    for block in _blocks(markdown):
        if block.heading:
            heading = block.text
            continue
        for sentence in [block.text] if block.cells else sentences(block.text):
            text = sentence.strip()
            if any(map(str.isalnum, text)) and max(map(len, text.split())) <= LONGEST_WORD:
                yield TextUnit(
                    text=text,
                    heading=heading,
                    listed=block.listed,
                    cells=block.cells,
                    is_header=block.is_header,
                )


def plain_text(markdown: str) -> str:
    """Return the text without markup, for people: paragraphs, lists with hyphens, and a line for each row.
    Markers such as ``[3]`` and the addresses of links are left out."""
    text, last = "", ""
    for block in _blocks(markdown):
        kind = "row" if block.cells else "item" if block.listed else ""
        if block.text:
            text += "\n" if kind and kind == last else "\n\n"
            text += f"- {block.text}" if kind == "item" else block.text
            last = kind
    return text.strip()


def without_marks(markdown: str) -> str:
    """Return the text without the marks of emphasis, code and links."""
    return _MARK.sub(lambda mark: mark[1] or "", _LINK.sub(r"\1", markdown))


def with_table_header(markdown: str) -> str:
    """Return the Markdown, with an empty header if it begins within a table, so that its rows are parsed as a
    table."""
    row, _, rest = markdown.partition("\n")
    is_cut = row.startswith("|") and not _DELIMITER_ROW.match(rest)
    return as_table(markdown) if is_cut else markdown


def as_table(rows: str) -> str:
    """Return rows cut out of a table as a table of their own, with an empty header of as many columns."""
    columns = max(line.count("|") for line in rows.split("\n")) + 1
    return f"{'|' * (columns + 1)}\n{'|-' * columns}|\n{rows}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    text: str
    heading: bool = False
    listed: bool = False
    cells: tuple[str, ...] = ()
    is_header: bool = False


def _blocks(markdown: str) -> Iterator[_Block]:
    lists = 0
    kind = ""
    cells: list[str] | None = None
    for token in _parser().parse(markdown):
        if token.type.endswith("_list_open"):
            lists += 1
        elif token.type.endswith("_list_close"):
            lists -= 1
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close":
            text = CELL_SEPARATOR.join(filter(None, cells or []))
            yield _Block(text=text, listed=True, cells=tuple(cells or ()), is_header=kind == "th_close")
            cells = None
        elif token.type in {"fence", "code_block"}:
            yield _Block(text=_tidy(token.content))
        elif token.type == "inline" and cells is not None:
            cells.append(_plain(token))
        elif token.type == "inline":
            yield _Block(text=_plain(token), heading=kind == "heading_open", listed=lists > 0)
        kind = token.type


def _plain(inline: Token) -> str:
    return _tidy("".join(_text(child) for child in inline.children or ()))


def _text(token: Token) -> str:
    if token.type in {"text", "code_inline"}:
        return token.content
    return " " if token.type in {"softbreak", "hardbreak"} else ""


def _tidy(text: str) -> str:
    return " ".join(NUMBERS_IN_BRACKETS.sub("", text).split())


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")
