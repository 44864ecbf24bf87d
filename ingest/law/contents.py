"""Finds a table of contents that is printed like the captions that it lists."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ingest.law.blocks import Role

_CAPTIONS: Final[frozenset[Role]] = frozenset({
    "article", "article-title", "division", "division-title", "annex", "annex-title", "heading", "contents",
})  # fmt: skip

_FEWEST: Final = 2
"""Articles in a table."""


class Entry(NamedTuple):
    """What a block or line is, and for an article the name of its unit. ``quoted``: or inside a list."""

    role: Role
    name: str = ""
    quoted: bool = False


def contents(entries: Sequence[Entry]) -> range:
    """The range of the table of contents: the first captions, if no text is between them and the articles
    that they name come again behind them. Empty if there is none."""
    first = next((at for at, entry in enumerate(entries) if _is_article(entry)), len(entries))
    start, end = first, first
    while start and _is_caption(entries[start - 1]):
        start -= 1
    listed: set[str] = set()
    while end < len(entries) and _is_caption(entries[end]) and entries[end].name not in listed:
        if _is_article(entries[end]):
            listed.add(entries[end].name)
        end += 1
    again = {entry.name for entry in entries[end:] if _is_article(entry)}
    if len(listed) < _FEWEST or not again.issuperset(listed):
        return range(0)
    if _is_caption(entries[end]):
        end = _before_divisions(entries, end)
    return range(start, end)


def _before_divisions(entries: Sequence[Entry], end: int) -> int:
    """Captions of divisions directly before the first article of the act are the act's."""
    while entries[end - 1].role in ("division", "division-title"):
        end -= 1
    return end


def _is_caption(entry: Entry) -> bool:
    return not entry.quoted and entry.role in _CAPTIONS


def _is_article(entry: Entry) -> bool:
    return bool(entry.name) and not entry.quoted
