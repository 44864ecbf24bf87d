"""Finds the text of other acts that an act quotes to amend them, so that it is not mistaken for its own.

A quotation begins with an opening quotation mark, after a colon or in a caption, or with a caption whose
class says that it is quoted. It ends with the closing mark at the end of a block, or where the list item or
article that it is in ends. Where the caption of an article comes behind it that goes on with its numbers
and not with those of the act ("Article 5b" after "‘Article 5a" in Article 1), the mark before was none.
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
    """Set ``quotation`` of every block that is quoted. ``introducing``: ends the text before a quotation."""
    _Quotations(blocks, introducing).mark()


class _Quotations:
    """``own``: the number of the act's article that is being read. ``dry``: before it no quotation closes.

    Each block is looked at for a closing mark a bounded number of times, so time is linear.
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
        """Where the quotation that opens at ``start`` ends; ``None`` if it is none."""
        closing, _ = self._closing(start, start)
        if closing is None:
            return self._unclosed_end(start)
        end = closing + 1
        if not _base(self._blocks[start]):
            end = self._continued(start, end)
        return self._with_notes(end, self._blocks[start].depth)

    def _closing(self, start: int, at: int) -> tuple[int | None, int]:
        """The block from ``at`` on that closes the quotation opened at ``start``, and where it must end.

        Behind a mark that seemed to close it, another opening mark is one of another quotation.
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
        """True if the block is no longer in the list item or article that the quotation is in."""
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
        """True if identifiers or classes say that the caption is not quoted; ``None``: they do not say."""
        if start in self._told:
            return at not in self._told
        anchors = self._blocks[at].anchor, self._blocks[start].anchor
        if all(UNIT_ID.fullmatch(anchor) for anchor in anchors):
            return anchors[0] != anchors[1]
        return None

    def _continued(self, start: int, end: int) -> int:
        """The end of the quotation where captions behind its closing mark go on with its numbers."""
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
        """The next caption of an article, if it opens no quotation of its own and is in the same place."""
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
        """Where a quotation ends whose closing mark is missing, if a caption or a list's marker opens it."""
        first = self._blocks[start]
        if start in self._told or first.role in CAPTIONS or first.role in _ANNEX_ROLES or _is_annex(first):
            return self._item_end(start, _base(first)) if first.depth else self._continued(start, start + 1)
        if first.marker is None or not opening(first.marker):
            return None
        return self._item_end(start, first.depth)

    def _item_end(self, start: int, depth: int) -> int:
        """Where the quotation has left its list item or article, or the text is less deep than ``depth``."""
        at = start + 1
        while at < len(self._blocks) and self._blocks[at].depth >= depth and not self._leaves(at, start):
            at += 1
        return at

    def _with_notes(self, end: int, depth: int) -> int:
        """The footnotes of a quotation that are in the same list item follow its end."""
        blocks = self._blocks
        while depth and end < len(blocks) and blocks[end].role == "note" and blocks[end].depth >= depth:
            end += 1
        return end


def _printed(block: Block) -> str:
    """Without the border that ends a table in Markdown."""
    return block.text.rstrip(" |") if block.role == "table" else block.text


def _is_annex(block: Block) -> bool:
    return block.role in ("annex", "title") and annex_number(block.text) is not None


def _is_term(text: str, mark: str) -> bool:
    """True if only the first words are in quotation marks, as a term that is defined."""
    first = text.find(_PAIRS[mark], text.find(mark) + 1)
    return 0 < first < len(text) - 3 and not closes(text, opened_here=True)


def _base(block: Block) -> int:
    """The depth of the text that a block's list, if it begins an item, is in."""
    return block.depth - (block.marker is not None)
