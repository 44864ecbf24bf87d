"""Converts lines to blocks: finds the list of each point, and marks text quoted from other acts."""

import re
from collections.abc import Iterable
from typing import Final, Literal

from ingest.law import legacy_captions as captions
from ingest.law import quotations
from ingest.law.blocks import Block, Role
from ingest.law.captions import unquoted
from ingest.law.formulas import is_final
from ingest.law.legacy_lines import Line
from ingest.law.marks import opening
from ingest.law.roman import roman_value

_POINT: Final = re.compile(
    r"(\((?:\d{1,3}[a-z]?\*?|[a-z]{1,2}|[ivxlc]{1,6})\)|(?:\d{1,3}|[a-z]{1,2}|[ivxlc]{1,6})\))\s*(?=\S)|[-—–]\s*(?=\w)"
)
_LAST_ROMAN: Final = 20
"""The highest Roman number of a point; single letters of a higher value (``l``, ``c``) are letters."""

_Kind = Literal["digit", "letter", "roman", "dash"]

_INTRODUCING: Final = re.compile(r"(?::|suivants?\.|inséré\.|ajoutée?s?\.)$")
_QUOTED_CAPTION: Final = re.compile(
    r"(?:(?P<article>article|artikel)|(?P<annex>annexe?|anhang)"
    r"|(?P<division>chapter|chapitre|kapitel|titre|title|titel|section|abschnitt))\b",
    re.IGNORECASE,
)


def mark_quotations(lines: list[Line]) -> None:
    """Set ``quoted`` on lines quoted from other acts."""
    found = [Block(role=_role(line), text=line.text) for line in lines]
    quotations.mark_quotations(found, _INTRODUCING)
    for line, block in zip(lines, found, strict=True):
        line.quoted = block.quotation is not None


def _role(line: Line) -> Role:
    if line.table:
        return "table"
    if opening(line.text):
        found = _QUOTED_CAPTION.match(unquoted(line.text))
        return found.lastgroup if found else "text"  # type: ignore[return-value]
    if is_final(line.text):
        return "signature"
    if captions.article(line.text):
        return "article"
    return "annex" if captions.annex(line.text) else "text"


def blocks(lines: Iterable[Line], *, headings: bool = False) -> list[Block]:
    """Return the lines as blocks, with depth and marker of list items. ``headings``: an annex's parts are
    headings."""
    lists = _Lists()
    found: list[Block] = []
    for line in lines:
        quotation = 0 if line.quoted else None
        if line.table:
            lists.end()
            found.append(Block(role="table", text=line.text, quotation=quotation, amended_by=line.marks))
            continue
        level = captions.annex_part_level(line) if headings else 0
        point = None if level else _POINT.match(line.text)
        if point is None:
            lists.end()
            role: Literal["heading", "text"] = "heading" if level else "text"
            found.append(
                Block(role=role, text=line.text, level=level, quotation=quotation, amended_by=line.marks)
            )
            continue
        depth = lists.depth(point[1] or "", quotation)
        text = line.text[point.end() :]
        lists.introduces = text.endswith((":", "—"))
        found.append(
            Block(
                role="text",
                text=text,
                depth=depth,
                marker=point[1] or "",
                quotation=quotation,
                amended_by=line.marks,
            )
        )
    return found


class _Lists:
    """The open lists, outermost first: the kind of their markers and the last value."""

    def __init__(self) -> None:
        self._open: list[tuple[_Kind, int]] = []
        self._quotation: int | None = None
        self.introduces = False

    def end(self) -> None:
        self._open = []
        self.introduces = False

    def depth(self, marker: str, quotation: int | None) -> int:
        """Return the depth of the item with this marker; open and close lists for it."""
        if quotation != self._quotation:
            self._quotation = quotation
            self.end()
        kind, value = self._read(marker.strip("()*"))
        level = next((at for at in reversed(range(len(self._open))) if self._open[at][0] == kind), None)
        if level is None:
            self._open = [*self._open, (kind, value)] if self.introduces else [(kind, value)]
        else:
            self._open[level:] = [(kind, value)]
        return len(self._open)

    def _read(self, marker: str) -> tuple[_Kind, int]:
        """Return a marker's kind and value; ``i``, ``v`` and ``x`` are letters after ``h``, ``u`` and ``w``,
        otherwise Roman."""
        if not marker:
            return "dash", 0
        if marker[0].isdigit():
            return "digit", int(re.match(r"\d+", marker)[0])  # type: ignore[index]
        last = dict(self._open)
        letter = ord(marker[0]) - ord("a") + 1
        number = roman_value(marker.upper())
        if not 0 < number <= _LAST_ROMAN or (
            len(marker) == 1 and last.get("letter") == letter - 1 and last.get("roman") != number - 1
        ):
            return "letter", letter
        if number == 1 or last.get("roman"):
            return "roman", number
        return "letter", letter
