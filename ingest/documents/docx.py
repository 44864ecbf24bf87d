"""Converts the visible text of Word documents to Markdown: headings, lists, numbers, tables and notes.

Left out: tracked deletions, hidden text, comments, headers and footers, tables of contents. Own code because
of docs/adr/0036-word-and-opendocument-by-hand.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Any, Final

from ingest.documents.archive import Archive, number_of
from ingest.documents.blocks import BlockWriter, Cell, link, text
from ingest.documents.docx_numbers import Numbering, Numbers
from ingest.documents.docx_styles import Styles, background_of
from ingest.documents.docx_xml import attribute, child, is_on, name_of, value
from ingest.documents.looks import PAPER, UNKNOWN, Look
from ingest.errors import PageError
from ingest.html import to_markdown as html_to_markdown

MAX_COLUMNS: Final = 63
"""Word's maximum."""

_RELATIONSHIPS: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_CONTENT_TYPES: Final = "[Content_Types].xml"
_SKIPPED: Final = frozenset({
    "del", "moveFrom", "pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sdtPr", "instrText", "delText",
    "rt", "sectPr", "object", "rubyPr", "fldChar",
})  # fmt: skip
_SIGNS: Final = {"tab": " ", "ptab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-"}


def to_markdown(data: bytes, url: str = "") -> str:
    """Return the document as Markdown. Raises ``PageError``."""
    archive = Archive(data)
    if "EncryptedPackage" in archive.names:
        raise PageError("unsupported", "the Word document needs a password: save it without one")
    _check_kind(archive)
    main = _main_part(archive)
    document = archive.xml(main)
    body = None if document is None else child(document, "body")
    if body is None:
        raise PageError("invalid", "not a Word document: it contains no text. Save it again in Word")
    return html_to_markdown(_Reader(archive, main).html(body), url)


def _check_kind(archive: Archive) -> None:
    types = archive.read(_CONTENT_TYPES).lower()
    if b"wordprocessingml.document.main" in types or b"wordprocessingml.template.main" in types:
        return
    if b"ms-word" in types and b"macroenabled" in types:
        raise PageError("unsupported", "the Word document has macros: save it as .docx, without them")
    for kind, what in ((b"spreadsheetml", "an Excel file"), (b"presentationml", "a PowerPoint file")):
        if kind in types:
            raise PageError("unsupported", f"{what}, whatever its name says: save it as PDF")
    if "mimetype" in archive.names:
        raise PageError("invalid", "an OpenDocument file, whatever its name says: change its suffix to .odt")
    if not types:
        raise PageError("invalid", "a zip file, whatever its name says: use the document itself")


def _main_part(archive: Archive) -> str:
    found = (target for kind, target in _related(archive, "").values() if kind == "officeDocument")
    return next(found, "word/document.xml")


