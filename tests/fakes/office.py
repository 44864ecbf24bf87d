"""Writers of small Word and OpenDocument files."""

from collections.abc import Mapping
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OASIS: Final = "urn:oasis:names:tc:opendocument:xmlns"
_ODF: Final = " ".join(
    f'xmlns:{prefix}="{_OASIS}:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing",
        "fo": "xsl-fo-compatible", "svg": "svg-compatible", "manifest": "manifest",
    }.items()
)  # fmt: skip

STYLES: Final = """
  <w:style w:type="paragraph" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
  <w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
  <w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
  <w:style w:type="paragraph" w:styleId="Amt"><w:name w:val="Amt"/><w:basedOn w:val="berschrift2"/></w:style>
  <w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
  <w:style w:type="character" w:styleId="Geheim"><w:name w:val="Geheim"/><w:rPr><w:vanish/></w:rPr></w:style>
"""


def docx(
    body: str,
    *,
    styles: str = STYLES,
    background: str = "",
    numbering: str = "",
    footnotes: str = "",
    links: Mapping[str, str] | None = None,
    content_type: str = _DOCX,
    namespace: str = _W,
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return a Word document whose body is this XML; ``more``: further files in it."""
    package = f'<Relationships xmlns="{_PACKAGE}/relationships">'
    parts = {"styles": styles, "numbering": numbering, "footnotes": footnotes}
    kinds = "".join(
        f'<Relationship Id="{name}" Type="{_R}/{name}" Target="{name}.xml"/>' for name in parts if parts[name]
    )
    kinds += "".join(
        f'<Relationship Id="{key}" Type="{_R}/hyperlink" Target="{address}" TargetMode="External"/>'
        for key, address in (links or {}).items()
    )
    names = f'xmlns:w="{namespace}" xmlns:r="{_R}" xmlns:mc="urn:mc" xmlns:m="urn:m" xmlns:wp="urn:wp"'
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{content_type}"/></Types>',
        "_rels/.rels": f'{package}<Relationship Id="main" Type="{_R}/officeDocument"'
        ' Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f"{package}{kinds}</Relationships>",
        "word/document.xml": f"<w:document {names}>{background}<w:body>{body}</w:body></w:document>",
    }
    files |= {f"word/{name}.xml": f"<w:{name} {names}>{xml}</w:{name}>" for name, xml in parts.items() if xml}
    return zipped({name: text.encode() for name, text in files.items()} | dict(more or {}))


def odt(
    body: str,
    *,
    automatic: str = "",
    styles: str = "",
    manifest: str = "",
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return an OpenDocument text whose body is this XML; ``automatic`` and ``styles``: XML of its styles."""
    files = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content {_ODF}><office:automatic-styles>{automatic}"
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>",
        "styles.xml": f"<office:document-styles {_ODF}><office:styles>{styles}</office:styles>"
        "</office:document-styles>",
        "META-INF/manifest.xml": f"<manifest:manifest {_ODF}>{manifest}</manifest:manifest>",
    }
    return zipped({name: text.encode() for name, text in files.items()} | dict(more or {}))


def zipped(files: Mapping[str, bytes], *, encrypted: bool = False) -> bytes:
    """Return a zip file; the first file in it is not packed. ``encrypted``: all are marked as such."""
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(files.items()):
            archive.writestr(ZipInfo(name), data, ZIP_DEFLATED if number else ZIP_STORED)
    marked = bytearray(written.getvalue())
    place = marked.find(b"PK\x01\x02") if encrypted else -1
    while place >= 0:
        marked[place + 8] |= 1
        place = marked.find(b"PK\x01\x02", place + 1)
    return bytes(marked)


def p(*runs: str, style: str = "", number: tuple[int, int] | None = None) -> str:
    """Return a paragraph of Word; ``number``: its list and the level in it."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number:
        properties += f'<w:numPr><w:ilvl w:val="{number[1]}"/><w:numId w:val="{number[0]}"/></w:numPr>'
    text = "".join(run if run.startswith("<") else r(run) for run in runs)
    return f"<w:p><w:pPr>{properties}</w:pPr>{text}</w:p>"


def r(text: str, properties: str = "") -> str:
    """Return a run of Word."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"
