"""Reads the points of paths on a PDF's page."""

from collections.abc import Iterator
from ctypes import c_float
from typing import Any, Final, NamedTuple

_LINE_TO: Final = 0

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


class Segment(NamedTuple):
    """A point on the page. ``is_line``: a straight line leads to it; ``closes``: another one back to the
    start."""

    is_line: bool
    point: Point
    closes: bool


def path_points(path: Any, most: int | None = None) -> Iterator[Segment]:
    """Yield at most ``most`` points of a path, in page coordinates."""
    from pypdfium2 import raw  # noqa: PLC0415 - of the extra

    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(path, matrix)
    count = raw.FPDFPath_CountSegments(path)
    for number in range(count if most is None else min(count, most)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        x, y = _point(segment)
        point = (matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f)
        is_line = raw.FPDFPathSegment_GetType(segment) == _LINE_TO
        yield Segment(is_line, point, bool(raw.FPDFPathSegment_GetClose(segment)))


def clip_boxes(item: Any) -> Iterator[Box]:
    """Yield a box around each clipping path of an object, which is visible only within all of them."""
    from pypdfium2 import raw  # noqa: PLC0415

    clip = raw.FPDFPageObj_GetClipPath(item)
    for number in range(max(raw.FPDFClipPath_CountPaths(clip), 0) if clip else 0):
        count = raw.FPDFClipPath_CountPathSegments(clip, number)
        points = [_point(raw.FPDFClipPath_GetPathSegment(clip, number, place)) for place in range(count)]
        if points:
            across, up = zip(*points, strict=True)
            yield min(across), min(up), max(across), max(up)


def _point(segment: Any) -> Point:
    from pypdfium2 import raw  # noqa: PLC0415

    x, y = c_float(), c_float()
    raw.FPDFPathSegment_GetPoint(segment, x, y)
    return x.value, y.value
