"""The styles of a Word document, as far as they determine headings and visibility."""

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from ingest.documents.archive import number_of
from ingest.documents.docx_xml import attribute, child, is_on, name_of, value
from ingest.documents.looks import NO_LOOK, UNKNOWN, Look

_ON: Final = frozenset({"1", "true", "on"})
_HEADING: Final = re.compile(r"heading ([1-9])\Z")
_BODY_LEVEL: Final = 9

_PLAIN_SHADES: Final = frozenset({"", "clear", "nil"})
_AUTOMATIC: Final = "AUTO"
_HIGHLIGHTS: Final = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF",
    "red": "FF0000", "yellow": "FFFF00", "white": "FFFFFF", "darkBlue": "000080", "darkCyan": "008080",
    "darkGreen": "008000", "darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000",
    "darkGray": "808080", "lightGray": "C0C0C0", "none": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """A style. ``level``: that of a heading, from 1; 0 for text. ``look``: that of its letters.
    ``background``: the shading of its paragraphs, if any. ``list_id``, ``list_level``: the list that its
    paragraphs belong to."""

    level: int = 0
    look: Look = NO_LOOK
    background: str | None = None
    is_contents: bool = False
    list_id: str = ""
    list_level: str = ""


_PLAIN: Final = Style()


class Styles:
    """Styles by id, with inherited properties."""

    def __init__(self, root: Any) -> None:
        elements = () if root is None else root
        self._elements = {
            attribute(style, "styleId"): style for style in elements if name_of(style) == "style"
        }
        self._known: dict[str, Style] = {"": _PLAIN}
        self._defaults = {
            attribute(style, "type"): name
            for name, style in self._elements.items()
            if attribute(style, "default").lower() in _ON
        }
        self._base = look_of(child(child(child(root, "docDefaults"), "rPrDefault"), "rPr"))

    def letters(self, paragraph: str, table: str = "") -> Look:
        """Return the look of letters, given the style of their paragraph and that of its table, if any."""
        own = self.paragraph(paragraph or self._defaults.get("paragraph", "")).look
        return own.over(self.paragraph(table).look).over(self._base)

    def run(self, properties: Any, paragraph: Look) -> Look:
        """Return the look of a run's letters in a paragraph with that look. Hiding is a toggle: if the styles
        of paragraph and run both hide text, it is visible (ECMA-376, 17.7.3)."""
        style = self.paragraph(value(properties, "rStyle") or self._defaults.get("character", "")).look
        toggled = None if style.hidden is None else style.hidden != bool(paragraph.hidden)
        return look_of(properties).over(replace(style, hidden=toggled)).over(paragraph)

    def background(self, paragraph: str) -> str | None:
        """Return the colour of the shading of paragraphs of a style, or None if they have none."""
        return self.paragraph(paragraph or self._defaults.get("paragraph", "")).background

    def paragraph(self, identifier: str) -> Style:
        """Return a style with its inherited properties; plain text if it is not defined."""
        chain = dict[str, None]()
        while identifier not in self._known and identifier not in chain:
            chain[identifier] = None
            identifier = value(self._elements.get(identifier), "basedOn")
        style = self._known.get(identifier, _PLAIN)
        for name in reversed(chain):
            style = self._known[name] = _derived(self._elements.get(name), style)
        return style


def _derived(element: Any, parent: Style) -> Style:
    if element is None:
        return parent
    paragraph, run = child(element, "pPr"), child(element, "rPr")
    numbered = child(paragraph, "numPr")
    name = value(element, "name").lower()
    return Style(
        level=_level(name, value(paragraph, "outlineLvl"), parent.level),
        look=look_of(run).over(parent.look),
        background=background_of(paragraph) or parent.background,
        is_contents=parent.is_contents or name.startswith(("toc ", "table of figures")),
        list_id=value(numbered, "numId") or parent.list_id,
        list_level=value(numbered, "ilvl") or parent.list_level,
    )


def _level(name: str, outline: str, inherited: int) -> int:
    if outline:
        level = number_of(outline, _BODY_LEVEL)
        return level + 1 if level < _BODY_LEVEL else 0
    if match := _HEADING.match(name):
        return int(match[1])
    return 1 if name == "title" else inherited


def look_of(properties: Any) -> Look:
    """Return the look that the properties of a run give."""
    if properties is None:
        return NO_LOOK
    colour, size, highlight = (value(properties, name) for name in ("color", "sz", "highlight"))
    marked = _HIGHLIGHTS.get(highlight, UNKNOWN) if highlight else None
    return Look(
        hidden=None if child(properties, "vanish") is None else is_on(properties, "vanish"),
        colour=_colour(colour) if colour else None,
        size=number_of(size, 20) / 2 if size else None,
        background=marked or background_of(properties),
    )


def background_of(properties: Any) -> str | None:
    """Return the colour of the shading of a run, paragraph or cell, or None if it has none."""
    shade = child(properties, "shd")
    if shade is None:
        return None
    if attribute(shade, "val") not in _PLAIN_SHADES:
        return UNKNOWN
    return _colour(attribute(shade, "fill")) or None


def _colour(written: str) -> str:
    return "" if written.upper() == _AUTOMATIC else written.upper()
