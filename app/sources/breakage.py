"""Detects that a source broke, by comparing its pages before and now.

A broken website still answers: with a cookie wall, a login, a page about maintenance, a shell without text.
A single page means little, because pages are shortened and rewritten; many at once mean that it broke.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from app.errors import HaltCode, HaltReason
from app.pages.crawl_notes import Look
from ingest.text import shortened
from ingest.types import UNDETERMINED, RawPage
from ingest.website.pages import text_blocks

Item = TypeVar("Item")

MOST_LOST: Final = 0.3
"""Maximum share of a page's words, and of a website's pages, that may be lost at once."""

FEW_WORDS: Final = 20
"""A loss of fewer words does not count."""

FEW_PAGES: Final = 3
"""Fewer affected pages do not count."""

NOTICE_WORDS: Final = 30
"""A new text of fewer words on most pages is a harmless notice."""

MOST_PAGES: Final = 0.5
"""The website broke if more than this share of its pages has the same new text."""

GARBLED: Final = 0.02
"""Maximum number of newly garbled places for each word of a page."""

ENOUGH_PAGES: Final = 20
"""Number of known pages to look at before a new one is stored, because that may be a login or a notice."""

MOST_HELD: Final = 500
"""Maximum number of pages held in memory; few are held if the source is well."""

SHOWN_CHARACTERS: Final = 80

_GARBLED: Final = re.compile("\ufffd|[ÃÂ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œž]|â€")


@dataclass(slots=True, kw_only=True)
class BreakageWatch:
    """Watches the pages of one pull for breakage. ``known``: how many pages were stored before."""

    known: int
    _seen: int = 0
    _lost: Counter[HaltCode] = field(default_factory=Counter)
    _added: Counter[str] = field(default_factory=Counter)
    _repeated: set[str] = field(default_factory=set)

    def unchanged(self, pages: int) -> None:
        """Count known pages that are unchanged."""
        self._seen += pages

    def note(self, look: Look) -> None:
        """Count the look of a known page. Leave out pages that their server says are gone, because the
        deletion guard refuses too many of these."""
        if look.is_deleted:
            self.known -= 1
            return
        self._seen += 1
        self._added.update(look.added)
        self._repeated |= {block for block in look.added if self._added[block] >= FEW_PAGES}
        if look.lost:
            self._lost[look.lost] += 1

    def is_harmless(self, look: Look | None) -> bool:
        """Return True if a page may be stored even if the website broke."""
        return look is not None and not look.lost and look.added.isdisjoint(self._repeated)

    @property
    def is_in_doubt(self) -> bool:
        """True while too few pages have been seen, or something is wrong."""
        return self._seen < min(ENOUGH_PAGES, self.known) or bool(self.verdict())

    def verdict(self) -> list[HaltReason]:
        """Return the signs that the website broke; empty if it is well."""
        lost = self._lost.total()
        if lost >= FEW_PAGES and lost > MOST_LOST * self._seen:
            return [
                HaltReason(code=code, count=count, pages=self._seen)
                for code, count in self._lost.most_common()
            ]
        common = [block for block in self._repeated if self._added[block] > MOST_PAGES * self._seen]
        if sum(len(block.split()) for block in common) >= NOTICE_WORDS:
            longest = max(common, key=len)
            text, count = shortened(longest, SHOWN_CHARACTERS), self._added[longest]
            return [HaltReason(code="repeated", count=count, pages=self._seen, text=text)]
        return []


class Quarantine(Generic[Item]):
    """Holds suspicious pages of a pull until ``watch`` knows that their source is well. ``dropped``: held
    items that may not be stored."""

    def __init__(self, watch: BreakageWatch) -> None:
        self.dropped: list[Item] = []
        self._watch = watch
        self._held: list[tuple[Item, Look | None]] = []

    def hold(self, item: Item, look: Look | None) -> None:
        """Hold an item. ``look``: that of a known page, None for a new one."""
        self._held.append((item, look))

    def admit(self, item: Item, look: Look | None) -> list[Item]:
        """Return the items that may be stored now: the ``item``, unless it has to be held; then, if too many
        are held, those that :meth:`release` returns. ``look``: that of a known page, counted by the
        watch."""
        if look is not None:
            self._watch.note(look)
        if look == Look() or not ((look and look.lost) or self._watch.is_in_doubt):
            return [item]
        self.hold(item, look)
        return self.release() if len(self._held) >= MOST_HELD else []

    def release(self, *, is_interrupted: bool = False) -> list[Item]:
        """Return the held items that may be stored, and drop the rest. If the source broke, or is still in
        doubt when the pull ``is_interrupted``, only harmless pages may be stored."""
        is_bad = self._watch.is_in_doubt if is_interrupted else self._watch.verdict()
        held, self._held = self._held, []
        may_be_stored = [not is_bad or self._watch.is_harmless(look) for _, look in held]
        self.dropped = [item for (item, _), may_be in zip(held, may_be_stored, strict=True) if not may_be]
        return [item for (item, _), may_be in zip(held, may_be_stored, strict=True) if may_be]


def look_of(page: RawPage, stored: Sequence[RawPage]) -> Look | None:
    """Compare a fetched page with the ``stored`` one, given in each of its languages; return ``None`` if it
    is new."""
    if not stored:
        return None
    before = next((each for each in stored if each.ref == page.ref), stored[0])
    if before.ref == page.ref and before.fields == page.fields:
        return Look()
    old, new = _blocks(before), _blocks(page)
    lost = _loss(old, new) or _foreign(stored, page)
    return Look(lost=lost, added=frozenset(new) - frozenset(old))


def _loss(old: Sequence[str], new: Sequence[str]) -> HaltCode | None:
    """Return ``lost`` or ``unreadable`` if the new blocks are much worse than the old ones, or ``None``."""
    before, after = (sum(len(block.split()) for block in blocks) for blocks in (old, new))
    if before - after >= FEW_WORDS and before - after > MOST_LOST * before:
        return "lost"
    garbled, was = (len(_GARBLED.findall("\n".join(blocks))) for blocks in (new, old))
    return "unreadable" if garbled > was + GARBLED * max(after, 1) else None


def _foreign(stored: Sequence[RawPage], page: RawPage) -> HaltCode | None:
    known = {each.ref.language for each in stored}
    return None if page.ref.language in known or UNDETERMINED in {page.ref.language, *known} else "foreign"


def _blocks(page: RawPage) -> list[str]:
    """Split a page's content into blocks of text."""
    content = page.fields.get("content")
    if content is None:
        return []
    return text_blocks(content.text) if content.is_html else content.text.splitlines()
