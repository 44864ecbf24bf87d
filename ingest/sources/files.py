"""The source ``files``: a folder of pages, a single page, or JSON Lines with one page a line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ingest import documents, languages
from ingest.documents.reader import DocumentReader
from ingest.errors import PageError, Reason, SourceError
from ingest.sources import jsonl, textfiles
from ingest.sources.folders import UnreadableEntry, files_below, name_below, os_reason
from ingest.sources.jsonl import Line
from ingest.sources.records import raw_page
from ingest.sources.textfiles import is_web_address
from ingest.types import UNDETERMINED, MediaType, PageRef, RawPage

USABLE: Final = ".html, .htm, .xhtml, .md, .markdown, .txt, .pdf, .docx, .odt or .jsonl"


_INDEXES: Final = ("index", "_index")
_MADE_INTO_PAGES: Final = ("md", "markdown")
_PAGES: Final = ("html", "htm", "xhtml", *_MADE_INTO_PAGES)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A document that exists but cannot be read."""

    reason: Reason
    message: str


_Entry = Path | Line | _Broken


class FilesSource:
    """Reads pages from ``path`` and its subfolders, without hidden files. Unreadable files are failed
    documents.

    Documents are named by their path relative to the folder, those in JSON Lines by their id, and a line
    without a valid id by ``file:line``. ``language`` is for pages without one; if empty, it is detected.
    ``max_bytes`` is per page. ``conversion_seconds`` and ``conversion_bytes``: limits of converting a
    document. ``base_url``: the web address of the folder, for pages that do not name their own.
    """

    def __init__(
        self,
        name: str,
        path: str,
        language: str | None = None,
        max_bytes: int = 10_000_000,
        *,
        conversion_seconds: float = 60.0,
        conversion_bytes: int = 2_000_000_000,
        base_url: str = "",
    ) -> None:
        self.name = name
        self._root = Path(path)
        self._language = _checked_language(language)
        self._max_bytes = max_bytes
        self._documents = DocumentReader(conversion_seconds, conversion_bytes)
        self._base_url = _checked_base(base_url)
        self._entries: dict[str, _Entry] | None = None
        self._warnings: dict[str, str] = {}
        try:
            PageRef(source=name, id="any", language=UNDETERMINED)
        except ValueError as error:
            raise SourceError(str(error)) from error

    def documents(self) -> Iterator[str]:
        """Yield every document's name. Raises ``SourceError``."""
        entries: dict[str, _Entry] = {}
        self._entries = entries
        for found in self._found():
            for document, entry in self._listed(found, entries):
                if document in entries:
                    twice = f"{document!r} is also the id of another page: rename one"
                    document, entry = f"{document} (again)", _Broken("invalid", twice)  # noqa: PLW2901
                entries[document] = entry
                yield document
        if not entries:
            raise SourceError(f"{self._root}: no pages in it: give {USABLE} files")

    def pages(self, document: str) -> Sequence[RawPage] | None:
        """Read the document's one page, or return None if it does not exist. Raises ``PageError``."""
        if self._entries is None:
            for _ in self.documents():
                pass
        entry = (self._entries or {}).get(document)
        if entry is None:
            return None
        if isinstance(entry, _Broken):
            raise PageError(entry.reason, entry.message)
        try:
            page = (
                self._line_page(entry, document)
                if isinstance(entry, Line)
                else self._file_page(entry, document)
            )
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PageError("invalid", f"cannot be read: {os_reason(error)}") from error
        return [page]

    def warnings(self) -> Sequence[str]:
        """Return the defects of documents that were read nevertheless."""
        return [f"{document}: {warning}" for document, warning in self._warnings.items()]

    def _warn(self, document: str, warning: str) -> None:
        if warning:
            self._warnings[document] = warning

    def _file_page(self, path: Path, document: str) -> RawPage:
        media_type = documents.MEDIA_TYPES.get(path.suffix.lower())
        if media_type:
            return self._document_page(path, document, media_type)
        record, warning = textfiles.read(path, document, self._max_bytes)
        self._warn(document, warning)
        return raw_page(
            record,
            source=self.name,
            document=document,
            url=self._address(document) or document,
            language=self._language,
            line_type="text/plain",  # the fields of HTML have already been extracted as text
        )

    def _document_page(self, path: Path, document: str, media_type: MediaType) -> RawPage:
        read = self._documents.read(textfiles.read_bytes(path, self._max_bytes), media_type)
        url = self._address(document)
        return read.page(self.name, document, path.stem, url=url, language=self._language)

    def _address(self, document: str) -> str:
        """Return the web address of a file as static websites have it: ``a/b.html`` for this file, ``a/`` for
        ``a/index.html``, ``a/b/`` for the page made from ``a/b.md``. Empty without ``base_url``."""
        if not self._base_url:
            return ""
        folder, slash, name = document.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        if stem.lower() in _INDEXES and suffix.lower() in _PAGES:
            name = ""
        elif suffix.lower() in _MADE_INTO_PAGES:
            name = f"{stem}/"
        return f"{self._base_url}{quote(folder + slash + name)}"

    def close(self) -> None:
        """End the process that converts documents."""
        self._documents.close()

    def _line_page(self, line: Line, document: str) -> RawPage:
        record, warning = jsonl.read(line, self._max_bytes)
        self._warn(document, warning)
        try:
            page = raw_page(
                record, source=self.name, document=document, url=document, language=self._language
            )
        except PageError as error:
            raise jsonl.at(line, error) from error
        if page.ref.id != document:
            raise PageError(
                "invalid", f"line {line.number}: the file changed while it was read: read it again"
            )
        return page

    def _listed(
        self, path: Path | UnreadableEntry, entries: dict[str, _Entry]
    ) -> Iterator[tuple[str, _Entry]]:
        if isinstance(path, UnreadableEntry):
            yield self._document(path.path), _Broken("invalid", path.message)
            return
        document = self._document(path)
        if path.suffix.lower() != ".jsonl":
            yield document, path
            return
        try:
            for line, found in jsonl.lines(path, self._max_bytes):
                if isinstance(found, PageError):
                    yield f"{document}:{line.number}", _Broken(found.reason, str(found))
                elif found in entries:
                    yield f"{document}:{line.number}", _duplicate(line, found, entries[found])
                else:
                    yield found, line
        except OSError as error:
            if path == self._root:
                raise SourceError(f"{path}: cannot be read: {os_reason(error)}") from error
            yield document, _Broken("invalid", f"cannot be read: {os_reason(error)}")

    def _document(self, path: Path) -> str:
        return name_below(self._root, path)

    def _found(self) -> Iterator[Path | UnreadableEntry]:
        try:
            if self._root.is_dir():
                yield from files_below(self._root, _is_usable)
                return
            is_file = self._root.is_file()
        except OSError as error:
            raise SourceError(f"{self._root}: cannot be read: {os_reason(error)}") from error
        if not is_file:
            raise SourceError(f"{self._root}: no such file or folder: check the path")
        if not _is_usable(self._root):
            raise SourceError(f"{self._root}: not a kind of file that is read: give {USABLE}")
        yield self._root


def _is_usable(path: Path) -> bool:
    suffix = path.suffix.lower()
    return (
        suffix == ".jsonl"
        or suffix in textfiles.CONTENT_KEYS
        or suffix in documents.MEDIA_TYPES
        or suffix in textfiles.UNSUPPORTED_SUFFIXES
    )


def _duplicate(line: Line, page_id: str, first: _Entry) -> _Broken:
    same_file = isinstance(first, Line) and first.path == line.path
    where = f"on line {first.number}" if isinstance(first, Line) and same_file else "in another file"
    return _Broken("invalid", f"line {line.number}: duplicate id {page_id!r}, first {where}")


def _checked_base(url: str) -> str:
    if url and (not is_web_address(url) or not {"?", "#"}.isdisjoint(url)):
        raise SourceError(
            f"base_url {url[:80]!r}: give the address of the folder, such as https://www.town.example"
        )
    return f"{url.rstrip('/')}/" if url else ""


def _checked_language(language: str | None) -> str | None:
    if language is None or language == UNDETERMINED:
        return language
    code = languages.normalise(language)
    if code is None:
        raise SourceError(f"language {language!r}: use an ISO 639-1 code such as 'de'")
    return code
