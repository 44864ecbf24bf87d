"""Parses names of paragraphs and points of units, and finds these in the Markdown of a unit.

Pure functions. A part is named by a number, a letter or both: "Article 5(1)(f)", "Artikel 5 Absatz 1
Buchstabe f", "point 4(b) of Annex III".
"""

import re
from typing import Final

_NAMED: Final = re.compile(
    r"\(\s?(\d{1,3}|[a-z]{1,2})\s?\)"
    r"|\b(?i:(?:sub)?paragraph(?:s|es?)?|points?|abs(?:atz(?:es)?|ätze|\.)?|lit(?:\.|era)?|lettres?"
    r"|buchstaben?|nummern?|nrn?\.?)\s?\(?(\d{1,3}|[a-z]{1,2})(?!\w)"
)
_LINE: Final = re.compile(r"(?m)^(?P<indent> *)(?P<item>[-*+] )?\(?(?P<mark>\d{1,3}[a-z]?|[a-z]{1,3})[.)]\s")


def parts_named(words: str) -> tuple[str, ...]:
    """Return the number and the letter of the part of a unit that ``words`` name; either may be missing. If
    they name several paragraphs or points, the first one counts."""
    marks = [(found[1] or found[2]).lower() for found in _NAMED.finditer(words)]
    number = next((mark for mark in marks if mark.isdecimal()), "")
    letter = next((mark for mark in marks if mark.isalpha()), "")
    return tuple(filter(None, (number, letter)))


def part_span(markdown: str, parts: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the span of the part, ``[start, end)`` in characters, or None if the text has no such part."""
    start, end = 0, len(markdown)
    for part in parts:
        lines = list(_LINE.finditer(markdown, start, end))
        place = next((place for place, line in enumerate(lines) if line["mark"] == part), None)
        if place is None:
            return None
        start = lines[place].start()
        end = next((line.start() for line in lines[place + 1 :] if not _is_within(line, lines[place])), end)
    return (start, end) if parts else None


def _is_within(line: re.Match[str], part: re.Match[str]) -> bool:
    """Return True if a numbered line belongs to the part: deeper in the list, or a point of a paragraph."""
    return len(line["indent"]) > len(part["indent"]) or (line["item"] is not None and part["item"] is None)
