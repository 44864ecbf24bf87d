"""Determines which text of a PDF's page is visible.

Text is hidden if it is drawn without ink, off the page, clipped away, tiny, in the colour of its background,
or covered by something that is not white. Losing text is worse than keeping hidden text, so the colour of a
background counts only if it is certain.
"""

import ctypes
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any, Final

from ingest.documents.pdf_paths import Box, Point, clip_boxes, path_points

TINY_POINTS: Final = 1.0
FAINT_ALPHA: Final = 13
"""Alpha of at most this, of 255, is invisible: a twentieth."""

SAME_COLOUR: Final = 16
"""A difference of at most this in each of red, green and blue is invisible."""

MOST_BACKGROUNDS: Final = 5_000
"""On a page with more backgrounds, no text is left out for its colour."""

EDGE_POINTS: Final = 1.0
"""Text may extend this far beyond a background and still be on it, or into one without touching it."""

_WITHOUT_INK: Final = frozenset({3, 7})
_FILLED: Final = frozenset({0, 2, 4, 6})
_STROKED: Final = frozenset({1, 2, 5, 6})
_RECTANGLE_POINTS: Final = (4, 5)
_WHITE: Final = (255, 255, 255)
_TEXT, _PATH, _IMAGE = 1, 2, 3

Rgb = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Background:
    """Paint within a box. ``colour``: None if it is not a single one; ``is_whole``: it certainly fills the
    whole box."""

    order: int
    box: Box
    colour: Rgb | None
    is_whole: bool = False


class PageInk:
    """Determines the visibility of one page's text objects, by the paint of and around them."""

    def __init__(self, page: Any) -> None:
        self._crop: Box = page.get_bbox()
        self._order: dict[int, int] = {}
        self._backgrounds: list[_Background] = []  # in painting order, at most one more than allowed
        self._images: list[Box] = []
        self._known: dict[int, float] = {}
        for order, item in enumerate(page.get_objects(max_depth=1)):
            if item.type == _TEXT:
                self._order[ctypes.addressof(item.raw.contents)] = order
            else:
                self._note(order, item)

    def size(self, text: Any) -> float:
        """Return the scaled size in points of the letters of a text object; 0 if they are not visible."""
        key = ctypes.addressof(text.contents)
        if key not in self._known:
            size = _size(text)
            self._known[key] = size if self._is_shown(text, size, self._order.get(key)) else 0.0
        return self._known[key]

    def _note(self, order: int, item: Any) -> None:
        if item.type == _IMAGE and len(self._images) <= MOST_BACKGROUNDS:
            self._images.append(_bounds(item.raw))
        if len(self._backgrounds) > MOST_BACKGROUNDS:
            return
        background = (
            _painted(order, item.raw) if item.type == _PATH else _Background(order, _bounds(item.raw), None)
        )
        if background is not None:
            self._backgrounds.append(background)

    def _is_shown(self, text: Any, size: float, order: int | None) -> bool:
        from pypdfium2 import raw  # noqa: PLC0415 - of the extra

        box = _bounds(text)
        if not _touch(box, self._crop) or size < TINY_POINTS:
            return False
        if not all(_touch(box, clip) for clip in clip_boxes(text)):
            return False
        mode = raw.FPDFTextObj_GetTextRenderMode(text)
        if order is None:  # within a form, whose position in the painting order is not known
            return mode not in _WITHOUT_INK
        if mode in _WITHOUT_INK:
            # text recognised in a picture (OCR) lies over the picture, or under it
            return len(self._images) > MOST_BACKGROUNDS or any(_is_on(image, box) for image in self._images)
        if self._is_covered(box, order):
            return False
        return any(self._differs(colour, box, order) for colour in _inks(text, mode))

    def _is_covered(self, box: Box, order: int) -> bool:
        """Return True if something was painted over a whole text; white does not count (:func:`_painted`)."""
        if len(self._backgrounds) > MOST_BACKGROUNDS:
            return False
        later = self._backgrounds[bisect_right(self._backgrounds, order, key=lambda each: each.order) :]
        return any(each.is_whole and _holds(each.box, _core(box)) for each in later)

    def _differs(self, colour: Rgb, box: Box, order: int) -> bool:
        """Return True unless everything visible beneath a text has the text's colour."""
        if len(self._backgrounds) > MOST_BACKGROUNDS:
            return True
        core = _core(box)
        for number in reversed(range(bisect_left(self._backgrounds, order, key=lambda each: each.order))):
            background = self._backgrounds[number]
            if not _touch(background.box, core):
                continue
            if background.colour is None or _differ(colour, background.colour):
                return True
            if background.is_whole and _holds(background.box, core):
                return False
        return _differ(colour, _WHITE)


