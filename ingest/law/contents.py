"""Finds a table of contents whose entries are printed like captions."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ingest.law.blocks import Role

_CAPTIONS: Final[frozenset[Role]] = frozenset({
    "article", "article-title", "division", "division-title", "annex", "annex-title", "heading", "contents",
})  # fmt: skip

_FEWEST: Final = 2
"""The fewest articles in a table of contents."""


class Entry(NamedTuple):
    """The role of a block or line, and the unit's name for an article. ``quoted``: quoted or in a list."""

    role: Role
    name: str = ""
    quoted: bool = False


def contents(entries: Sequence[Entry]) -> range:
    """Return the range of the table of contents: the first captions without text between them, if all
    articles that they name occur again later. Empty if there is none."""
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
    """Return ``end`` without the captions of divisions directly before the act's first article, which belong
    to the act."""
    while entries[end - 1].role in ("division", "division-title"):
        end -= 1
    return end


def _is_caption(entry: Entry) -> bool:
    return not entry.quoted and entry.role in _CAPTIONS


def _is_article(entry: Entry) -> bool:
    return bool(entry.name) and not entry.quoted
