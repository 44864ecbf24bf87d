"""Finds the text of other acts that an amending act quotes, so that it is not mistaken for the act's own.

A quotation begins with an opening quotation mark, after a colon or in a caption, or with a caption whose
class says that it is quoted. It ends with the closing mark at the end of a block, or at the end of the list
item or article that it is in. A closing mark does not count if the next article's caption continues the
numbers of the quotation instead of those of the act ("Article 5b" after "‘Article 5a" in Article 1).
"""

import re
from typing import Final

from ingest.law.blocks import CAPTIONS, QUOTED, Block
from ingest.law.captions import annex_number, article_number, follows, is_next_integer, may_follow
from ingest.law.marks import closes, opening
from ingest.law.walk import UNIT_ID

_PAIRS: Final = {"‘": "’", "“": "”", "«": "»", "„": "“", "'": "'", '"': '"', "`": "'"}
_INTRODUCING: Final = re.compile(r":\s*$")
_ANNEX_ROLES: Final = frozenset({"annex", "annex-title"})


def mark_quotations(blocks: list[Block], introducing: re.Pattern[str] = _INTRODUCING) -> None:
    """Set ``quotation`` on every quoted block. ``introducing`` matches the end of the text before a
    quotation."""
    _Quotations(blocks, introducing).mark()


