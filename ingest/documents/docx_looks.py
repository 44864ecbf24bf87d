"""Reads from a Word document how its letters look."""

from typing import Any, Final

from ingest.documents.docx_xml import attribute, child, is_on, number_of, value
from ingest.documents.looks import NO_LOOK, UNKNOWN, Look

_PLAIN_SHADES: Final = frozenset({"", "clear", "nil"})
_AUTOMATIC: Final = "AUTO"
_HIGHLIGHTS: Final = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF",
    "red": "FF0000", "yellow": "FFFF00", "white": "FFFFFF", "darkBlue": "000080", "darkCyan": "008080",
    "darkGreen": "008000", "darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000",
    "darkGray": "808080", "lightGray": "C0C0C0", "none": "",
}  # fmt: skip


def look_of(properties: Any) -> Look:
    """Return what the properties of a run say."""
    if properties is None:
        return NO_LOOK
    colour, size, highlight = (value(properties, name) for name in ("color", "sz", "highlight"))
    marked = _HIGHLIGHTS.get(highlight, UNKNOWN) if highlight else None
    return Look(
        hidden=None if child(properties, "vanish") is None else is_on(properties, "vanish"),
        colour=_colour(colour) if colour else None,
        size=number_of(size, 20) / 2 if size else None,
        ground=marked or ground_of(properties),
    )


def ground_of(properties: Any) -> str | None:
    """Return the colour that a run, paragraph or cell is shaded with; ``None`` if it is not."""
    shade = child(properties, "shd")
    if shade is None:
        return None
    if attribute(shade, "val") not in _PLAIN_SHADES:
        return UNKNOWN
    return _colour(attribute(shade, "fill")) or None


def _colour(written: str) -> str:
    return "" if written.upper() == _AUTOMATIC else written.upper()