def _related(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """Return a part's relationships: kind and target (a URL or another part) by id."""
    folder = dirname(part)
    root = archive.xml(join(folder, "_rels", f"{part.rpartition('/')[2]}.rels"))
    found: dict[str, tuple[str, str]] = {}
    for entry in () if root is None else root.iter(_RELATIONSHIPS):
        target = entry.get("Target", "")
        if entry.get("TargetMode") != "External":
            target = normpath(join("/", folder, target)).lstrip("/")
        found[entry.get("Id", "")] = entry.get("Type", "").rpartition("/")[2], target
    return found


class _Reader:
    """Converts one document to HTML."""

    def __init__(self, archive: Archive, main: str) -> None:
        self._related = _related(archive, main)
        parts = dict(self._related.values())
        self._styles = Styles(archive.xml(parts.get("styles", "")))
        self._numbers = Numbers(Numbering(archive.xml(parts.get("numbering", "")), self._styles))
        self._notes = {
            kind: _notes_of(archive.xml(parts.get(f"{kind}s", ""))) for kind in ("footnote", "endnote")
        }
        self._paper = PAPER
        self._writer = BlockWriter()
        self._carried: list[str] = []
        self._boxes: list[Any] = []

    def html(self, body: Any) -> str:
        """Return the blocks of the body as HTML."""
        if child(body.getparent(), "background") is not None:
            self._paper = UNKNOWN
        self._blocks(body)
        self._writer.paragraph("".join(self._carried))
        return self._writer.html()

    def _blocks(self, parent: Any) -> None:
        for element in parent:
            name = name_of(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name == "sdt":
                if not _is_contents(element):
                    self._blocks(child(element, "sdtContent", element))
            elif name == "AlternateContent":
                self._blocks(_chosen(element))
            elif name not in _SKIPPED:
                self._blocks(element)

    def _paragraph(self, paragraph: Any) -> None:
        properties = child(paragraph, "pPr")
        style = self._styles.paragraph(value(properties, "pStyle"))
        if style.is_contents:
            return
        self._carried.append(self._inline(paragraph, self._look(paragraph)))
        if child(child(properties, "rPr"), "del") is not None:  # a deleted paragraph mark: the next one joins
            return
        content = "".join(self._carried)
        self._carried.clear()
        numbered = self._numbers.next(properties, value(properties, "pStyle")) if _says(content) else None
        if style.level:
            label = f"{text(numbered.label)} " if numbered and numbered.label else ""
            self._writer.heading(style.level, label + content)
        elif numbered is None:
            self._writer.paragraph(content)
        elif numbered.is_plain:
            self._writer.item(numbered.level, content, numbered.number)
        else:
            self._writer.paragraph(f"{text(numbered.label)} {content}")
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self._blocks(box)

    def _look(self, paragraph: Any) -> Look:
        """Return the look of text in a paragraph, as given by the paragraph and its surroundings alone."""
        properties = child(paragraph, "pPr")
        style = value(properties, "pStyle")
        around = _around(paragraph, self._paper)
        look = self._styles.letters(style, around.table)
        background = background_of(properties) or self._styles.background(style) or around.background
        return look.over(Look(background=background))

    def _table(self, table: Any) -> None:
        self._writer.table([list(self._cells(row)) for row in _rows(table)])

    def _cells(self, row: Any) -> Iterator[Cell]:
        for cell in _within(row, "tc"):
            properties = child(cell, "tcPr")
            merged = child(properties, "vMerge")
            columns = min(number_of(value(properties, "gridSpan"), 1), MAX_COLUMNS)
            if merged is not None and attribute(merged, "val") != "restart":
                yield Cell("", columns, is_covered=True)
                continue
            outer, self._writer = self._writer, self._writer.inner()
            self._blocks(cell)
            content, self._writer = self._writer.html(), outer
            yield Cell(content, columns)

    def _inline(self, parent: Any, look: Look) -> str:
        return "".join(self._piece(element, look) for element in parent)

    def _piece(self, element: Any, look: Look) -> str:
        name = name_of(element)
        if name in _SKIPPED:
            return ""
        if name == "t":
            return text(element.text)
        if name in _SIGNS:
            return _SIGNS[name]
        if name == "r":
            return self._run(element, look)
        if name == "hyperlink":
            _, target = self._related.get(_relation_of(element), ("", ""))
            return link(self._inline(element, look), target)
        return self._other(element, name, look)

    def _other(self, element: Any, name: str, look: Look) -> str:
        if name in ("footnoteReference", "endnoteReference"):
            return self._note(name.removesuffix("Reference"), attribute(element, "id"))
        if name == "AlternateContent":
            return self._inline(_chosen(element), look)
        if name == "txbxContent":
            self._boxes.append(element)
            return ""
        if name in ("oMath", "oMathPara"):
            return text("".join(each.text or "" for each in element.iter("{*}t")))
        described = text(element.get("descr")) if name == "docPr" else ""
        return described or self._inline(element, look)

    def _run(self, run: Any, look: Look) -> str:
        properties = child(run, "rPr")
        if not self._styles.run(properties, look).is_seen:
            return ""
        content = self._inline(run, look)
        return f"<strong>{content}</strong>" if _says(content) and is_on(properties, "b") else content

    def _note(self, kind: str, identifier: str) -> str:
        found = self._notes[kind].pop(identifier, None)
        if found is None:
            return ""
        said = (self._inline(paragraph, self._look(paragraph)).strip() for paragraph in found.iter("{*}p"))
        return self._writer.note(" ".join(filter(None, said)))


def _says(content: str) -> bool:
    """Return True if there is more than blanks and line breaks."""
    return bool(content.replace(_SIGNS["br"], "").strip())


def _notes_of(root: Any) -> dict[str, Any]:
    """Return the notes by id, without the separator lines between text and notes."""
    notes = () if root is None else root
    return {attribute(note, "id"): note for note in notes if attribute(note, "type") in ("", "normal")}


def _rows(table: Any) -> Iterator[Any]:
    for row in _within(table, "tr"):
        properties = child(row, "trPr")
        if child(properties, "del") is None and not is_on(properties, "hidden"):
            yield row


def _within(parent: Any, wanted: str) -> Iterator[Any]:
    """Yield the rows of a table or the cells of a row, even inside wrappers."""
    for element in parent:
        name = name_of(element)
        if name == wanted:
            yield element
        elif name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            yield from _within(element, wanted)


def _chosen(alternatives: Any) -> Any:
    """Return the first alternative of a drawing; all have the same text."""
    return next(iter(alternatives), alternatives)


def _is_contents(block: Any) -> bool:
    gallery = child(child(child(block, "sdtPr"), "docPartObj"), "docPartGallery")
    return gallery is not None and attribute(gallery, "val") == "Table of Contents"


def _relation_of(element: Any) -> str:
    attributes: Mapping[str, str] = element.attrib
    return next((value for key, value in attributes.items() if key.endswith("/relationships}id")), "")


@dataclass(frozen=True, slots=True)
class _Around:
    """The background around a paragraph, and the style of its table, if it is in one."""

    background: str
    table: str = ""


def _around(paragraph: Any, paper: str) -> _Around:
    """Return the surroundings of a paragraph. In tables only the shading of a cell is known, because the
    background of tables and boxes comes from styles and pictures."""
    background = None
    for ancestor in paragraph.iterancestors():
        name = name_of(ancestor)
        if name == "tc":
            background = background or background_of(child(ancestor, "tcPr"))
        elif name == "tbl":
            return _Around(background or UNKNOWN, value(child(ancestor, "tblPr"), "tblStyle"))
        elif name == "txbxContent":
            return _Around(background or UNKNOWN)
    return _Around(paper)