class _Quotations:
    """Marks quotations in one pass. ``_own``: the number of the act's current article. ``_dry``: no quotation
    closes before this block. ``_told``: the blocks whose class says that they are quoted.

    Each block is searched for a closing mark a bounded number of times, so time is linear.
    """

    def __init__(self, blocks: list[Block], introducing: re.Pattern[str]) -> None:
        self._blocks = blocks
        self._introducing = introducing
        self._own = ""
        self._dry = 0
        self._told = {at for at, block in enumerate(blocks) if block.role in QUOTED}
        for at in self._told:
            blocks[at].role = QUOTED[blocks[at].role]

    def mark(self) -> None:
        index = 0
        while index < len(self._blocks):
            block = self._blocks[index]
            end = self._end(index) if self._opens(index) else None
            if end is None:
                if block.role == "article" and not block.depth:
                    self._own = article_number(block.text) or self._own
                index += 1
                continue
            base = _base(block)
            for quoted in self._blocks[index:end]:
                quoted.quotation = base
            index = end

    def _opens(self, index: int) -> bool:
        block = self._blocks[index]
        if index in self._told:
            return True
        mark = opening(block.start)
        if not mark or block.role == "note":
            return False
        if block.role in CAPTIONS or block.role in _ANNEX_ROLES or _is_annex(block):
            return True
        if block.role == "title":
            return False
        if not (index and self._introducing.search(self._blocks[index - 1].text)):
            return False
        return not _is_term(block.start, mark)

    def _end(self, start: int) -> int | None:
        """Return the end of the quotation that opens at ``start``, or None if it is not a quotation."""
        closing, _ = self._closing(start, start)
        if closing is None:
            return self._unclosed_end(start)
        end = closing + 1
        if not _base(self._blocks[start]):
            end = self._continued(start, end)
        return self._with_notes(end, self._blocks[start].depth)

    def _closing(self, start: int, at: int) -> tuple[int | None, int]:
        """Return the block from ``at`` up that closes the quotation opened at ``start``, or None, and the
        block where it must end at the latest.

        After a mark that seemed to close the quotation, an opening mark begins another quotation.
        """
        first = self._blocks[at]
        if at == start and closes(first.start, opened_here=bool(opening(first.start))):
            return at, at + 1
        if at == start and start < self._dry:
            return None, self._dry
        scope = at + 1
        while scope < len(self._blocks) and not self._leaves(scope, start):
            if at != start and self._opens(scope):
                return None, scope
            if closes(_printed(self._blocks[scope]), opened_here=False):
                return scope, scope + 1
            scope += 1
        if at == start:
            self._dry = max(self._dry, scope)
        return None, scope

    def _leaves(self, at: int, start: int) -> bool:
        """Return True if the block is no longer in the list item or article of the quotation."""
        block, first = self._blocks[at], self._blocks[start]
        base = _base(first)
        if block.role in ("rule", "signature") or block.depth < base:
            return True
        if block.role in ("annex", "title"):
            return not (_is_annex(first) and annex_number(block.text) is None)
        if block.depth == base and block.marker is not None:
            return True
        if block.role != "article" or block.depth:
            return False
        elsewhere = self._elsewhere(at, start)
        number = article_number(block.text)
        if elsewhere is not None or number is None:
            return bool(elsewhere)
        return is_next_integer(number, self._own)

    def _elsewhere(self, at: int, start: int) -> bool | None:
        """Return True if ids or classes say that the caption is not quoted, or None if they do not say."""
        if start in self._told:
            return at not in self._told
        anchors = self._blocks[at].anchor, self._blocks[start].anchor
        if all(UNIT_ID.fullmatch(anchor) for anchor in anchors):
            return anchors[0] != anchors[1]
        return None

    def _continued(self, start: int, end: int) -> int:
        """Return the end of the quotation, extended while captions after its closing mark continue its
        numbers."""
        last = self._last_number(start, end)
        while last and (at := self._next_caption(start, end)) is not None:
            number = article_number(self._blocks[at].text) or ""
            if not follows(number, last) or self._can_be_own(at, start, number):
                break
            closing, scope = self._closing(start, at)
            if closing is None and not self._is_next_own(scope):
                break
            end = at + 1 if closing is None else closing + 1
            last = self._last_number(at, end)
        return end

    def _last_number(self, start: int, end: int) -> str:
        captions = (block for block in reversed(self._blocks[start:end]) if block.role == "article")
        return next((number for block in captions if (number := article_number(block.text))), "")

    def _next_caption(self, start: int, at: int) -> int | None:
        """Return the next caption of an article in the same list item or article, or None if there is none
        or it opens a quotation of its own."""
        while at < len(self._blocks) and not self._leaves(at, start):
            if self._blocks[at].role == "article":
                return None if self._opens(at) and at not in self._told else at
            at += 1
        return None

    def _can_be_own(self, at: int, start: int, number: str) -> bool:
        elsewhere = self._elsewhere(at, start)
        return may_follow(number, self._own) if elsewhere is None else elsewhere

    def _is_next_own(self, at: int) -> bool:
        if at >= len(self._blocks) or self._blocks[at].role != "article":
            return False
        return is_next_integer(article_number(self._blocks[at].text) or "", self._own)

    def _unclosed_end(self, start: int) -> int | None:
        """Return the end of a quotation without a closing mark, or None unless a caption or a list marker
        opens it."""
        first = self._blocks[start]
        if start in self._told or first.role in CAPTIONS or first.role in _ANNEX_ROLES or _is_annex(first):
            return self._item_end(start, _base(first)) if first.depth else self._continued(start, start + 1)
        if first.marker is None or not opening(first.marker):
            return None
        return self._item_end(start, first.depth)

    def _item_end(self, start: int, depth: int) -> int:
        """Return the first block that is outside of the quotation's list item or article, or less deep than
        ``depth``."""
        at = start + 1
        while at < len(self._blocks) and self._blocks[at].depth >= depth and not self._leaves(at, start):
            at += 1
        return at

    def _with_notes(self, end: int, depth: int) -> int:
        """Return ``end`` moved behind the quotation's footnotes in the same list item."""
        blocks = self._blocks
        while depth and end < len(blocks) and blocks[end].role == "note" and blocks[end].depth >= depth:
            end += 1
        return end


def _printed(block: Block) -> str:
    """Return the block's text without the border at the end of a Markdown table."""
    return block.text.rstrip(" |") if block.role == "table" else block.text


def _is_annex(block: Block) -> bool:
    return block.role in ("annex", "title") and annex_number(block.text) is not None


def _is_term(text: str, mark: str) -> bool:
    """Return True if only the first words are in quotation marks, like a defined term."""
    first = text.find(_PAIRS[mark], text.find(mark) + 1)
    return 0 < first < len(text) - 3 and not closes(text, opened_here=True)


def _base(block: Block) -> int:
    """Return the depth of the text around a block; if the block begins a list item, around its list."""
    return block.depth - (block.marker is not None)
