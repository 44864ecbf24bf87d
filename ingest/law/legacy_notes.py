"""Joins footnotes printed at the end of a text to the places that refer to them.

Only the number links the two: a note belongs to the first ``(1)`` after the place of the previous note, not
counting parts of other numbers, such as the paragraph in ``Article 85 (3)``.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ingest.law.blocks import Block

_REFERENCE: Final = re.compile(r"\s?\((\d{1,3}\*?)\)")
_PART_OF_NUMBER: Final = re.compile(
    r"(?:\b(?:articles?|paragraphs?|paragraphes?|points?|annex|items?|and|or|to|et|ou|à)\s?|[,(]\s?)"
    r"(?:\d+[a-z]?\s?)?(?:\([^()]{1,5}\)\s?)*$|^$|\([^()]{1,3}\)\s?$",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d$")
_NUMBER_OF_ACT: Final = re.compile(r"(?:/\s?\d+|\b(?:No|no|n°|N°|nº|Nr)\s?\d+|\b(?:19|20)\d\d)$")
_LOOK_BACK: Final = 40

Place = tuple[int, int, re.Match[str]]


def join(notes: Iterable[Block], units: Sequence[list[Block]]) -> list[dict[str, Block]]:
    """Return for each unit the notes that its blocks refer to, by key, and set the references in the blocks'
    text.

    Notes without a reference belong to no unit.
    """
    places = _places(units)
    by_label: dict[str, list[int]] = {}
    for at, (_, _, match) in enumerate(places):
        by_label.setdefault(match[1], []).append(at)
    joined: list[dict[str, Block]] = [{} for _ in units]
    chosen: dict[tuple[int, int], dict[int, Block]] = {}
    start = 0
    for note in notes:
        candidates = by_label.get(note.label, [])
        found = bisect_left(candidates, start)
        if found == len(candidates):
            continue
        start = candidates[found] + 1
        unit, block, match = places[candidates[found]]
        joined[unit][note.key] = note
        chosen.setdefault((unit, block), {})[match.start()] = note
    for (unit, block), referred in chosen.items():
        units[unit][block].text = _with_references(units[unit][block].text, referred)
    return joined


def _with_references(text: str, referred: Mapping[int, Block]) -> str:
    """Return the text with references to the notes in ``referred``, given by the offset of their number."""

    def reference(match: re.Match[str]) -> str:
        note = referred.get(match.start())
        return match[0] if note is None else f"\ue000{note.key}\ue001{note.label}\ue002"

    return _REFERENCE.sub(reference, text)


def _places(units: Sequence[list[Block]]) -> list[Place]:
    return [
        (unit, index, match)
        for unit, blocks in enumerate(units)
        for index, block in enumerate(blocks)
        if block.role == "text"
        for match in _REFERENCE.finditer(block.text)
        if _is_reference(block.text[max(0, match.start() - _LOOK_BACK) : match.start()])
    ]


def _is_reference(before: str) -> bool:
    if _NUMBER.search(before):
        return _NUMBER_OF_ACT.search(before) is not None
    return _PART_OF_NUMBER.search(before) is None
