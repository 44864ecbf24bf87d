"""Tells which text of a PDF's page is shown: not what is drawn without ink, off the page, tiny, or in the
colour of its ground."""

import ctypes
from dataclasses import dataclass
from typing import Any, Final

TINY_POINTS: Final = 1.0
FAINT_ALPHA: Final = 13
"""Of 255: a twentieth."""

SAME_COLOUR: Final = 16
"""A smaller difference in red, green and blue is not seen."""

_WITHOUT_INK: Final = frozenset({3, 7})
_WHITE: Final = (255, 255, 255)
_TEXT, _PATH, _IMAGE = 1, 2, 3

Box = tuple[float, float, float, float]
Rgb = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Ground:
    """What was painted: ``colour`` is ``None`` where it is not one."""

    order: int
    box: Box
    colour: Rgb | None
    is_image: bool


class PageInk:
    """The text objects of one page, by what is painted with them and under them."""

    def __init__(self, page: Any) -> None:
        self._crop: Box = page.get_bbox()
        self._order: dict[int, int] = {}
        self._grounds: list[_Ground] = []
        self._known: dict[int, float] = {}
        for order, item in enumerate(page.get_objects(max_depth=1)):
            if item.type == _TEXT:
                self._order[ctypes.addressof(item.raw.contents)] = order
            else:
                self._note(order, item)

    def size(self, text: Any) -> float:
        """Return the size in points, as they are scaled, of the letters of a text object, which pdfium gives
        for each of them; 0 if they are not seen."""
        key = ctypes.addressof(text.contents)
        if key not in self._known:
            size = _size(text)
            self._known[key] = size if self._is_shown(text, size, self._order.get(key)) else 0.0
        return self._known[key]

    def _note(self, order: int, item: Any) -> None:
        colour = None
        if item.type == _PATH:
            painted = _fill_of_path(item.raw)
            if painted is None:
                return
            colour = painted
        self._grounds.append(_Ground(order, _bounds(item.raw), colour, item.type == _IMAGE))

    def _is_shown(self, text: Any, size: float, order: int | None) -> bool:
        from pypdfium2 import raw  # noqa: PLC0415 - of the extra

        box = _bounds(text)
        if not _touch(box, self._crop) or size < TINY_POINTS:
            return False
        if order is None:  # within a form, whose place is not known
            return raw.FPDFTextObj_GetTextRenderMode(text) not in _WITHOUT_INK
        under = [ground for ground in self._grounds if ground.order < order and _holds(ground.box, box)]
        if raw.FPDFTextObj_GetTextRenderMode(text) in _WITHOUT_INK:
            # the text that was recognised in a picture lies over it, or under it
            return any(ground.is_image and _holds(ground.box, box) for ground in self._grounds)
        *colour, alpha = _fill(text)
        ground = under[-1].colour if under else _WHITE
        return alpha > FAINT_ALPHA and (ground is None or _differ(tuple(colour), ground))


def _size(text: Any) -> float:
    from pypdfium2 import raw  # noqa: PLC0415

    size, matrix = ctypes.c_float(), raw.FS_MATRIX()
    raw.FPDFTextObj_GetFontSize(text, size)
    raw.FPDFPageObj_GetMatrix(text, matrix)
    scale: float = (matrix.c**2 + matrix.d**2) ** 0.5
    return size.value * scale


def _fill(item: Any) -> tuple[int, ...]:
    """Return red, green, blue and alpha; opaque black if they are not known."""
    from pypdfium2 import raw  # noqa: PLC0415

    values = [ctypes.c_uint() for _ in range(4)]
    if not raw.FPDFPageObj_GetFillColor(item, *map(ctypes.byref, values)):
        return 0, 0, 0, 255
    return tuple(value.value for value in values)


def _fill_of_path(path: Any) -> Rgb | None:
    """Return the colour that a path is filled with; ``None`` if it is not, or as good as not."""
    from pypdfium2 import raw  # noqa: PLC0415

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, mode, stroke)
    *colour, alpha = _fill(path)
    return tuple(colour) if mode.value and alpha > FAINT_ALPHA else None


def _bounds(item: Any) -> Box:
    from pypdfium2 import raw  # noqa: PLC0415

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _holds(outer: Box, inner: Box) -> bool:
    """True if the middle of ``inner`` is in ``outer``."""
    across, up = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= across <= outer[2] and outer[1] <= up <= outer[3]


def _differ(one: Rgb, other: Rgb) -> bool:
    return any(abs(a - b) > SAME_COLOUR for a, b in zip(one, other, strict=True))
