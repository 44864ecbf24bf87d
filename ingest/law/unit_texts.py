"""Finishes units: Markdown with their footnotes, long units split into pieces, each with a unique id."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from ingest.law.blocks import Block
from ingest.law.inline import REFERENCE, without_label
from ingest.law.model import Unit
from ingest.law.units import Draft
from ingest.law.writing import plain, write

LONG_ANNEX_BYTES: Final = 100_000
"""A longer annex is split before its parts."""

MAX_UNIT_BYTES: Final = 900_000
"""A longer piece is split between any two blocks, because a page has at most 2,000 chunks of 512 bytes."""

_PRIME: Final = "′"
_MOST_PRIMES: Final = 2
_PART: Final = re.compile(
    r"^(?:(?:part|partie|teil|section|abschnitt)\s+(?P<named>[A-Z]\b|[IVXLC]+\b|\d+)"
    r"|(?P<letter>[A-Z]|[IVX]+|\d+(?:\.\d+)*)\s?[.):–—-])",
    re.I,
)


def texts(drafts: Iterable[Draft], notes: dict[str, Block]) -> tuple[Unit, ...]:
    """Return the units in order. A footnote is in the first unit that refers to it."""
    left = dict(notes)
    given: Counter[str] = Counter()
    units: list[Unit] = []
    for draft in drafts:
        if draft.kind == "recital":
            _outdent(draft.blocks)
        for part, blocks in _pieces(draft):
            units.append(_unit(draft, part, blocks, left, given))
    return (*_with_rest(units[0], left), *units[1:]) if units else ()


def _unit(draft: Draft, part: str, blocks: list[Block], left: dict[str, Block], given: Counter[str]) -> Unit:
    own = _taken(left, [draft.label, draft.heading, *(block.text for block in blocks)])
    heading = draft.heading
    if part and blocks and blocks[0].role == "heading":
        heading, blocks = blocks[0].text, blocks[1:]
    amendments = dict.fromkeys(marker for block in blocks for marker in block.amended_by)
    return Unit(
        name=draft.name,
        kind=draft.kind,
        markdown=write(blocks, own),
        number=draft.number,
        label=" ".join(REFERENCE.sub("", draft.label).split()),
        heading=plain(heading),
        divisions=draft.divisions,
        anchor=draft.anchor,
        part=_distinct(draft.name, part, given),
        amended_by=tuple(amendments),
    )


def _outdent(blocks: list[Block]) -> None:
    """Reduce the depth of a recital's blocks, because its text is laid out like a list item."""
    for block in blocks:
        block.depth = max(block.depth - 1, 0)
        if block.quotation is not None:
            block.quotation = max(block.quotation - 1, 0)


def _distinct(name: str, part: str, given: Counter[str]) -> str:
    """Return ``part``, or a number if another unit already has this id."""
    identifier = f"{name}.{part}" if part else name
    given[identifier] += 1
    if given[identifier] == 1:
        return part
    number = given[identifier]
    while given[f"{name}.{number}"]:
        number += 1
    given[identifier], given[f"{name}.{number}"] = number, 1
    return str(number)


def _taken(left: dict[str, Block], texts: Iterable[str]) -> dict[str, Block]:
    """Remove the footnotes that the texts refer to from ``left``, and return them.

    A footnote gets the number of its reference, even if another one is printed before it. If numbers restart
    inside a unit, primes distinguish the later ones.
    """
    taken: dict[str, Block] = {}
    labels: Counter[str] = Counter()
    for key, label in (match.groups() for text in texts for match in REFERENCE.finditer(text)):
        if key in left:
            taken[key] = left.pop(key)
            taken[key].text = without_label(taken[key].text, taken[key].label)
            taken[key].label = _told_apart(label, labels[label])
            labels[label] += 1
    return taken


def _told_apart(label: str, before: int) -> str:
    """Return a footnote's label by the count of equal labels before it: ``1``, ``1′``, ``1′′``, ``1′3``."""
    return label + (_PRIME * before if before <= _MOST_PRIMES else f"{_PRIME}{before}")


def _with_rest(unit: Unit, left: dict[str, Block]) -> tuple[Unit]:
    """Return the unit with the footnotes that nothing refers to at its end."""
    if not left:
        return (unit,)
    for note in left.values():
        note.text = without_label(note.text, note.label)
    rest = write([], left)
    markdown = f"{unit.markdown}\n\n{rest}".strip()
    return (replace(unit, markdown=markdown),)


def _pieces(draft: Draft) -> Iterator[tuple[str, list[Block]]]:
    """Yield the unit's blocks, a long unit in pieces named by their printed part; the first has no name."""
    size = _size(draft.blocks)
    pieces = [draft.blocks]
    if draft.kind == "annex" and size > LONG_ANNEX_BYTES:
        pieces = _at_parts(draft.blocks)
    if size > MAX_UNIT_BYTES:
        pieces = [smaller for piece in pieces for smaller in _by_size(piece)]
    for index, piece in enumerate(pieces):
        yield (_part_name(piece) or str(index + 1) if index else ""), piece


def _at_parts(blocks: list[Block]) -> list[list[Block]]:
    """Cut before each heading of the highest level; only before numbered ones if there are any."""
    headings = [index for index, block in enumerate(blocks) if _is_top(block)]
    numbered = [index for index in headings if _PART.match(blocks[index].text)]
    candidates = numbered or headings
    if not candidates:
        return [blocks]
    level = min(blocks[index].level for index in candidates)
    cuts = [
        index
        for index in candidates
        if index and blocks[index].level == level and not _is_top(blocks[index - 1])
    ]
    return [blocks[start:end] for start, end in zip([0, *cuts], [*cuts, len(blocks)], strict=True)]


def _is_top(block: Block) -> bool:
    return block.role == "heading" and not block.depth and block.quotation is None


def _by_size(blocks: list[Block]) -> Iterator[list[Block]]:
    piece: list[Block] = []
    size = 0
    for block in chain.from_iterable(map(_slices, blocks)):
        length = _size([block])
        if piece and size + length > MAX_UNIT_BYTES:
            yield piece
            piece, size = [], 0
        piece.append(block)
        size += length
    yield piece


def _slices(block: Block) -> Iterator[Block]:
    """Yield the block, cut at its lines or words if it is longer than a unit may be."""
    text, most = block.text, MAX_UNIT_BYTES // 4
    while len(text.encode()) > MAX_UNIT_BYTES:
        cut = text.rfind("\n" if block.role == "table" else " ", 0, most) + 1 or most
        yield replace(block, text=text[:cut].strip())
        text = text[cut:]
    yield replace(block, text=text)


def _size(blocks: list[Block]) -> int:
    return sum(len(block.text.encode()) + 2 * block.depth + 2 for block in blocks)


def _part_name(piece: list[Block]) -> str:
    match = _PART.match(piece[0].text) if piece and piece[0].role == "heading" else None
    return (match["named"] or match["letter"]) if match else ""
