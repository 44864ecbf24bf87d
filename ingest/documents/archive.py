"""Reads the XML in a zipped document; files that would unpack to too much are refused before unpacking."""

import zlib
from io import BytesIO
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lxml import etree

from ingest.errors import PageError

MAX_ENTRIES: Final = 20_000
MAX_BYTES: Final = 100_000_000
"""The most XML to read from one document, unpacked."""

MAX_RATIO: Final = 250
"""Text written by people shrinks to a fifth or a tenth, repetitive tables to a hundredth."""

MIN_RATIO_BYTES: Final = 1_000_000
"""The ratio of smaller files is meaningless."""

_SAVE_AGAIN: Final = "open it in the program that made it and save it again"
_ENCRYPTED: Final = 0x1
_UNREADABLE: Final = (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


class Archive:
    """A zipped document. Every method raises ``PageError``."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = ZipFile(BytesIO(data))
        except _UNREADABLE as error:
            raise _damaged() from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise PageError(
                "too_large", f"it contains {len(entries):,} packed files, too many: save it again"
            )
        self._entries = {entry.filename: entry for entry in entries}
        self._left = MAX_BYTES

    @property
    def names(self) -> frozenset[str]:
        """The names of the files in the archive."""
        return frozenset(self._entries)

    def read(self, name: str) -> bytes:
        """Unpack a file; empty if there is none with this name."""
        entry = self._entries.get(name)
        if entry is None:
            return b""
        self._check(entry)
        try:
            with self._zip.open(entry) as packed:  # unpacks only as much as is read
                return packed.read(entry.file_size)
        except _UNREADABLE as error:
            raise _damaged() from error

    def xml(self, name: str) -> Any:
        """Parse a file, or return None if there is none with this name. No entities or URLs are resolved."""
        data = self.read(name)
        if not data:
            return None
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            why = str(error).partition(", line")[0][:100]
            raise PageError("invalid", f"{name[:80]} in it is damaged ({why}): {_SAVE_AGAIN}") from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise PageError(
                "invalid", f"{name[:80]} in it declares entities, which no program writes: {_SAVE_AGAIN}"
            )
        return root

    def _check(self, entry: ZipInfo) -> None:
        if entry.flag_bits & _ENCRYPTED:
            raise PageError("unsupported", "the file needs a password: save it without one")
        if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise _damaged()
        self._left -= entry.file_size
        ratio = entry.file_size / max(entry.compress_size, 1)
        if self._left < 0 or (entry.file_size > MIN_RATIO_BYTES and ratio > MAX_RATIO):
            sizes = f"from {entry.compress_size:,} to {entry.file_size:,} bytes"
            raise PageError("too_large", f"{entry.filename[:80]} in it unpacks {sizes}: split the document")


def _damaged() -> PageError:
    return PageError("invalid", f"the file is damaged: {_SAVE_AGAIN}")


def number_of(written: str, default: int) -> int:
    """Return the whole number in an attribute; ``default`` if it is not one or has more than 6 digits."""
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 6 else default