def _size(text: Any) -> float:
    from pypdfium2 import raw  # noqa: PLC0415

    size, matrix = ctypes.c_float(), raw.FS_MATRIX()
    raw.FPDFTextObj_GetFontSize(text, size)
    raw.FPDFPageObj_GetMatrix(text, matrix)
    scale: float = (matrix.c**2 + matrix.d**2) ** 0.5
    return size.value * scale


def _inks(text: Any, mode: int) -> list[Rgb]:
    """Return the colours that letters are filled and outlined with, except nearly transparent ones."""
    from pypdfium2 import raw  # noqa: PLC0415

    asked = (
        (_FILLED, raw.FPDFPageObj_GetFillColor),
        (_STROKED, raw.FPDFPageObj_GetStrokeColor),
    )
    inks = [_ink(getter, text) for modes, getter in asked if mode in modes]
    return [colour for colour, alpha in inks if alpha > FAINT_ALPHA]


def _ink(getter: Any, item: Any) -> tuple[Rgb, int]:
    """Return red, green and blue, and alpha; opaque black if unknown."""
    values = [ctypes.c_uint() for _ in range(4)]
    if not getter(item, *map(ctypes.byref, values)):
        return (0, 0, 0), 255
    *colour, alpha = (value.value for value in values)
    return tuple(colour), alpha


def _painted(order: int, path: Any) -> _Background | None:
    """Return the background that a path paints, or None if it paints nothing or nearly nothing."""
    from pypdfium2 import raw  # noqa: PLC0415

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, mode, stroke)
    colour, alpha = _ink(raw.FPDFPageObj_GetFillColor, path)
    if not mode.value or alpha <= FAINT_ALPHA:
        return None
    if colour == _WHITE:  # pdfium reports patterns and gradients as white, too
        return _Background(order, _bounds(path), None)
    rectangle = None if _is_mixed_or_clipped(path) else _rectangle(path)
    return _Background(order, rectangle or _bounds(path), colour, rectangle is not None)


def _is_mixed_or_clipped(path: Any) -> bool:
    from pypdfium2 import raw  # noqa: PLC0415

    if raw.FPDFPageObj_HasTransparency(path):
        return True
    clip = raw.FPDFPageObj_GetClipPath(path)
    return bool(clip) and raw.FPDFClipPath_CountPaths(clip) >= 0  # 0 if clipped by letters


def _rectangle(path: Any) -> Box | None:
    """Return the box of a path that is exactly one rectangle, otherwise None."""
    from pypdfium2 import raw  # noqa: PLC0415

    if raw.FPDFPath_CountSegments(path) not in _RECTANGLE_POINTS:
        return None
    segments = list(path_points(path))
    points = [(round(x, 2), round(y, 2)) for _, (x, y), _ in segments]
    corners = points[:4]
    is_drawn = all(segment.is_line for segment in segments[1:]) and points[4:] in ([], corners[:1])
    if not is_drawn or not _are_corners(corners):
        return None
    (left, bottom), (right, top) = min(corners), max(corners)
    return left, bottom, right, top


def _are_corners(points: list[Point]) -> bool:
    """Return True if each side is parallel to an axis and all four points are distinct."""
    one, two, three, four = points
    turns = (one[0] == two[0], two[1] == three[1], three[0] == four[0], four[1] == one[1])
    others = (one[1] == two[1], two[0] == three[0], three[1] == four[1], four[0] == one[0])
    return len(set(points)) == 4 and (all(turns) or all(others))


def _bounds(item: Any) -> Box:
    from pypdfium2 import raw  # noqa: PLC0415

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _is_on(outer: Box, inner: Box) -> bool:
    """Return True if the middle of ``inner`` is in ``outer``."""
    across, up = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= across <= outer[2] and outer[1] <= up <= outer[3]


def _core(box: Box) -> Box:
    """Return a box without its edges."""
    x, y = (min(EDGE_POINTS, (box[side + 2] - box[side]) / 4) for side in (0, 1))
    return box[0] + x, box[1] + y, box[2] - x, box[3] - y


def _differ(one: Rgb, other: Rgb) -> bool:
    return any(abs(a - b) > SAME_COLOUR for a, b in zip(one, other, strict=True))
