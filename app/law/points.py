"""The points and paragraphs of a provision, each as it is read: below the act's and article's names and what
leads to it. Pure functions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.search.blocks import block_relevance, parsed_blocks
from app.search.types import IndexedPage, NearChunk
from ingest.blocks import rows
from ingest.chunkers.context import context_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """``start``/``end``: byte offsets in the content. ``text``: the point with its names and its lead."""

    start: int
    end: int
    text: str


def best_points(page: IndexedPage, near: Sequence[NearChunk], most: int) -> list[Point]:
    """Return the points of the page that lie nearest, ``most`` at most, in their order. ``near``: its chunks
    with their relevance."""
    points = list(_points(page))
    ranked = sorted(points, key=lambda point: -block_relevance(point, near))[:most]
    return sorted(ranked, key=lambda point: point.start)


def _points(page: IndexedPage) -> Iterator[Point]:
    content = page.fields.get("content", "")
    for block in parsed_blocks(content, "content", page.title, page.ref.language):
        names = context_line((page.title, *block.headings))
        lead = "\n".join(filter(None, (names, block.before)))
        for start, end in rows(block.own, block.kind) if block.kind == "list" else [(0, len(block.own))]:
            item = block.own[start:end]
            first = block.start + len(block.own[:start].encode())
            yield Point(start=first, end=first + len(item.encode()), text=f"{lead}\n{item.strip()}")
