"""Joins blocks of one page into one text, in the order of the page, with every omission between them marked.
Pure functions."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from app.search.blocks import FoundBlock
from ingest.blocks import Kind, Span, rows

OMITTED: Final = "[…]"
LINE_END: Final = "\n"
PARAGRAPH: Final = "\n\n"

_LED: Final[tuple[Kind, ...]] = ("list", "table", "code")


class Row(NamedTuple):
    """An item of a list or a row of a table, in Markdown. ``is_shown``: False if it is in no block."""

    markdown: str
    is_shown: bool


class Rows(NamedTuple):
    """A list or table. ``header``: of a table, otherwise empty. ``span``: of the whole list or table, in
    characters of the field."""

    kind: Kind
    header: str
    rows: tuple[Row, ...]
    span: Span


class _Piece(NamedTuple):
    """A slice of the text, and the span of the paragraphs, list or table that it belongs to (``whole``)."""

    kind: Kind
    start: int
    end: int
    whole: Span


class _Segment(NamedTuple):
    """The shown part of a paragraph, list or table. ``span``: of the text shown, or of the whole list or
    table. ``is_cut``: if it is cut, and marked, at its beginning and its end."""

    kind: Kind
    markdown: str
    span: Span
    is_cut: tuple[bool, bool]


RowWriter = Callable[[Rows], str]
TextWriter = Callable[[str], str]


def joined_markdown(blocks: Sequence[FoundBlock]) -> str:
    """Return blocks of one page as one text, each slice once, in the order of the page. ``[…]`` marks all
    that is left out: between blocks, within the paragraphs that they are cut from, and within lists and
    tables."""
    if not blocks:
        return ""
    page = _field(blocks)
    return _joined(page, list(_segments(page, blocks, written_rows, str)))


def quoted_markdown(blocks: Sequence[FoundBlock], rows: RowWriter, text: TextWriter) -> str:
    """Return blocks of one section as :func:`joined_markdown` does, also with marks at both ends if the
    section has more text. ``rows``: writes a list or table; ``text``: writes a slice of other text."""
    page, around = _field(blocks), blocks[0].around
    segments = list(_segments(page, blocks, rows, text))
    first, last = segments[0], segments[-1]
    joined = _joined(page, segments)
    if not (first.is_cut[0] or is_blank(page[around[0] : first.span[0]])):
        joined = f"{_opening(first)}{joined}"
    is_marked = joined.endswith(OMITTED) and last.kind == "text"
    if is_marked or is_blank(page[last.span[1] : max(block.around[1] for block in blocks)]):
        return joined
    return f"{joined}{' ' if last.kind == 'text' else PARAGRAPH}{OMITTED}"


def _field(blocks: Sequence[FoundBlock]) -> str:
    return blocks[0].page.fields[blocks[0].passage.field]


def _joined(page: str, segments: Sequence[_Segment]) -> str:
    joined = segments[0].markdown
    for before, after in pairwise(segments):
        joined += _between(page, before, after) + after.markdown
    is_open = segments[-1].kind == "text" and joined.rstrip("*_ ").endswith(":")
    return f"{joined} {OMITTED}" if is_open else joined


def written_rows(found: Rows) -> str:
    """Return the shown rows, with marks for the others."""
    return framed(found, [row.markdown if row.is_shown else None for row in found.rows])


def framed(found: Rows, texts: Sequence[str | None]) -> str:
    """Return the texts of all rows below the header, with one mark for each run of ``None``."""
    parts = [found.header] if found.header else []
    gap = _gap(found)
    for is_given, run in groupby(texts, key=lambda text: text is not None):
        parts += (text for text in run if text is not None) if is_given else (gap,)
    return "\n".join(parts).strip("\n")


def _gap(found: Rows) -> str:
    """Return the mark for omitted rows: a row of its own, or a paragraph between numbered items, because a
    numbered mark would be counted."""
    if found.kind == "table":
        return f"| {OMITTED} |"
    first = found.rows[0].markdown
    return f"{first[:2]}{OMITTED}" if first[0] in "-*+" else f"\n{OMITTED}\n"


def _segments(
    page: str, blocks: Sequence[FoundBlock], write_rows: RowWriter, write_text: TextWriter
) -> Iterator[_Segment]:
    write = partial(_segment, page, write_rows=write_rows, write_text=write_text)
    pieces = sorted({piece for block in blocks for piece in _pieces(block)}, key=lambda piece: piece.start)
    run: list[_Piece] = []
    for piece in pieces:
        if run and not (piece.kind == run[-1].kind and piece.whole[0] < run[-1].whole[1]):
            yield write(run)
            run = []
        run.append(piece)
    yield write(run)


def _pieces(block: FoundBlock) -> Iterator[_Piece]:
    """Yield a block's slices; those before its own are a header of the same table, or text."""
    own = _part(block) if is_part(block) else block.spans[-1]
    for span, whole in zip((*block.spans[:-1], own), block.wholes, strict=True):
        yield _Piece(block.kind if whole == block.wholes[-1] else "text", *span, whole)


