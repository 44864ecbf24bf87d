"""Points of the paths on a PDF's page."""

from collections.abc import Iterator
from ctypes import c_float
from typing import Any, Final, NamedTuple

_LINE_TO: Final = 0

Point = tuple[float, float]


class Segment(NamedTuple):
    """A point on the page, whether a straight line leads to it, and whether one leads back to the start."""

    is_line: bool
    point: Point
    closes: bool


def path_points(path: Any, most: int | None = None) -> Iterator[Segment]:
    """Yield the points of a path, at most ``most``, where they are on the page."""
    from pypdfium2 import raw  # noqa: PLC0415 - of the extra

    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(path, matrix)
    count = raw.FPDFPath_CountSegments(path)
    for number in range(count if most is None else min(count, most)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        x, y = c_float(), c_float()
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        is_line = raw.FPDFPathSegment_GetType(segment) == _LINE_TO
        yield Segment(is_line, point, bool(raw.FPDFPathSegment_GetClose(segment)))
