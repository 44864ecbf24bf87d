"""Converts the text layer of a PDF to Markdown with pdfium; runs in the converter's child process.

Lines in letters larger than those of most of the text are headings, and so are separate bold lines. Lines
that follow each other closely are joined into paragraphs.
"""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ingest.documents import PAGE_MARK
from ingest.documents.pdf_tables import Cell, Grid, grids
from ingest.documents.pdf_visibility import PageInk
from ingest.errors import PageError

MAX_PAGES: Final = 2_000
MAX_HEADING_CHARACTERS: Final = 200
HEADING_SCALE: Final = 1.15
"""The least size of a heading, as a multiple of the size of most of the text."""

BOLD: Final = 600
LEAST_CHARACTERS_A_PAGE: Final = 10
"""A file with fewer characters a page on average is a scan; the little text it has was stamped on it."""

EDGE_LINES: Final = 2
RUNNING_PAGES: Final = 3
"""The first and last ``EDGE_LINES`` lines of a page are left out if they recur on at least ``RUNNING_PAGES``
pages."""

LEAST_ENTRIES: Final = 8
"""At least this many lines, most of them ending with a number, are a table of contents."""

_DIGITS: Final = re.compile(r"\d+|\b[ivxl]+\b")
_ENTRY: Final = re.compile(r"[\w)?!.]\s+(?:\d{1,4}|[ivxl]{1,6})$")
_ENCRYPTED: Final = 4
_TAG_LIKE: Final = re.compile(r"<(?=[A-Za-z/!?])")
_MARK_LIKE: Final = re.compile(r"^(?=#{1,6}\s)")
_BULLET: Final = re.compile(r"^[•‣▪●◦–]\s+")
_HYPHENS: Final = ("\u00ad", "\u0002", "\ufffe")


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line, or a table in Markdown. ``size``: of its letters, in points; ``top``, ``bottom``:
    measured from the bottom of the page."""

    text: str
    size: float
    bold: bool
    top: float
    bottom: float
    is_table: bool = False


class _Letter(NamedTuple):
    """A letter with its index in the page's text, its size in points and the grid around it."""

    place: int
    letter: str
    size: float
    grid: Grid | None


def to_markdown(data: bytes) -> str:
    """Return all pages as Markdown, with page marks between them. Raises ``PageError``."""
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - of the extra

    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        if getattr(error, "err_code", None) == _ENCRYPTED or "password" in str(error).lower():
            raise PageError("unsupported", "the PDF needs a password: save it without one") from error
        raise PageError("invalid", "the PDF is damaged: open it and save or print it as PDF again") from error
    with document:
        count = len(document)
        if count > MAX_PAGES:
            raise PageError(
                "too_large", f"{count:,} pages, but at most {MAX_PAGES:,} are allowed: split the PDF"
            )
        pages = [_lines(document, number) for number in range(count)]
    _check_text(pages, LEAST_CHARACTERS_A_PAGE * count)
    pages = _without_running_lines(pages)
    _check_text(pages, 1)
    body = _body_size(pages)
    sizes = _heading_sizes(pages, body)
    return PAGE_MARK.join("\n\n".join(_blocks(page, body, sizes)) for page in pages) + (
        "" if count > 1 else PAGE_MARK
    )


def _check_text(pages: Sequence[Sequence[Line]], least: int) -> None:
    if sum(len(line.text) for page in pages for line in page) < max(least, 1):
        raise PageError(
            "unsupported",
            "the PDF has only pictures of pages, without text: recognise the text first, for example with "
            "ocrmypdf",
        )


def _lines(document: Any, number: int) -> list[Line]:
    from pypdfium2 import PdfiumError  # noqa: PLC0415

    try:
        page = document[number]
        text = page.get_textpage()
    except PdfiumError:
        return []  # keep the readable pages of a damaged file
    try:
        return list(_read(text, PageInk(page), grids(page)))
    finally:
        text.close()
        page.close()


def _read(page: Any, ink: PageInk, tables: Sequence[Grid]) -> Iterator[Line]:
    """Yield the lines of visible text, and each table at its first letter."""
    letters = list(_letters(page, ink, tables))
    written = {id(grid): False for grid in tables if grid.is_table}
    line = list[_Letter]()
    for letter in letters:
        key = id(letter.grid)
        if key in written:
            yield from _line(page, line)
            line = []
            if not written[key]:
                written[key] = True
                yield _table(letter)
        elif letter.letter in "\r\n":
            yield from _line(page, line)
            line = []
        else:
            line.append(letter)
    yield from _line(page, line)


def _letters(page: Any, ink: PageInk, tables: Sequence[Grid]) -> Iterator[_Letter]:
    """Yield visible letters, and add those in tables to their cells."""
    from pypdfium2 import raw  # noqa: PLC0415

    size, grid, cell = 0.0, None, None
    x, y = ctypes.c_double(), ctypes.c_double()
    for place in range(page.count_chars()):
        letter = chr(raw.FPDFText_GetUnicode(page, place))
        text = raw.FPDFText_GetTextObject(page, place)  # null for characters that pdfium inserts itself
        size = ink.size(text) if text else size
        if not size and letter not in "\r\n":
            continue
        if text and tables and not letter.isspace():
            raw.FPDFText_GetCharOrigin(page, place, x, y)
            grid, cell = _cell_at(tables, x.value, y.value)
        if grid is not None and cell is not None:
            grid.letters.setdefault(cell, []).append(letter)
        yield _Letter(place, letter, size, grid)