def is_part(block: FoundBlock) -> bool:
    """Return True if only a part of the block was asked for, such as a point of law by its number."""
    start, end = block.spans[-1]
    return len(block.passage.text) < end - start


def _part(block: FoundBlock) -> Span:
    """Return the passage's span in characters of the field."""
    field = _field([block]).encode()
    return len(field[: block.passage.start].decode()), len(field[: block.passage.end].decode())


def _segment(page: str, pieces: Sequence[_Piece], write_rows: RowWriter, write_text: TextWriter) -> _Segment:
    first, last = pieces[0], pieces[-1]
    if first.kind in ("list", "table"):
        return _Segment(first.kind, write_rows(_rows(page, pieces)), first.whole, (False, False))
    joined = page[first.start : first.end].strip("\n")
    for before, after in pairwise(pieces):
        link = " " if is_blank(page[before.end : after.start]) else f" {OMITTED} "
        joined = f"{joined.rstrip()}{link}{page[after.start : after.end].strip(LINE_END)}"
    is_cut = (first.start > first.whole[0], last.end < last.whole[1])
    closing = f" {OMITTED}" if is_cut[1] else ""
    found = _Segment(first.kind, f"{write_text(joined.rstrip())}{closing}", (first.start, last.end), is_cut)
    return found._replace(markdown=f"{_opening(found)}{found.markdown}") if is_cut[0] else found


def _opening(segment: _Segment) -> str:
    """Return the mark in front of a segment: in its first line if it is prose, otherwise a paragraph."""
    is_prose = segment.kind == "text" and not segment.markdown.startswith(">")
    return f"{OMITTED}{' ' if is_prose else PARAGRAPH}"


def _rows(page: str, pieces: Sequence[_Piece]) -> Rows:
    kind, whole = pieces[0].kind, pieces[0].whole
    text = page[slice(*whole)]
    spans = rows(text, kind)
    header = text[: spans[0][0]].strip("\n")
    found = (
        Row(text[start:end].strip("\n"), any(_holds(piece, whole[0] + start) for piece in pieces))
        for start, end in spans
    )
    return Rows(kind, header, tuple(found), whole)


def _holds(piece: _Piece, offset: int) -> bool:
    return piece.start <= offset < piece.end


def _between(page: str, before: _Segment, after: _Segment) -> str:
    """Return the text between two segments, with a mark if text is left out that neither of them marks."""
    if not is_blank(page[before.span[1] : after.span[0]]):
        is_marked = before.is_cut[1] or after.is_cut[0]
        return PARAGRAPH if is_marked else f"{PARAGRAPH}{OMITTED}{PARAGRAPH}"
    if before.kind != "text" or after.kind not in _LED:
        return PARAGRAPH
    is_numbered = after.markdown[:1].isdigit() and not after.markdown.startswith("1")
    return PARAGRAPH if is_numbered else LINE_END


def is_blank(text: str) -> bool:
    """Return True if the text is only white space and quotation marks (``>``)."""
    return not text.replace(">", "").strip()
