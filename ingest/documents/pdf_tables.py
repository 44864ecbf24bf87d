"""Finds tables on a PDF's page: grids of crossing lines, and the letters between them."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_float, c_int
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from ingest.documents.pdf_paths import Point, path_points

THIN: Final = 2.5
"""Points: a filled box of at most this width is a line."""

SHORTEST: Final = 5.0
NEAR: Final = 2.0
"""Points: lines at most this far apart count as one."""

JOINT: Final = 0.1
"""Points: collinear lines with at most this gap between them are one."""

MOST_LINES: Final = 5_000
MOST_JOINED: Final = 1_500
MOST_COLUMNS: Final = 60
MOST_ROWS: Final = 500

_HYPHEN: Final = re.compile("[\u00ad\u0002\ufffe]\\s*")
_PATH: Final = 2

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A line from ``start`` to ``end`` along one axis, ``at`` a position on the other."""

    at: float
    start: float
    end: float

    def spans(self, place: float) -> bool:
        return self.start - NEAR <= place <= self.end + NEAR


@dataclass(slots=True, eq=False)
class Grid:
    """A table. ``xs``, ``ys``: the borders of its columns and rows; rows count from the bottom."""

    xs: list[float]
    ys: list[float]
    across: list[_Stroke]
    upright: list[_Stroke]
    letters: dict[Cell, list[str]] = field(default_factory=dict)
    _merged: dict[Cell, Cell] = field(default_factory=dict)

    @property
    def is_table(self) -> bool:
        """True if several rows and several columns have text."""
        used = [cell for cell, letters in self.letters.items() if "".join(letters).strip()]
        return len({row for row, _ in used}) > 1 and len({column for _, column in used}) > 1

    def cell_at(self, x: float, y: float) -> Cell | None:
        """Return the row and column at a point, or None outside; for merged cells those of the first one."""
        column, row = bisect_right(self.xs, x) - 1, bisect_right(self.ys, y) - 1
        if not (0 <= column < len(self.xs) - 1 and 0 <= row < len(self.ys) - 1):
            return None
        if (row, column) not in self._merged:
            self._merged[row, column] = self._first_of(row, column)
        return self._merged[row, column]

    def _first_of(self, row: int, column: int) -> Cell:
        while column and not _is_divided(self.upright, self.xs[column], _middle(self.ys, row)):
            column -= 1
        place = _middle(self.xs, column)
        while row < len(self.ys) - 2 and not _is_divided(self.across, self.ys[row + 1], place):
            row += 1
        return row, column

    def markdown(self) -> str:
        """Return the table, its first row as header, without rows and columns that have no text."""
        texts = {cell: _written(letters) for cell, letters in self.letters.items()}
        texts = {cell: text for cell, text in texts.items() if text}
        rows = sorted({row for row, _ in texts}, reverse=True)
        columns = sorted({column for _, column in texts})
        lines = [f"| {' | '.join(texts.get((row, column), '') for column in columns)} |" for row in rows]
        return "\n".join([lines[0], f"|{' --- |' * len(columns)}", *lines[1:]])


def _written(letters: Sequence[str]) -> str:
    text = " ".join(_HYPHEN.sub("", "".join(letters)).split())
    return text.replace("|", "\\|")


def grids(page: Any) -> list[Grid]:
    """Return the grids formed by lines on the page."""
    across, upright = list[_Stroke](), list[_Stroke]()
    for (x, y), (other_x, other_y) in _segments(page):
        if abs(y - other_y) <= THIN and abs(x - other_x) >= SHORTEST:
            across.append(_Stroke((y + other_y) / 2, min(x, other_x), max(x, other_x)))
        elif abs(x - other_x) <= THIN and abs(y - other_y) >= SHORTEST:
            upright.append(_Stroke((x + other_x) / 2, min(y, other_y), max(y, other_y)))
        if len(across) + len(upright) > MOST_LINES:
            return []  # so many lines are a drawing
    across, upright = _joined(across), _joined(upright)
    if len(across) + len(upright) > MOST_JOINED:
        return []
    found = (_grid(*group) for group in _crossing(across, upright))
    return [grid for grid in found if grid is not None]


