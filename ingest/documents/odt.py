"""Converts the visible text of OpenDocument files to Markdown: headings, lists, tables and notes.

Left out: tracked deletions, hidden text, comments, headers and footers, tables of contents. Own code because
of docs/adr/0036-word-and-opendocument-by-hand.md.
"""

from collections.abc import Iterator
from typing import Any, Final

from ingest.documents.archive import Archive, number_of
from ingest.documents.blocks import BlockWriter, Cell, link, text
from ingest.documents.looks import UNKNOWN, Look
from ingest.documents.odt_styles import Styles
from ingest.documents.odt_xml import attribute, name_of
from ingest.errors import PageError
from ingest.html import to_markdown as html_to_markdown

MAX_COLUMNS: Final = 63
MAX_REPEATED: Final = 500
"""A cell with longer HTML is not repeated, whatever the file says: nested tables could grow without limit."""

_TEXT: Final = "application/vnd.oasis.opendocument.text"
_SKIPPED: Final = frozenset({
    "text:tracked-changes", "text:table-of-content", "text:illustration-index", "text:table-index",
    "text:object-index", "text:user-index", "text:alphabetical-index", "office:annotation", "office:forms",
    "text:note-citation", "text:ruby-text", "text:script", "table:shapes", "table:dde-source",
    "office:scripts", "draw:object", "draw:object-ole", "draw:image", "text:number", "office:event-listeners",
})  # fmt: skip
_SIGNS: Final = {"text:s": " ", "text:tab": " ", "text:line-break": "<br>"}
_ROW_GROUPS: Final = frozenset({"table:table-header-rows", "table:table-rows", "table:table-row-group"})
_UNSEEN: Final = frozenset({"collapse", "filter"})
_BOXES: Final = frozenset({"table:table-cell", "draw:text-box"})
_CELLS: Final = frozenset({"table:table-cell", "table:covered-table-cell"})


def to_markdown(data: bytes, url: str = "") -> str:
    """Return the document as Markdown. Raises ``PageError``."""
    archive = Archive(data)
    _check_kind(archive)
    content = archive.xml("content.xml")
    body = None if content is None else content.find("{*}body/{*}text")
    if body is None:
        raise PageError("invalid", "not an OpenDocument text: it contains no text. Save it again")
    styles = Styles(content, archive.xml("styles.xml"))
    return html_to_markdown(_Reader(styles).html(body), url)


def _check_kind(archive: Archive) -> None:
    kind = archive.read("mimetype").decode("ascii", "replace").strip()
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise PageError("unsupported", "the document needs a password: save it without one")
    if "[Content_Types].xml" in archive.names:
        raise PageError("invalid", "an Office file, whatever its name says: correct its suffix")
    if kind and not kind.startswith(_TEXT):
        raise PageError("unsupported", f"{kind[:80]}, whatever its name says: save it as PDF")


