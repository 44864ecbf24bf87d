"""Checks a file's format by its first bytes, and explains why it cannot be read as its name says."""

from typing import Final

from ingest.errors import PageError
from ingest.types import DOCX, ODT, PDF, MediaType

ZIP: Final = b"PK\x03\x04"

_NAMES: Final[dict[MediaType, str]] = {
    PDF: "a PDF",
    DOCX: "a Word document (.docx)",
    ODT: "an OpenDocument text (.odt)",
}
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE: Final = "EncryptedPackage".encode("utf-16-le")
_OTHERS: Final = (
    (b"%PDF-", "a PDF: change its suffix to .pdf"),
    (b"{\\rtf", "RTF: save it as .docx, .odt or PDF"),
    (ZIP, "a zip file or another kind of document: correct its suffix"),
    (_OLE, "an old Office file: save it as .docx or PDF"),
)


def check_format(data: bytes, media_type: MediaType) -> None:
    """Raise ``PageError`` if the bytes are not a file of this media type."""
    if not data:
        raise PageError("empty", "the file is empty: save it again")
    if media_type == PDF and b"%PDF-" in data[:1024]:
        return
    if media_type in (DOCX, ODT) and data.startswith(ZIP):
        return
    if media_type == DOCX and data.startswith(_OLE) and _ENCRYPTED_PACKAGE in data:
        raise PageError("unsupported", "the Word document needs a password: save it without one")
    found = next((what for start, what in _OTHERS if data.startswith(start)), "")
    remedy = f"; it is {found}" if found else ": correct its suffix"
    raise PageError("invalid", f"not {_NAMES[media_type]}, whatever its name says{remedy}")
