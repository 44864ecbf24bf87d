"""Computes the numbers that Word shows before headings and items, which are not in the text."""

import re
from dataclasses import dataclass
from typing import Any, Final

from ingest.documents.archive import number_of
from ingest.documents.docx_styles import Styles
from ingest.documents.docx_xml import attribute, child, is_on, name_of, value
from ingest.law.roman import roman

LEVELS: Final = 9
_PLACEHOLDER: Final = re.compile(r"%([1-9])")
_MAX_ROMAN: Final = 399
_MAX_LETTER: Final = 26 * 26


@dataclass(frozen=True, slots=True)
class Numbered:
    """The label before a paragraph. ``number``: that of an item whose label is only this number;
    ``is_plain``: an item with a bullet or such a number."""

    level: int
    label: str
    number: int | None
    is_plain: bool


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    pattern: str
    start: int
    style: str
    is_legal: bool


class Numbering:
    """The lists that a document defines: the definition each one shares with others, and its levels."""

    def __init__(self, root: Any, styles: Styles) -> None:
        elements = () if root is None else list(root)
        self.styles: Final = styles
        self._shared = {attribute(e, "abstractNumId"): e for e in elements if name_of(e) == "abstractNum"}
        self._lists = {attribute(e, "numId"): e for e in elements if name_of(e) == "num"}
        self._levels: dict[str, list[_Level]] = {}

    def shared_by(self, list_id: str) -> str:
        """Return the id of a list's definition; empty if there is no such list."""
        shared = value(self._lists.get(list_id), "abstractNumId")
        linked = value(self._shared.get(shared), "numStyleLink")
        if linked and (named := self._lists.get(self.styles.paragraph(linked).list_id)) is not None:
            return value(named, "abstractNumId")
        return shared

    def restarts(self, list_id: str) -> dict[int, int]:
        """Return the levels that restart in this list, with their first numbers."""
        found: dict[int, int] = {}
        for override in self._lists.get(list_id, ()):
            if name_of(override) == "lvlOverride" and (start := value(override, "startOverride")):
                found[_place(attribute(override, "ilvl"))] = number_of(start, 1)
        return found

    def levels(self, list_id: str) -> list[_Level]:
        """Return the levels of a list; empty if it is not defined."""
        if list_id not in self._levels:
            defined = [(attribute(e, "ilvl"), e) for e in self._shared.get(self.shared_by(list_id), ())]
            own = [(attribute(e, "ilvl"), child(e, "lvl")) for e in self._lists.get(list_id, ())]
            found = {
                _place(place): _level(element)
                for place, element in (*defined, *own)
                if element is not None and name_of(element) == "lvl"
            }
            places = range(LEVELS) if found else ()
            self._levels[list_id] = [found.get(place, _NO_LEVEL) for place in places]
        return self._levels[list_id]


_NO_LEVEL: Final = _Level(form="none", pattern="", start=1, style="", is_legal=False)


class Numbers:
    """Counts the paragraphs of lists, in text order."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self._counted: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()

    def next(self, properties: Any, style: str) -> Numbered | None:
        """Count the next paragraph and return its label, or None if it has none."""
        numbered = child(properties, "numPr")
        inherited = self._numbering.styles.paragraph(style)
        list_id = value(numbered, "numId") or inherited.list_id
        levels = self._numbering.levels(list_id) if list_id not in ("", "0") else []
        if not levels:
            return None
        own = next((place for place, level in enumerate(levels) if style and level.style == style), 0)
        place = _place(value(numbered, "ilvl") or inherited.list_level or str(own))
        counted = self._count(list_id, levels, place)
        level = levels[place]
        if level.form == "bullet":
            return Numbered(place, "", None, is_plain=True)
        label = _PLACEHOLDER.sub(
            lambda match: _written(levels, counted, int(match[1]) - 1, level), level.pattern
        )
        if not label.strip():
            return None
        plain = level.form == "decimal" and level.pattern in (f"%{place + 1}.", f"%{place + 1})")
        return Numbered(place, label, counted[place] if plain else None, is_plain=plain)

    def _count(self, list_id: str, levels: list[_Level], place: int) -> list[int | None]:
        counted = self._counted.setdefault(self._numbering.shared_by(list_id), [None] * LEVELS)
        if list_id not in self._begun:
            self._begun.add(list_id)
            for level, start in self._numbering.restarts(list_id).items():
                counted[level] = start - 1
        before = counted[place]
        counted[place] = levels[place].start if before is None else before + 1
        counted[place + 1 :] = [None] * (LEVELS - place - 1)
        return counted


def _level(element: Any) -> _Level:
    return _Level(
        form=value(element, "numFmt") or "decimal",
        pattern=value(element, "lvlText"),
        start=number_of(value(element, "start"), 1),
        style=value(element, "pStyle"),
        is_legal=is_on(element, "isLgl"),
    )


def _place(written: str) -> int:
    return min(number_of(written, 0), LEVELS - 1)


def _written(levels: list[_Level], counted: list[int | None], place: int, of: _Level) -> str:
    known = counted[place]
    number = levels[place].start if known is None else known
    return _formed(number, "decimal" if of.is_legal else levels[place].form)


def _formed(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and 0 < number <= _MAX_LETTER:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < number <= _MAX_ROMAN:
        return roman(number) if form == "upperRoman" else roman(number).lower()
    if form == "decimalZero":
        return f"{number:02}"
    return "" if form == "none" else str(number)
