"""The styles of a Word document, as far as they decide what is a heading and what is shown."""

import re
from dataclasses import dataclass
from typing import Any, Final

from ingest.documents.docx_xml import attribute, child, name_of, number_of, value

_OFF: Final = frozenset({"0", "false", "off"})
_HEADING: Final = re.compile(r"heading ([1-9])\Z")
_BODY_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class Style:
    """``level``: of a heading, from 1; 0 of text. ``list_id`` and ``list_level``: the list that its
    paragraphs are items of."""

    level: int = 0
    hidden: bool = False
    is_contents: bool = False
    list_id: str = ""
    list_level: str = ""


_PLAIN: Final = Style()


class Styles:
    """Styles by id, with what they inherit."""

    def __init__(self, root: Any) -> None:
        elements = () if root is None else root
        self._elements = {
            attribute(style, "styleId"): style for style in elements if name_of(style) == "style"
        }
        self._known: dict[str, Style] = {"": _PLAIN}

    def paragraph(self, identifier: str) -> Style:
        """Return a style; that of plain text if it is not defined."""
        chain = dict[str, None]()
        while identifier not in self._known and identifier not in chain:
            chain[identifier] = None
            identifier = value(self._elements.get(identifier), "basedOn")
        style = self._known.get(identifier, _PLAIN)
        for name in reversed(chain):
            style = self._known[name] = _derived(self._elements.get(name), style)
        return style

    def hides(self, properties: Any, hidden: bool) -> bool:
        """True if a run with these properties is not shown; ``hidden``: its paragraph's style hides text."""
        if child(properties, "vanish") is not None:
            return is_on(properties, "vanish")
        return hidden or self.paragraph(value(properties, "rStyle")).hidden


def is_on(properties: Any, name: str) -> bool:
    """True if a property is there and not switched off."""
    found = child(properties, name)
    return found is not None and attribute(found, "val").lower() not in _OFF


def size_of(properties: Any) -> float:
    """Return the size of letters in points, 10 if it is not given here."""
    return number_of(value(properties, "sz"), 20) / 2


def _derived(element: Any, parent: Style) -> Style:
    if element is None:
        return parent
    paragraph, run = child(element, "pPr"), child(element, "rPr")
    numbered = child(paragraph, "numPr")
    name = value(element, "name").lower()
    return Style(
        level=_level(name, value(paragraph, "outlineLvl"), parent.level),
        hidden=is_on(run, "vanish") if child(run, "vanish") is not None else parent.hidden,
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
