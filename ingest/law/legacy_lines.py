"""Reads the oldest layouts of EUR-Lex as lines: finds the act's text on its page and cuts it at line breaks.

There are three layouts: a bare page with ``<TXT_TE>`` in ``#TexteOnly``, the same inside a page of the site
(``#document1``), and consolidated texts whose paragraphs have styles but no classes.
"""

import re
from dataclasses import dataclass
from typing import Final

from lxml import etree

from ingest.law import tables
from ingest.law.inline import PRIVATE, SKIPPED
from ingest.text import visible

_PLACES: Final = (".//*[@id='TexteOnly']", ".//txt_te", ".//*[@id='document1']", ".//*[@id='text']")
_SITE: Final = ".//*[@id='op-header']"
_BLOCKS: Final = frozenset({
    "address", "article", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "txt_te", "ul",
})  # fmt: skip
_MARK: Final = re.compile(r"[►▼]\s*(?:\(\d+\)\s*)?((?:[MABC]\d{0,3}\b)?)|◄")
_DELETED: Final = re.compile(r"[—–-]{3,}")
_BRACKETS: Final = re.compile(r"\( ?(\d{1,3}\*?) ?\)")
_BARE_MARKER: Final = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]")
_DASH: Final = re.compile(r"[—–-](?=\s|$)")
_RULE: Final = re.compile(r"[—–_=*. -]{3,}")
_COLUMNS: Final = re.compile(r" {2,}|\t+")


@dataclass(slots=True, kw_only=True)
class Line:
    """A paragraph, a table in Markdown, or a rule.

    ``rule``: a horizontal rule, without text. ``note``: it begins with a footnote's link back to its
    reference. ``marks``: the amendments its text comes from. ``quoted``: text quoted from another act.
    """

    text: str
    table: bool = False
    rule: bool = False
    note: bool = False
    quoted: bool = False
    marks: tuple[str, ...] = ()


def text_element(root: etree._Element) -> etree._Element | None:
    """Return the element with the act's text but without menus and the like, or None if the site has no
    text."""
    for place in _PLACES:
        if (found := root.find(place)) is not None and tables.has_text(found):
            return found
    if root.find(_SITE) is not None:
        return None
    body = root if root.tag == "body" else root.find(".//body")
    return root if body is None else body


def lines(element: etree._Element) -> list[Line]:
    """Return the visible lines under ``element``, in order. One walk, no recursion."""
    cutter = _Cutter()
    walker = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in walker:
        if event == "start" and not _enter(cutter, node):
            walker.skip_subtree()
        elif event != "start":
            if event == "end" and node.tag in _BLOCKS:
                cutter.cut()
            if node is not element:
                cutter.add(node.tail)
    cutter.cut()
    return _with_markers(cutter.lines)


def _enter(cutter: "_Cutter", node: etree._Element) -> bool:
    """Process the start of an element; return False if its contents are already processed or invisible."""
    if node.tag in SKIPPED:
        return False
    if node.tag in _BLOCKS:
        cutter.cut()
    if node.tag == "hr":
        cutter.lines.append(Line(text="", rule=True))
    if node.tag == "table" and not tables.is_layout(node, rows := tables.rows_of(node)):
        cutter.emit_table(_strip_marks(tables.markdown(rows)))
        return False
    if node.tag == "pre":
        _preformatted(cutter, "".join(node.itertext()))
        return False
    cutter.note |= node.tag == "a" and (node.get("href") or "").startswith("#src.") and cutter.at_start()
    cutter.add(node.text)
    return True


class _Cutter:
    """Collects text up to each line break, and tracks the amendment markers in it."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.note = False
        self._parts: list[str] = []
        self._mark = ""

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(PRIVATE.sub("", visible(text)))

    def at_start(self) -> bool:
        return "".join(self._parts[:3]).strip() in ("", "(")

    def cut(self) -> None:
        text = _BRACKETS.sub(r"(\1)", " ".join("".join(self._parts).split()))
        marks = {self._mark}
        if _MARK.search(text):
            text = self._unmark(text, marks)
        if text and not _RULE.fullmatch(text):
            marks -= {"", "B"}
            self.lines.append(Line(text=text, note=self.note, marks=tuple(sorted(marks))))
        self._parts = []
        self.note = False

    def emit_table(self, markdown: str) -> None:
        if markdown:
            self.lines.append(Line(text=markdown, table=True))

    def _unmark(self, text: str, marks: set[str]) -> str:
        for match in _MARK.finditer(text):
            if match[0].startswith("▼"):
                marks.discard(self._mark)
                self._mark = match[1]
            marks.add(match[1] or "")
        return _DELETED.sub("", _strip_marks(text)).strip()


def _strip_marks(text: str) -> str:
    return re.sub(r" {2,}", " ", _MARK.sub("", text)).strip()


def _with_markers(found: list[Line]) -> list[Line]:
    """Join markers on lines of their own, as from the first column of a table, with the text after them."""
    joined: list[Line] = []
    for line in found:
        before = joined[-1] if joined else None
        if before is not None and not line.rule and before.text in ("—", "–", "-"):
            joined.pop()
            line.text = line.text if _DASH.match(line.text) or line.table else f"{before.text} {line.text}"
        elif before is not None and not line.rule and _BARE_MARKER.fullmatch(before.text) and not line.table:
            joined.pop()
            line.text = f"{before.text} {line.text}"
            line.note |= before.note
        joined.append(line)
    return joined


def _preformatted(cutter: _Cutter, text: str) -> None:
    """Split text laid out with spaces: rows with the same number of columns are a table, other rows lines."""
    rows: list[list[str]] = []
    for printed in [*text.splitlines(), ""]:
        cells = [cell.replace("|", "\\|") for cell in _COLUMNS.split(printed.strip())]
        if rows and len(cells) != len(rows[0]):
            _flush_rows(cutter, rows)
            rows = []
        rows.append(cells)


def _flush_rows(cutter: _Cutter, rows: list[list[str]]) -> None:
    if len(rows) > 1 and len(rows[0]) > 1:
        drawn = ["| " + " | ".join(row) + " |" for row in rows]
        cutter.emit_table("\n".join([drawn[0], "|" + " --- |" * len(rows[0]), *drawn[1:]]))
        return
    for row in rows:
        cutter.add(" ".join(row).replace("\\|", "|"))
        cutter.cut()
