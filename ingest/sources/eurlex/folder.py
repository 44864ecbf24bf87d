"""Texts of acts in a folder or a single file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ingest.errors import PageError, SourceError
from ingest.fetching.validators import Validators
from ingest.law.pages import document_name
from ingest.sources import textfiles
from ingest.sources.eurlex.names import in_file_name
from ingest.sources.eurlex.texts import Text
from ingest.sources.folders import UnreadableEntry, files_below, name_below, os_reason

SUFFIXES: Final = frozenset({".html", ".htm", ".xhtml"})


class FolderTexts:
    """The HTML files at ``path`` or in its subfolders, keyed by relative path.

    Hidden files are left out. PDF files, and files and folders without permission, are listed and fail.
    """

    def __init__(self, path: str, max_bytes: int) -> None:
        self._root = Path(path)
        self._max_bytes = max_bytes
        self._found: dict[str, Path | UnreadableEntry] = {}

    def keys(self) -> Iterator[str]:
        """Yield the keys in order. Raises ``SourceError`` if there is no text or the path cannot be read."""
        try:
            found = self._look()
        except OSError as error:
            raise SourceError(f"{self._root}: cannot be read: {os_reason(error)}") from error
        if not found:
            raise SourceError(f"{self._root}: contains no texts: add .html, .htm or .xhtml files")
        self._found = {name_below(self._root, _path(item)): item for item in sorted(found, key=_path)}
        yield from self._found

    def document(self, key: str) -> str:
        """Return the document's name as far as the file's name gives it; otherwise empty."""
        found = self._found[key]
        if isinstance(found, UnreadableEntry):
            return ""
        name = in_file_name(found.stem)
        if name.version is None or not (name.celex and name.language):
            return ""
        return document_name(name.celex, name.version, name.language)

    def read(self, key: str, _known: Validators) -> Text | None:
        """Read the text with its declared charset. Raises ``PageError``."""
        path = self._found[key]
        if isinstance(path, UnreadableEntry):
            raise PageError("invalid", path.message)
        if path.suffix.lower() not in SUFFIXES:
            raise PageError("unsupported", "not read: use the HTML or XHTML of the act")
        name = in_file_name(path.stem)
        try:
            size = path.stat().st_size
            if size > self._max_bytes:
                allowed = f"{size:,} bytes, but at most {self._max_bytes:,} are allowed"
                raise PageError("too_large", f"{allowed}: raise max_bytes of the source")
            data = path.read_bytes()
        except OSError as error:
            raise PageError("invalid", f"cannot be read: {os_reason(error)}") from error
        html = textfiles.decode(data, declared=True)
        return Text(html=html, celex=name.celex, version=name.version, language=name.language)

    def _look(self) -> list[Path | UnreadableEntry]:
        """Return the files and unreadable entries. Raises ``OSError``; ``SourceError`` if nothing exists."""
        if self._root.is_dir():
            return list(files_below(self._root, _is_wanted))
        if self._root.is_file():
            return [self._root]
        raise SourceError(f"{self._root}: no such file or folder: check the path")


def _path(found: Path | UnreadableEntry) -> Path:
    return found.path if isinstance(found, UnreadableEntry) else found


def _is_wanted(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in SUFFIXES or suffix == ".pdf"