def _joined(strokes: Iterable[_Stroke]) -> list[_Stroke]:
    """Return the lines, with overlapping and adjoining ones merged."""
    whole = list[_Stroke]()
    for stroke in sorted(strokes, key=lambda stroke: (round(stroke.at, 1), stroke.start)):
        last = whole[-1] if whole else None
        if last is None or round(last.at, 1) != round(stroke.at, 1) or stroke.start > last.end + JOINT:
            whole.append(stroke)
        else:
            whole[-1] = _Stroke(last.at, last.start, max(last.end, stroke.end))
    return whole


def _grid(across: list[_Stroke], upright: list[_Stroke]) -> Grid | None:
    xs, ys = _places(upright, across), _places(across, upright)
    is_grid = 3 <= len(xs) <= MOST_COLUMNS + 1 and 3 <= len(ys) <= MOST_ROWS + 1
    return Grid(xs, ys, across, upright) if is_grid else None


def _places(strokes: Sequence[_Stroke], others: Sequence[_Stroke]) -> list[float]:
    """Return the positions of the lines and of the outer ends of ``others``: tables may have open sides."""
    ends = [end for stroke in others for end in (stroke.start, stroke.end)]
    places = list[float]()
    for at in sorted([*(stroke.at for stroke in strokes), *(ends and (min(ends), max(ends)))]):
        if not places or at - places[-1] > NEAR:
            places.append(at)
    return places


def _crossing(
    across: Sequence[_Stroke], upright: Sequence[_Stroke]
) -> Iterator[tuple[list[_Stroke], list[_Stroke]]]:
    """Yield groups of lines that touch, directly or through other lines."""
    left = set(range(len(upright)))
    unseen = set(range(len(across)))
    while unseen:
        pending, rows, columns = [unseen.pop()], list[_Stroke](), list[_Stroke]()
        while pending:
            row = across[pending.pop()]
            rows.append(row)
            met = {number for number in left if _touch(row, upright[number])}
            left -= met
            columns += [upright[number] for number in met]
            reached = {n for n in unseen if any(_touch(across[n], upright[number]) for number in met)}
            unseen -= reached
            pending += reached
        yield rows, columns


def _touch(row: _Stroke, column: _Stroke) -> bool:
    return row.spans(column.at) and column.spans(row.at)


def _is_divided(strokes: Iterable[_Stroke], at: float, place: float) -> bool:
    return any(abs(stroke.at - at) <= NEAR and stroke.spans(place) for stroke in strokes)


def _middle(places: Sequence[float], number: int) -> float:
    return (places[number] + places[number + 1]) / 2


def _segments(page: Any) -> Iterator[tuple[Point, Point]]:
    """Yield the straight lines on the page, including thin boxes."""
    from pypdfium2 import raw  # noqa: PLC0415 - of the extra

    for item in page.get_objects(filter=[_PATH], max_depth=1):
        mode, stroked = c_int(), c_int()
        raw.FPDFPath_GetDrawMode(item.raw, mode, stroked)
        left, bottom, right, top = (c_float() for _ in range(4))
        raw.FPDFPageObj_GetBounds(item.raw, left, bottom, right, top)
        if min(right.value - left.value, top.value - bottom.value) <= THIN:
            yield (left.value, bottom.value), (right.value, top.value)
        elif stroked.value:
            yield from _drawn(item.raw)


def _drawn(path: Any) -> Iterator[tuple[Point, Point]]:
    run = list[Point]()
    for is_line, point, closes in path_points(path, MOST_LINES):
        if not is_line:
            yield from pairwise(run)
            run = []
        run.append(point)
        if closes:
            run.append(run[0])
    yield from pairwise(run)
