"""The styles of an OpenDocument text, as far as they decide what is a heading, a number and shown."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ingest.documents.odt_xml import attribute, name_of, number_of

TINY_POINTS: Final = 1.5
_POINTS: Final = "pt"


@dataclass(frozen=True, slots=True)
class Style:
    """``level``: the outline level that it gives, 0 for none."""

    level: int = 0
    hidden: bool = False
    is_title: bool = False


class Styles:
    """The styles of a document: those in ``roots``, its own and the common ones."""

    def __init__(self, *roots: Any) -> None:
        self._elements: dict[tuple[str, str], Any] = {}
        self._lists: dict[str, Any] = {}
        for element in _elements(roots):
            name = attribute(element, "style:name")
            if name_of(element) == "style:style":
                self._elements.setdefault((attribute(element, "style:family"), name), element)
            elif name_of(element) == "text:list-style":
                self._lists.setdefault(name, element)
        self._known: dict[tuple[str, str], Style] = {}

    def find(self, family: str, name: str) -> Style:
        """Return a style with what it inherits; that of plain text if it is not defined."""
        chain = dict[str, None]()
        while name and (family, name) not in self._known and name not in chain:
            chain[name] = None
            element = self._elements.get((family, name))
            name = "" if element is None else attribute(element, "style:parent-style-name")
        style = self._known.get((family, name), Style())
        for each in reversed(chain):
            style = self._known[family, each] = self._derived(family, each, style)
        return style

    def hides(self, name: str, hidden: bool) -> bool:
        """True if text of a style of characters is not shown; ``hidden``: the text around it is not."""
        return hidden or self.find("text", name).hidden

    def numbers(self, name: str, depth: int) -> bool:
        """True if the items of a list of this style are numbered at this depth."""
        for level in self._lists.get(name, ()):
            if number_of(attribute(level, "text:level"), 0) == depth + 1:
                return name_of(level) == "text:list-level-style-number" and bool(
                    attribute(level, "style:num-format")
                )
        return False

    def _derived(self, family: str, name: str, parent: Style) -> Style:
        element = self._elements.get((family, name))
        if element is None:
            return Style(is_title=True) if name == "Title" else parent
        outline = attribute(element, "style:default-outline-level")
        return Style(
            level=number_of(outline, 0) if outline else parent.level,
            hidden=_hides(element, parent.hidden),
            is_title=parent.is_title or name == "Title",
        )


def _elements(roots: tuple[Any, ...]) -> Iterator[Any]:
    for root in roots:
        for group in () if root is None else root:
            if name_of(group) in ("office:automatic-styles", "office:styles"):
                yield from group


def _hides(style: Any, inherited: bool) -> bool:
    for properties in style.iterfind("{*}text-properties"):
        display, size = attribute(properties, "text:display"), attribute(properties, "fo:font-size")
        if display:
            inherited = display == "none"
        if size.endswith(_POINTS) and _is_tiny(size.removesuffix(_POINTS)):
            return True
    return inherited


def _is_tiny(points: str) -> bool:
    try:
        return float(points) < TINY_POINTS
    except ValueError:
        return False