def _cell_at(tables: Sequence[Grid], x: float, y: float) -> tuple[Grid | None, Cell | None]:
    found = ((grid, grid.cell_at(x, y)) for grid in tables)
    return next(((grid, cell) for grid, cell in found if cell is not None), (None, None))


def _table(first: _Letter) -> Line:
    if first.grid is None:
        raise ValueError("a letter of no table")
    markdown = first.grid.markdown()
    return Line(markdown, first.size, False, first.grid.ys[-1], first.grid.ys[0], is_table=True)


def _line(page: Any, letters: Sequence[_Letter]) -> Iterator[Line]:
    from pypdfium2 import raw  # noqa: PLC0415

    shown = [each for each in letters if not each.letter.isspace()]
    if not shown:
        return
    text = "".join(each.letter for each in letters)
    if text.endswith(_HYPHENS):
        text = text[:-1] + "\u00ad"
    for hyphen in _HYPHENS[1:]:
        text = text.replace(hyphen, "")
    sampled = shown[:: max(1, len(shown) // 8)]
    size = Counter(round(each.size * 2) / 2 for each in sampled)
    bold = sum(raw.FPDFText_GetFontWeight(page, each.place) >= BOLD for each in sampled)
    box = [ctypes.c_double() for _ in range(4)]
    raw.FPDFText_GetCharBox(page, shown[0].place, *map(ctypes.byref, box))
    words = " ".join(text.split())
    yield Line(words, size.most_common(1)[0][0], bold == len(sampled), box[3].value, box[2].value)


def _without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Leave out lines that recur at the top or bottom of pages, regardless of numbers in them."""
    found = Counter(key for page in pages for key in {_DIGITS.sub("#", line.text) for line in _edges(page)})
    running = {key for key, count in found.items() if count >= RUNNING_PAGES}
    if not running:
        return [list(page) for page in pages]
    kept = [list(page) for page in pages[:1]]  # on the first page such a line is the title
    for page in pages[1:]:
        dropped = {id(line) for line in _edges(page) if _DIGITS.sub("#", line.text) in running}
        kept.append([line for line in page if id(line) not in dropped])
    return kept


def _edges(page: Sequence[Line]) -> list[Line]:
    lines = sorted(page, key=lambda line: line.bottom)
    edges = [*lines[:EDGE_LINES], *lines[EDGE_LINES:][-EDGE_LINES:]]
    return [line for line in edges if not line.is_table]


def _body_size(pages: Sequence[Sequence[Line]]) -> float:
    sizes = Counter[float]()
    for page in pages:
        for line in page:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0]


def _heading_sizes(pages: Sequence[Sequence[Line]], body: float) -> list[float]:
    """Return the sizes of headings, the largest first."""
    sizes = {line.size for page in pages for line in page if line.size >= body * HEADING_SCALE}
    return sorted(sizes, reverse=True)


def _level(line: Line, body: float, sizes: Sequence[float]) -> int:
    """Return the level of a line that is a heading; 0 for text."""
    is_text = len(line.text) > MAX_HEADING_CHARACTERS or sum(map(str.isalpha, line.text)) < 3
    if is_text or line.size < body:
        return 0
    if line.size in sizes:
        return min(sizes.index(line.size) + 1, 4)
    return min(len(sizes) + 1, 5) if line.bold and not line.text.endswith((".", ",", ";")) else 0


def _is_contents(lines: Sequence[Line]) -> bool:
    """Return True if most lines end with a page number. Such entries are not headings here, but elsewhere."""
    entries = sum(_ENTRY.search(line.text) is not None for line in lines)
    return len(lines) >= LEAST_ENTRIES and entries > len(lines) / 2


def _blocks(lines: Sequence[Line], body: float, sizes: Sequence[float]) -> Iterator[str]:
    block, before = "", None
    level = 0
    is_contents = _is_contents(lines)
    for line in lines:
        if line.is_table:
            if block:
                yield _written(block, level)
            yield _TAG_LIKE.sub(r"\\<", line.text)
            block, before = "", None
            continue
        is_entry = is_contents and _ENTRY.search(line.text)
        new_level = 0 if is_entry else _level(line, body, sizes)
        text = _BULLET.sub("- ", line.text)
        continues = before is not None and new_level == level and not text.startswith("- ")
        if continues and before is not None and _is_near(before, line):
            block = block[:-1] + text if block.endswith("\u00ad") else f"{block} {text}"
        else:
            if block:
                yield _written(block, level)
            block, level = text, new_level
        before = line
    if block:
        yield _written(block, level)


def _is_near(before: Line, line: Line) -> bool:
    return 0 <= before.bottom - line.top < 0.9 * max(line.size, 1) or abs(before.bottom - line.bottom) < 2


def _written(block: str, level: int) -> str:
    text = _TAG_LIKE.sub(r"\\<", block.rstrip("\u00ad"))
    return f"{'#' * level} {text}" if level else _MARK_LIKE.sub(r"\\", text)
