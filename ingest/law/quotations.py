"""Finds the text of other acts that an act quotes to amend them, so that it is not taken for its own.

A quotation begins with an opening quotation mark, after a colon or in a caption, and ends with the closing
one at the end of a block, or where the list item that it stands in ends.
"""

import re
from typing import Final

from ingest.law.blocks import CAPTIONS, Block
from ingest.law.captions import article_number

_PAIRS: Final = {"‘": "’", "“": "”", "«": "»", "„": "“", "'": "'", '"': '"', "`": "'"}
_OPENING: Final = re.compile(r"^[\s(]*([‘“«„'\"`])")
_CLOSING: Final = re.compile(r"[’”»'\"“]\s*[.;,:]*[\s\"]*(?:(?:and|or|et|ou|und|oder)\s*)?$")
_INTRODUCING: Final = re.compile(r":\s*$")


def mark_quotations(blocks: list[Block]) -> None:
    """Set ``quotation`` of every block that is quoted."""
    index = 0
    article: int | None = None
    while index < len(blocks):
        block = blocks[index]
        end = _end(blocks, index, article) if _opens(blocks, index) else None
        if end is None:
            if block.role == "article" and not block.depth:
                article = _integer(article_number(block.text))
            index += 1
            continue
        base = _base(block)
        for quoted in blocks[index:end]:
            quoted.quotation = base
        index = end


def _opens(blocks: list[Block], index: int) -> bool:
    block = blocks[index]
    mark = _OPENING.match(block.start)
    if mark is None or block.role in ("title", "note"):
        return False
    if block.role in CAPTIONS:
        return True
    if not (index and _INTRODUCING.search(blocks[index - 1].text)):
        return False
    return not _is_term(block.start, mark[1])


def _is_term(text: str, mark: str) -> bool:
    """Whether only the first words are in quotation marks, as a term that is defined."""
    closing = _PAIRS[mark]
    first = text.find(closing, text.find(mark) + 1)
    return 0 < first < len(text) - 3 and not _CLOSING.search(text)


def _end(blocks: list[Block], start: int, article: int | None) -> int | None:
    """Where the quotation that opens at ``start`` ends; ``None`` if it is none."""
    depth = blocks[start].depth
    scope = start
    while scope < len(blocks) and (scope == start or not _leaves(blocks[scope], blocks[start], article)):
        if _CLOSING.search(blocks[scope].text):
            return _with_notes(blocks, scope + 1, depth)
        scope += 1
    return _unclosed_end(blocks, start, scope)


def _unclosed_end(blocks: list[Block], start: int, scope: int) -> int | None:
    """Where a quotation ends whose closing mark is missing, if a caption or a list's marker opens it."""
    opening = blocks[start]
    if opening.role in CAPTIONS:
        return scope if opening.depth else start + 1
    if opening.marker is None or not _OPENING.match(opening.marker):
        return None
    return next((at for at in range(start + 1, scope) if blocks[at].depth < opening.depth), scope)


def _leaves(block: Block, opening: Block, article: int | None) -> bool:
    """Whether the block is no longer in the list item or article that the quotation stands in."""
    base = _base(opening)
    if block.role in ("rule", "annex", "title", "signature") or block.depth < base:
        return True
    if block.depth == base and block.marker is not None:
        return True
    if block.role != "article" or block.depth:
        return False
    return article is not None and _integer(article_number(block.text)) == article + 1


def _base(block: Block) -> int:
    """The depth of the text that a block's list, if it begins an item, stands in."""
    return block.depth - (block.marker is not None)


def _with_notes(blocks: list[Block], end: int, depth: int) -> int:
    """The footnotes of a quotation that stand in the same list item follow its end."""
    while depth and end < len(blocks) and blocks[end].role == "note" and blocks[end].depth >= depth:
        end += 1
    return end


def _integer(number: str | None) -> int | None:
    digits = re.match(r"\d+", number or "")
    return int(digits[0]) if digits else None