class _Reader:
    """Converts the body of one document to HTML."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._writer = BlockWriter()
        self._boxes: list[Any] = []
        self._numbers: dict[str, int] = {}

    def html(self, body: Any) -> str:
        """Return the blocks of the body as HTML."""
        self._blocks(body)
        return self._writer.html()

    def _blocks(self, parent: Any) -> None:
        for element in parent:
            self._block(element)

    def _block(self, element: Any) -> None:
        name = name_of(element)
        if name in _SKIPPED or (name == "text:section" and _is_hidden_section(element)):
            return
        if name in ("text:p", "text:h"):
            self._paragraph(element)
        elif name == "text:list":
            self._list(element, attribute(element, "text:style-name"), 0)
        elif name == "table:table":
            self._writer.table([list(self._cells(row)) for row in _rows(element)])
        elif name == "draw:frame":
            self._write_boxes([element])
        else:
            self._blocks(element)

    def _paragraph(self, paragraph: Any) -> None:
        style = self._styles.find("paragraph", attribute(paragraph, "text:style-name"))
        content = self._paragraph_text(paragraph)
        level = number_of(attribute(paragraph, "text:outline-level"), 0) or style.level
        if name_of(paragraph) == "text:h" or style.is_title:
            self._writer.heading(level or 1, content)
        else:
            self._writer.paragraph(content)
        self._write_boxes(self._taken_boxes())

    def _list(self, element: Any, style: str, depth: int) -> None:
        is_numbered = self._styles.numbers(style, depth)
        identifier = attribute(element, "xml:id") or style
        before = attribute(element, "text:continue-list") or style
        continues = attribute(element, "text:continue-numbering") == "true" or before != style
        number = self._numbers.get(f"{before} {depth}", 0) if continues else 0
        for item in element:
            if name_of(item) == "text:list-header":
                self._blocks(item)
            if name_of(item) != "text:list-item":
                continue
            number = number_of(attribute(item, "text:start-value"), number + 1)
            self._item(item, style, depth, number if is_numbered else None)
        for key in (identifier, style):
            self._numbers[f"{key} {depth}"] = number

    def _item(self, item: Any, style: str, depth: int, number: int | None) -> None:
        content = list[str]()
        for element in item:
            name = name_of(element)
            if name == "text:h":
                self._paragraph(element)
            elif name == "text:p":
                content.append(self._paragraph_text(element))
            elif name == "text:list":
                self._writer.item(depth, "<br>".join(filter(None, content)), number)
                content.clear()
                self._list(element, attribute(element, "text:style-name") or style, depth + 1)
        self._writer.item(depth, "<br>".join(filter(None, content)), number)
        self._write_boxes(self._taken_boxes())

    def _cells(self, row: Any) -> Iterator[Cell]:
        across = 0  # columns to the right that the previous cell still spans
        for element in row:
            if name_of(element) not in _CELLS:
                continue
            repeated = _columns(element, "table:number-columns-repeated")
            if name_of(element) == "table:covered-table-cell":
                yield from [Cell("", is_covered=True)] * (repeated - across)
                across = max(across - repeated, 0)
                continue
            spanned = _columns(element, "table:number-columns-spanned")
            outer, self._writer = self._writer, self._writer.inner()
            self._blocks(element)
            content, self._writer = self._writer.html(), outer
            yield Cell(content, spanned)
            again = content if len(content) <= MAX_REPEATED else ""
            yield from [Cell(again, spanned)] * (repeated - 1)
            across = spanned - 1

    def _paragraph_text(self, paragraph: Any) -> str:
        if _is_hidden_paragraph(paragraph):
            return ""
        style = self._styles.find("paragraph", attribute(paragraph, "text:style-name"))
        background = style.background or (UNKNOWN if _is_boxed(paragraph) else self._styles.paper)
        return self._inline(paragraph, style.look.over(Look(background=background)))

    def _inline(self, parent: Any, look: Look) -> str:
        parts = [text(parent.text) if look.is_seen else ""]
        for element in parent:
            parts.append(self._piece(element, look))
            parts.append(text(element.tail) if look.is_seen else "")
        return "".join(parts)

    def _piece(self, element: Any, look: Look) -> str:
        name = name_of(element)
        if name in _SIGNS:
            return _SIGNS[name] if look.is_seen else ""
        if name in _SKIPPED or _is_hidden_field(element, name):
            return ""
        if name == "text:span":
            look = self._styles.letters(attribute(element, "text:style-name"), look)
        if name == "text:a":
            return link(self._inline(element, look), attribute(element, "xlink:href"))
        if name == "text:note":
            return self._note(element) if look.is_seen else ""
        if name == "draw:frame":
            self._boxes.append(element)
            return _description(element) if look.is_seen else ""
        return self._inline(element, look)

    def _note(self, note: Any) -> str:
        paragraphs = note.iterfind("{*}note-body/{*}p")
        return self._writer.note(" ".join(self._paragraph_text(paragraph) for paragraph in paragraphs))

    def _taken_boxes(self) -> list[Any]:
        boxes, self._boxes = self._boxes, []
        return boxes

    def _write_boxes(self, frames: list[Any]) -> None:
        for frame in frames:
            for box in frame.iterfind("{*}text-box"):
                self._blocks(box)


def _rows(table: Any) -> Iterator[Any]:
    for element in table:
        name = name_of(element)
        if name in _ROW_GROUPS:
            yield from _rows(element)
        elif name == "table:table-row" and attribute(element, "table:visibility") not in _UNSEEN:
            yield element


def _columns(cell: Any, name: str) -> int:
    return min(number_of(attribute(cell, name), 1), MAX_COLUMNS)


def _description(frame: Any) -> str:
    found = next(frame.iterfind("{*}desc"), None)
    found = next(frame.iterfind("{*}title"), None) if found is None else found
    return "" if found is None else f" {text(found.text)} "


def _is_boxed(paragraph: Any) -> bool:
    """Return True within a table or box, whose background is not known."""
    return any(name_of(ancestor) in _BOXES for ancestor in paragraph.iterancestors())


def _is_hidden_section(section: Any) -> bool:
    if attribute(section, "text:display") == "condition":
        return attribute(section, "text:is-hidden") == "true"
    return attribute(section, "text:display") == "none"


def _is_hidden_paragraph(paragraph: Any) -> bool:
    return any(
        attribute(field, "text:is-hidden") == "true" for field in paragraph.iterfind("{*}hidden-paragraph")
    )


def _is_hidden_field(element: Any, name: str) -> bool:
    if name == "text:hidden-text":
        return attribute(element, "text:is-hidden") != "false"
    return attribute(element, "text:display") == "none"
