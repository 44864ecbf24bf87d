"""Texts of acts in a folder, or one in a file."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ingest.errors import PageError, SourceError
from ingest.fetching import Validators
from ingest.law.pages import document_name
from ingest.sources import textfiles
from ingest.sources.eurlex.names import in_file_name
from ingest.sources.eurlex.texts import Text

SUFFIXES: Final = frozenset({".html", ".htm", ".xhtml"})


class FolderTexts:
    """The HTML files at and below ``path``, by their paths relative to it.

    Hidden ones and links that lead out are left out; PDF files are listed, and cannot be read.
    """

    def __init__(self, path: str, max_bytes: int) -> None:
        self._root = Path(path)
        self._max_bytes = max_bytes
        self._paths: dict[str, Path] = {}

    def keys(self) -> Iterator[str]:
        """In order. Raises ``SourceError`` where there is no such file in it."""
        if self._root.is_file():
            paths = [self._root]
        elif self._root.is_dir():
            paths = sorted(path for path in self._root.rglob("*") if self._is_text(path))
        else:
            raise SourceError(f"{self._root}: no such file or folder: check the path")
        if not paths:
            raise SourceError(f"{self._root}: no texts in it: give .html, .htm or .xhtml files")
        self._paths = {self._key(path): path for path in paths}
        yield from self._paths

    def document(self, key: str) -> str:
        """By the file's name."""
        name = in_file_name(self._paths[key].stem)
        if name.version is None or not (name.celex and name.language):
            return ""
        return document_name(name.celex, name.version, name.language)

    def read(self, key: str, _known: Validators) -> Text | None:
        """The text, decoded as it says. Raises ``PageError``."""
        path = self._paths[key]
        if path.suffix.lower() not in SUFFIXES:
            raise PageError("unsupported", "not read: give the HTML or XHTML of the act")
        name = in_file_name(path.stem)
        try:
            size = path.stat().st_size
            if size > self._max_bytes:
                allowed = f"{size:,} bytes where {self._max_bytes:,} are allowed"
                raise PageError("too_large", f"{allowed}: give the source a higher max_bytes")
            data = path.read_bytes()
        except OSError as error:
            raise PageError("invalid", f"cannot be read: {error.strerror or error}") from error
        html = textfiles.decoded(data, declared=True)
        return Text(html=html, celex=name.celex, version=name.version, language=name.language)

    def _is_text(self, path: Path) -> bool:
        inside = path.relative_to(self._root)
        if any(part.startswith(".") for part in inside.parts) or not _is_wanted(path):
            return False
        try:
            return path.is_file() and path.resolve().is_relative_to(self._root.resolve())
        except OSError:
            return False  # a link to where we may not look

    def _key(self, path: Path) -> str:
        relative = path.name if path == self._root else path.relative_to(self._root).as_posix()
        return os.fsencode(relative).decode("utf-8", "backslashreplace")


def _is_wanted(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in SUFFIXES or suffix == ".pdf"
