"""The styles of an OpenDocument text, as far as they determine headings, numbers and visibility."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from ingest.documents.archive import number_of
from ingest.documents.looks import NO_LOOK, PAPER, UNKNOWN, Look
from ingest.documents.odt_xml import attribute, name_of

_POINTS: Final = "pt"


@dataclass(frozen=True, slots=True)
class Style:
    """A style. ``level``: the outline level it gives, 0 for none. ``look``: that of its letters.
    ``background``: the shading of its paragraphs, if any."""

    level: int = 0
    look: Look = NO_LOOK
    background: str | None = None
    is_title: bool = False


class Styles:
    """The styles of a document, from ``roots``: its content and its common styles."""

    def __init__(self, *roots: Any) -> None:
        self._elements: dict[tuple[str, str], Any] = {}
        self._lists: dict[str, Any] = {}
        self._defaults: dict[str, Look] = {}
        for element in _elements(roots):
            name = attribute(element, "style:name")
            if name_of(element) == "style:default-style":
                self._defaults[attribute(element, "style:family")] = _look(element)
            elif name_of(element) == "style:style":
                self._elements.setdefault((attribute(element, "style:family"), name), element)
            elif name_of(element) == "text:list-style":
                self._lists.setdefault(name, element)
        self._known: dict[tuple[str, str], Style] = {}
        self.paper: Final = UNKNOWN if _has_coloured_pages(roots) else PAPER

    def find(self, family: str, name: str) -> Style:
        """Return a style with its inherited properties; plain text if it is not defined."""
        chain = dict[str, None]()
        while name and (family, name) not in self._known and name not in chain:
            chain[name] = None
            element = self._elements.get((family, name))
            name = "" if element is None else attribute(element, "style:parent-style-name")
        style = self._known.get((family, name), Style(look=self._defaults.get(family, NO_LOOK)))
        for each in reversed(chain):
            style = self._known[family, each] = self._derived(family, each, style)
        return style

    def letters(self, name: str, around: Look) -> Look:
        """Return the look of letters of a style within text that looks like ``around``; hidden text stays
        hidden."""
        look = self.find("text", name).look.over(around)
        return replace(look, hidden=True) if around.hidden else look

    def numbers(self, name: str, depth: int) -> bool:
        """Return True if the items of a list of this style are numbered at this depth."""
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
            look=_look(element).over(parent.look),
            background=_background(element, "paragraph") or parent.background,
            is_title=parent.is_title or name == "Title",
        )


def _elements(roots: tuple[Any, ...]) -> Iterator[Any]:
    for root in roots:
        for group in () if root is None else root:
            if name_of(group) in ("office:automatic-styles", "office:styles"):
                yield from group


def _has_coloured_pages(roots: tuple[Any, ...]) -> bool:
    """Return True if any pages have a background of their own."""
    return any(
        _colour(attribute(page, "fo:background-color"))
        or any(attribute(picture, "xlink:href") for picture in page.iterfind("{*}background-image"))
        for root in roots
        for page in (() if root is None else root.iter("{*}page-layout-properties"))
    )


def _look(style: Any) -> Look:
    look = NO_LOOK
    for properties in style.iterfind("{*}text-properties"):
        display, colour = attribute(properties, "text:display"), attribute(properties, "fo:color")
        is_automatic = attribute(properties, "style:use-window-font-color") == "true"
        look = Look(
            hidden=display == "none" if display else None,
            colour="" if is_automatic else _colour(colour),
            size=_points(attribute(properties, "fo:font-size")),
            background=_background(style, "text"),
        )
    return look


def _background(style: Any, of: str) -> str | None:
    for properties in style.iterfind(f"{{*}}{of}-properties"):
        return _colour(attribute(properties, "fo:background-color"))
    return None


def _colour(written: str) -> str | None:
    """Return the digits of a colour, or None if there is none or it is transparent."""
    return written.removeprefix("#").upper() if written.startswith("#") else None


def _points(size: str) -> float | None:
    try:
        return float(size.removesuffix(_POINTS)) if size.endswith(_POINTS) else None
    except ValueError:
        return None
