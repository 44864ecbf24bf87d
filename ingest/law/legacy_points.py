"""From lines to blocks: which line is a point of which list, and what is quoted from another act."""

import re
from collections.abc import Iterable
from typing import Final, Literal

from ingest.law.blocks import Block
from ingest.law.legacy_captions import annex_part_level
from ingest.law.legacy_lines import Line
from ingest.law.roman import roman_value

_POINT: Final = re.compile(
    r"(\((?:\d{1,3}[a-z]?\*?|[a-z]{1,2}|[ivxlc]{1,6})\)|(?:\d{1,3}|[a-z]{1,2}|[ivxlc]{1,6})\))\s*(?=\S)|[-—–]\s*(?=\w)"
)
_LAST_ROMAN: Final = 20
"""Points reach no further; single letters beyond it (``l``, ``c``) are letters."""

_Kind = Literal["digit", "letter", "roman", "dash"]

_QUOTES: Final = {"«": "»", "“": "”", "‘": "’", "„": "“", '"': '"', "'": "'`’", "`": "'`"}
_OPENING: Final = re.compile(rf"[{''.join(_QUOTES)}]")
_ENDING: Final = re.compile(r"([»”’“\"'`])\s*[.;,]?$")
_INTRODUCING: Final = re.compile(r"(?::|suivants?\.|inséré\.|ajoutée?s?\.)$")
_QUOTED_CAPTION: Final = re.compile(
    r"[«“‘„\"'`]\s*(?:article|annexe?|chapter|chapitre|titre|title|section)\b", re.IGNORECASE
)


def mark_quotations(lines: list[Line]) -> None:
    """Set ``quoted`` of the lines between an opening quotation mark and the closing one at a line's end.

    A quotation that never closes is its first line only. Linear: a mark that has no closing one is
    looked for once.
    """
    unclosed: set[str] = set()
    start = 0
    while start < len(lines):
        sign = _opens(lines, start)
        if sign and sign not in unclosed:
            end = _closing(lines, start, _QUOTES[sign])
            if end is None:
                unclosed.add(sign)
            else:
                for line in lines[start : end + 1]:
                    line.quoted = True
                start = end
        if sign:
            lines[start].quoted = True
        start += 1


def blocks(lines: Iterable[Line], *, headings: bool = False) -> list[Block]:
    """The lines with their depth in lists and their markers. ``headings``: an annex's parts are headings."""
    lists = _Lists()
    found: list[Block] = []
    for line in lines:
        quotation = 0 if line.quoted else None
        if line.table:
            lists.end()
            found.append(Block(role="table", text=line.text, quotation=quotation, amended_by=line.marks))
            continue
        level = annex_part_level(line) if headings else 0
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
        """How many lists the item with this marker stands in; opens and closes lists for it."""
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
        """``i``, ``v`` and ``x`` are letters where they follow ``h``, ``u`` and ``w``, else Roman."""
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


def _opens(lines: list[Line], index: int) -> str:
    """The quotation mark that begins a quotation of more than a term here; "" if none does."""
    line = lines[index]
    if line.table or not (found := _OPENING.match(line.text)):
        return ""
    introduced = index > 0 and _INTRODUCING.search(lines[index - 1].text) is not None
    if not introduced and not _QUOTED_CAPTION.match(line.text):
        return ""
    ends = line.text.find(_QUOTES[found[0]][0], 1)
    is_term = 0 < ends < len(line.text) - 3 and not _ENDING.search(line.text)
    return "" if is_term else found[0]


def _closing(lines: list[Line], start: int, signs: str) -> int | None:
    for index in range(start, len(lines)):
        if index > start and (sign := _opens(lines, index)) and _QUOTES[sign] == signs:
            return index - 1
        found = _ENDING.search(lines[index].text)
        if found and found[1] in signs and (index > start or len(lines[index].text) > 1):
            return index
    return None
