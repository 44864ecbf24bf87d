"""Tells if a source broke, by its pages as they were and as they came now.

A website that broke still answers: with a cookie wall, a login, a page about maintenance, a shell without
text. One page says little, for pages are cut and rewritten; that many do so at once says it.
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
"""Of a page, the share of the words, and of a website, the share of the pages, that may be lost at once."""

FEW_WORDS: Final = 20
"""Fewer words that a page loses say nothing."""

FEW_PAGES: Final = 3
"""Fewer pages say nothing."""

NOTICE_WORDS: Final = 30
"""A new text of fewer words on most pages is a notice."""

MOST_PAGES: Final = 0.5
"""The share of the pages that has to have the same new text."""

GARBLED: Final = 0.02
"""Of the words of a page, the share that may be garbled."""

ENOUGH_PAGES: Final = 20
"""Known pages that are looked at before a new one is stored, which may be a login or a notice."""

MOST_HELD: Final = 500
"""Pages that wait in memory, at most; of a source that is well they are few."""

SHOWN_CHARACTERS: Final = 80

_GARBLED: Final = re.compile("\ufffd|[ÃÂ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œž]|â€")


@dataclass(slots=True, kw_only=True)
class BreakageWatch:
    """Looks at the pages of one pull. ``known``: how many pages were stored before."""

    known: int
    _seen: int = 0
    _lost: Counter[HaltCode] = field(default_factory=Counter)
    _added: Counter[str] = field(default_factory=Counter)
    _repeated: set[str] = field(default_factory=set)

    def unchanged(self, pages: int) -> None:
        """Note known pages that are as they were."""
        self._seen += pages

    def note(self, look: Look) -> None:
        """Note how a known page came. One that its server says is gone is left out: too many of these are
        the guard's to refuse."""
        if look.is_deleted:
            self.known -= 1
            return
        self._seen += 1
        self._added.update(look.added)
        self._repeated |= {block for block in look.added if self._added[block] >= FEW_PAGES}
        if look.lost:
            self._lost[look.lost] += 1

    def is_harmless(self, look: Look | None) -> bool:
        """True for a page that may be stored even if the website broke."""
        return look is not None and not look.lost and look.added.isdisjoint(self._repeated)

    @property
    def is_in_doubt(self) -> bool:
        """True while too few pages were looked at, or something is wrong."""
        return self._seen < min(ENOUGH_PAGES, self.known) or bool(self.verdict())

    def verdict(self) -> list[HaltReason]:
        """Return what is wrong with the website; nothing if it is well."""
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
    """Holds what a pull fetched until its source is known to be well, as far as ``watch`` sees anything wrong
    with it. ``dropped``: what was held and may not be stored."""

    def __init__(self, watch: BreakageWatch) -> None:
        self.dropped: list[Item] = []
        self._watch = watch
        self._held: list[tuple[Item, Look | None]] = []

    def hold(self, item: Item, look: Look | None) -> None:
        """Hold an item, ``look`` of a known page."""
        self._held.append((item, look))

    def passed(self, item: Item, look: Look | None) -> list[Item]:
        """Return what may be stored now: the ``item``, if it needs not wait, and what waited where that is
        too much for the memory. ``look``: of a known page, which the watch notes."""
        if look is not None:
            self._watch.note(look)
        if look == Look() or not ((look and look.lost) or self._watch.is_in_doubt):
            return [item]
        self.hold(item, look)
        return self.released() if len(self._held) >= MOST_HELD else []

    def released(self, *, is_interrupted: bool = False) -> list[Item]:
        """Return what was held and may be stored, and drop the rest: of a source that broke, or is still in
        doubt as the pull ``is_interrupted``, only what is harmless is stored."""
        is_bad = self._watch.is_in_doubt if is_interrupted else self._watch.verdict()
        held, self._held = self._held, []
        may_be_stored = [not is_bad or self._watch.is_harmless(look) for _, look in held]
        self.dropped = [item for (item, _), may_be in zip(held, may_be_stored, strict=True) if not may_be]
        return [item for (item, _), may_be in zip(held, may_be_stored, strict=True) if may_be]


def look_of(page: RawPage, stored: Sequence[RawPage]) -> Look | None:
    """Compare a page that came with how it was ``stored``, in each of its languages; ``None`` if it is
    new."""
    if not stored:
        return None
    before = next((each for each in stored if each.ref == page.ref), stored[0])
    if before.ref == page.ref and before.fields == page.fields:
        return Look()
    old, new = _blocks(before), _blocks(page)
    lost = _loss(old, new) or _foreign(stored, page)
    return Look(lost=lost, added=frozenset(new) - frozenset(old))


def _loss(old: Sequence[str], new: Sequence[str]) -> HaltCode | None:
    """What a page has lost; ``None`` if nothing."""
    before, after = (sum(len(block.split()) for block in blocks) for blocks in (old, new))
    if before - after >= FEW_WORDS and before - after > MOST_LOST * before:
        return "lost"
    garbled, was = (len(_GARBLED.findall("\n".join(blocks))) for blocks in (new, old))
    return "unreadable" if garbled > was + GARBLED * max(after, 1) else None


def _foreign(stored: Sequence[RawPage], page: RawPage) -> HaltCode | None:
    known = {each.ref.language for each in stored}
    return None if page.ref.language in known or UNDETERMINED in {page.ref.language, *known} else "foreign"


def _blocks(page: RawPage) -> list[str]:
    """The pieces of a page's text."""
    content = page.fields.get("content")
    if content is None:
        return []
    return text_blocks(content.text) if content.is_html else content.text.splitlines()
