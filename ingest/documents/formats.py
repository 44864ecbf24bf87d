"""Checks a file's format by its first bytes, and explains why it cannot be read as its name says."""

from typing import Final

from ingest.errors import PageError
from ingest.types import DOCX, ODT, PDF, MediaType

ZIP: Final = b"PK\x03\x04"

_NAMES: Final[dict[MediaType, str]] = {
    PDF: "PDF",
    DOCX: "Word document (.docx)",
    ODT: "OpenDocument text (.odt)",
}
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE: Final = "EncryptedPackage".encode("utf-16-le")
_OTHERS: Final = (
    (b"%PDF-", "a PDF: give it the suffix .pdf"),
    (b"{\\rtf", "RTF: save it as .docx, .odt or PDF"),
    (ZIP, "a zip file or a document of another kind: give it the suffix of what it is"),
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
    remedy = found or "give it the suffix of what it is"
    joint = "is " if found else ""
    raise PageError("invalid", f"no {_NAMES[media_type]}, whatever its name says: {joint}{remedy}")
