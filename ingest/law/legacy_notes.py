"""Footnotes printed at the end of a text, joined to the places that refer to them.

A place is found by its number alone: each note's is the first ``(1)`` after the place of the note before it
that is no part of a number, such as that of a paragraph in ``Article 85 (3)``.
"""

import re
from collections.abc import Sequence
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


def join(notes: Sequence[Block], units: Sequence[list[Block]]) -> list[dict[str, Block]]:
    """For each unit the notes that its blocks refer to, by key, and the references set in the blocks' text.

    Notes that nothing refers to are in none.
    """
    places = _places(units)
    joined: list[dict[str, Block]] = [{} for _ in units]
    chosen: list[tuple[Place, Block]] = []
    at = 0
    for note in notes:
        found = next((index for index in range(at, len(places)) if places[index][2][1] == note.label), None)
        if found is None:
            continue
        chosen.append((places[found], note))
        joined[places[found][0]][note.key] = note
        at = found + 1
    for (unit, block, match), note in reversed(chosen):
        text = units[unit][block].text
        start, end = match.span()
        units[unit][block].text = f"{text[:start]}\ue000{note.key}\ue001{note.label}\ue002{text[end:]}"
    return joined


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
