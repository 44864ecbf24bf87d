"""Zipped documents that are broken, hostile or something else: refused with what was wrong."""

import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.documents import archive
from ingest.documents.reader import DocumentReader
from ingest.errors import PageError
from ingest.sources.files import FilesSource
from ingest.types import DOCX, ODT, MediaType
from tests.fakes.office import docx, odt, p, r, zipped
from tests.fakes.pdf import pdf

GOOD = docx(p("Dog tax", style="berschrift1") + p("The first dog costs 96 euros a year."))
GOOD_ODT = odt("<text:h>Dog tax</text:h><text:p>The first dog costs 96 euros a year.</text:p>")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
BOMB = b'<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><d>&c;</d>'
OUTSIDE = b'<!DOCTYPE d [<!ENTITY f SYSTEM "file:///etc/passwd">]><d>&f;</d>'
SHEET_MIMETYPE = b"application/vnd.oasis.opendocument.spreadsheet"
MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
NESTED = "<w:smartTag>" * 240 + r("x") + "</w:smartTag>" * 240
DEEP = "<w:tbl><w:tr><w:tc>" * 100 + p("x") + "</w:tc></w:tr></w:tbl>" * 100


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader(timeout=20)
    yield made
    made.close()


def with_text(data: bytes) -> bytes:
    """A Word document whose part with the text is replaced."""
    return docx("", more={"word/document.xml": data})


def lying(size: int = 5_000_000) -> bytes:
    """A Word document whose text unpacks to more than its directory says."""
    data = bytearray(with_text(b"<d>" + bytes(size) + b"</d>"))
    directory = data.rindex(b"word/document.xml") - 46
    data[directory + 24 : directory + 28] = struct.pack("<I", 500)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "kind", "reason", "message"),
    [
        (b"", DOCX, "empty", "the file is empty"),
        (pdf([[(11, "text")]]), DOCX, "invalid", r"not a Word .*; it is a PDF: change its suffix"),
        (b"<html>", ODT, "invalid", r"not an OpenDocument text .*: correct its suffix"),
        (OLE, DOCX, "invalid", "is an old Office file: save it as .docx or PDF"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), DOCX, "unsupported", "needs a password"),
        (docx("", content_type=MACROS), DOCX, "unsupported", "has macros: save it as .docx, without them"),
        (docx("", content_type=SHEET), DOCX, "unsupported", "an Excel file, whatever its name says"),
        (GOOD_ODT, DOCX, "invalid", "change its suffix to .odt"),
        (GOOD, ODT, "invalid", "an Office file, whatever its name says"),
        (zipped({"a.txt": b"text"}), DOCX, "invalid", "a zip file, whatever its name says"),
        (zipped({"a.txt": b"text"}), ODT, "invalid", "it contains no text"),
        (odt("", more={"mimetype": SHEET_MIMETYPE}), ODT, "unsupported", "save it as PDF"),
        (odt("", manifest="<manifest:encryption-data/>"), ODT, "unsupported", "needs a password"),
        (zipped({"mimetype": b"x"}, encrypted=True), ODT, "unsupported", "needs a password"),
        (docx(""), DOCX, "empty", "the document has no text"),
        (odt(""), ODT, "empty", "the document has no text"),
        (GOOD[:-100], DOCX, "invalid", "the file is damaged"),
        (GOOD.replace(b"PK\x01\x02", b"PK\x01\x09"), DOCX, "invalid", "the file is damaged"),
        (with_text(b"<w:document"), DOCX, "invalid", r"word/document\.xml in it is damaged"),
        (with_text(b"<d/>"), DOCX, "invalid", "it contains no text"),
        (with_text(BOMB), DOCX, "invalid", "declares entities"),
        (with_text(OUTSIDE), DOCX, "invalid", "declares entities"),
        (with_text(OUTSIDE.decode().encode("utf-16")), DOCX, "invalid", "declares entities"),
        (odt("", more={"styles.xml": BOMB}), ODT, "invalid", "styles.xml in it declares entities"),
        (docx(p(NESTED)), DOCX, "invalid", "nested too deeply: save it"),
        (docx(DEEP), DOCX, "invalid", "Excessive depth"),
        (with_text(b"<d>" + b" " * 30_000_000), DOCX, "too_large", "unpacks from .* to 30,000,003"),
        (lying(), DOCX, "invalid", "damaged"),
        (zipped({str(n): b"" for n in range(20_001)}), ODT, "too_large", "it contains 20,001 packed files"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_what_to_do(
    reader: DocumentReader, data: bytes, kind: MediaType, reason: str, message: str
) -> None:
    with pytest.raises(PageError, match=message) as refused:
        reader.read(data, kind)
    assert refused.value.reason == reason
    assert "broke" not in str(refused.value)
    assert reader.read(GOOD, DOCX).title == "Dog tax"  # the next one is none the worse for it


def test_what_is_not_read_of_a_document_may_be_large(reader: DocumentReader) -> None:
    films = {"word/media/film.mp4": bytes(120_000_000), "word/vbaProject.bin": b"\0"}
    assert reader.read(docx(p("The tax is due."), more=films), DOCX).markdown == "The tax is due."


def test_parts_that_unpack_to_too_much_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000)
    opened = archive.Archive(zipped({"a.xml": b" " * 600, "b.xml": b" " * 600}))
    assert len(opened.read("a.xml")) == 600
    with pytest.raises(PageError, match=r"b\.xml in it unpacks from .* to 600 bytes") as refused:
        opened.read("b.xml")
    assert refused.value.reason == "too_large"


def test_a_file_that_unpacks_to_more_than_it_says_is_not_unpacked() -> None:
    opened = archive.Archive(lying(50_000_000))
    tracemalloc.start()
    with pytest.raises(PageError, match="damaged"):
        opened.read("word/document.xml")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_file_is_read_or_refused_and_never_breaks_the_reader(
    reader: DocumentReader, seed: int
) -> None:
    files: list[tuple[bytes, MediaType]] = [(GOOD, DOCX), (GOOD_ODT, ODT)]
    for good, kind in files:
        for place in range(seed, len(good), 29):
            damaged = bytearray(good)
            damaged[place] ^= 0xFF
            try:
                reader.read(bytes(damaged), kind)
            except PageError as error:
                assert "broke" not in str(error), f"byte {place}"


def test_documents_in_a_folder_are_pages_and_broken_ones_fail_alone(tmp_path: Path) -> None:
    (tmp_path / "fees.docx").write_bytes(GOOD)
    (tmp_path / "Fees.ODT").write_bytes(GOOD_ODT)
    (tmp_path / "broken.docx").write_bytes(GOOD[:90])
    (tmp_path / "letter.docm").write_bytes(GOOD)
    source = FilesSource("files", str(tmp_path), base_url="https://otterfurt.example/files")
    found: dict[str, str] = {}
    for document in source.documents():
        try:
            [page] = source.pages(document) or ()
            found[document] = f"{page.url} {page.fields['title'].text}"
        except PageError as error:
            found[document] = error.reason
    source.close()
    assert found == {
        "Fees.ODT": "https://otterfurt.example/files/Fees.ODT Dog tax",
        "broken.docx": "invalid",
        "fees.docx": "https://otterfurt.example/files/fees.docx Dog tax",
        "letter.docm": "unsupported",
    }
