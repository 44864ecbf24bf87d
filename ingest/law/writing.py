"""Writes blocks as Markdown.

Lists keep their printed markers (``- (a) text``) and paragraphs their printed numbers, followed by a no-break
space so that no renderer renumbers them. Quoted text is in block quotes; its captions, and those inside
lists, are bold instead of headings. Footnotes are Markdown's: ``[^1]`` and ``[^1]: text`` at the end.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ingest.law.blocks import CAPTIONS, Block
from ingest.law.inline import REFERENCE

_INDENT: Final = "  "
_NUMBER: Final = re.compile(r"^(\d+[.)])\s+")
_TAG_LIKE: Final = re.compile(r"<(?=[A-Za-z/!?])")
_SPECIAL: Final = re.compile(r"^(?=#{1,6}\s|[-+*]\s|>)")
_TOP_LEVEL: Final = 2
"""Headings begin at ``##``, because the unit's own heading is the page's title."""


def write(blocks: Iterable[Block], notes: Mapping[str, Block] | None = None) -> str:
    """Return the blocks as Markdown. ``notes``: the footnotes to write at the end, by key, without the labels
    printed before them."""
    notes = notes or {}
    lines: list[str] = []
    previous: Block | None = None
    for block in blocks:
        if previous is not None and not _joins(previous, block):
            lines.append(_gap(previous, block))
        lines.extend(_lines(block, notes))
        previous = block
    for note in notes.values():
        lines.extend(["", f"[^{note.label}]: {plain(note.text)}"])
    return "\n".join(lines).strip("\n")


def plain(text: str) -> str:
    """Return a text without footnotes' internal keys: references become ``(1)``."""
    return REFERENCE.sub(lambda match: f"({match[2]})", text)


def _lines(block: Block, notes: Mapping[str, Block]) -> list[str]:
    margin = _INDENT * block.depth
    if block.quotation is not None:
        margin = _INDENT * block.quotation + "> " + _INDENT * (block.depth - block.quotation)
    text = _text(block, notes)
    if block.marker is None:
        return [f"{margin}{line}".rstrip() for line in text.split("\n")]
    bullet = f"{margin[: -len(_INDENT)]}- {_number_safe(block.marker + ' ' if block.marker else '')}"
    first, *rest = text.split("\n")
    if rest:
        return [bullet.rstrip(), "", *(f"{margin}{line}".rstrip() for line in [first, *rest])]
    return [f"{bullet}{first}".rstrip()]


def _text(block: Block, notes: Mapping[str, Block]) -> str:
    def resolved(match: re.Match[str]) -> str:
        note = notes.get(match[1])
        return f"[^{note.label}]" if note else f"({match[2]})"

    text = _TAG_LIKE.sub(r"\\<", REFERENCE.sub(resolved, block.text))
    if block.role == "table":
        return text
    if block.role == "heading" and not block.depth and block.quotation is None:
        return f"{'#' * min(_TOP_LEVEL + block.level - 1, 6)} {text}"
    if block.role in CAPTIONS or block.role == "heading":
        return f"**{text}**"
    return _number_safe(_SPECIAL.sub(r"\\", text))


def _number_safe(text: str) -> str:
    return _NUMBER.sub("\\1\u00a0", text)


def _joins(previous: Block, block: Block) -> bool:
    """Return True if the block follows without a blank line, as the next item of a list."""
    if block.marker is None or block.quotation != previous.quotation:
        return False
    return previous.marker is not None and previous.role != "table"


def _gap(previous: Block, block: Block) -> str:
    if block.quotation is None or previous.quotation != block.quotation:
        return ""
    return _INDENT * block.quotation + ">"
