"""Reads files with one page each: HTML, and Markdown and plain text, which may have front matter.

The parser of front matter is our own because of docs/adr/0020-libraries-tried.md.
"""

import codecs
import re
from pathlib import Path
from typing import Any, Final

from ingest import languages
from ingest.charsets import codec_of
from ingest.errors import PageError
from ingest.html.metadata import metadata
from ingest.sources.records import CONTENT_TYPES, Record
from ingest.sources.utf8 import decoded
from ingest.types import MAX_URL_CHARACTERS
from ingest.website.addresses import normalised

CONTENT_KEYS: Final = {
    ".htm": "html",
    ".html": "html",
    ".xhtml": "xhtml",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
}
"""Record key of a file's text, by supported suffix."""

UNSUPPORTED_SUFFIXES: Final = frozenset(
    {".doc", ".docm", ".dotx", ".epub", ".odp", ".ods", ".ott", ".ppt", ".pptx", ".rtf", ".xls", ".xlsx"}
)
"""Suffixes of documents that people may expect to work: the files are listed, and fail with a reason."""

_REMEDIES: Final = {
    ".doc": "save it as .docx or PDF",
    ".docm": "save it as .docx, without macros",
    ".rtf": "save it as .docx or PDF",
}
_REMEDY: Final = "use HTML, Markdown, text, PDF, DOCX or ODT"
_MAGIC: Final = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"\xd0\xcf\x11\xe0",
    b"{\\rtf",
    b"\x1f\x8b",
)
_BINARY_BYTES: Final = 8192
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHARSET: Final = re.compile(
    rb"""<(?:meta\b[^>]*\bcharset|\?xml\b[^>]*\bencoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I
)
_WESTERN: Final = frozenset({"ascii", "iso8859-1"})
_HEADING: Final = re.compile(r"#{1,6}[ \t](.*)")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)[ \t]*\Z")
_RESERVED: Final = frozenset({"id", "name", "revision", *CONTENT_TYPES})
_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n(.*?\n|)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_ENTRY: Final = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)\Z")


def read(path: Path, document: str, max_bytes: int) -> tuple[Record, str]:
    """Read a file as a record, and a warning if it is damaged. Raises ``PageError`` and ``OSError``."""
    suffix = path.suffix.lower()
    if suffix in UNSUPPORTED_SUFFIXES:
        raise PageError(
            "unsupported",
            "{kind} files are not read: {remedy}",
            kind=suffix[1:].upper(),
            remedy=_REMEDIES.get(suffix, _REMEDY),
        )
    key = CONTENT_KEYS[suffix]
    text, warning = _decoded(read_bytes(path, max_bytes), declared=key in ("html", "xhtml"))
    head: dict[str, Any] = {}
    sample = text
    if key in ("markdown", "text"):
        head, text = front_matter(text)
        if key == "markdown":
            head.setdefault("title", _first_heading(text))
        sample = text
    else:
        head, sample = _html_head(text)
    # an empty file must be reported as empty, so its name alone must not make a page
    name = {"name": path.stem} if sample.strip() or head.get("title") else {}
    return {**head, **name, "id": document, key: text}, warning


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Read a file of at most ``max_bytes``. Raises ``PageError`` and ``OSError``."""
    size = path.stat().st_size
    if size > max_bytes:
        raise PageError(
            "too_large",
            "{size:,} bytes, but at most {count:,} are allowed: split the page",
            size=size,
            count=max_bytes,
        )
    return path.read_bytes()


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the ``key: value`` lines between ``---`` at the beginning, and the text after them.

    Values may be quoted; ``[a, b]`` and ``- a`` lines are lists; ``lang`` means ``language``. Left out:
    nested values, a ``url`` that is not a web address, and keys that are reserved in records.
    """
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    entries: dict[str, Any] = {}
    key = ""
    for line in match[1].splitlines():
        if entry := _ENTRY.match(line):
            key = "language" if entry[1].lower() == "lang" else entry[1].lower()
            entries[key] = _value(entry[2].strip())
        elif key and line.strip().startswith("- "):
            items = entries[key] if isinstance(entries[key], list) else []
            entries[key] = [*items, _unquoted(line.strip()[2:])]
    if not is_web_address(entries.get("url", "")):
        entries.pop("url", None)
    return {key: value for key, value in entries.items() if value and key not in _RESERVED}, text[
        match.end() :
    ]


def is_web_address(value: object) -> bool:
    """Return True for an address with a scheme and a host that links can have."""
    return (
        isinstance(value, str)
        and value.startswith(("https://", "http://"))
        and len(value) <= MAX_URL_CHARACTERS
        and normalised(value) != ""
    )


def _value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_unquoted(item) for item in text[1:-1].split(",") if item.strip()]
    return _unquoted(text)


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _first_heading(markdown: str) -> str:
    previous = ""
    for line in markdown.splitlines():
        if line.startswith(("```", "~~~")):
            return ""
        if heading := _HEADING.match(line):
            return heading[1].strip().rstrip("#").rstrip()
        if previous.strip() and _UNDERLINE.match(line):
            return previous.strip()
        previous = line
    return ""


def _html_head(text: str) -> tuple[dict[str, str], str]:
    head = metadata(text)
    found = {
        "title": head.title or head.heading,
        "description": head.description,
        "keywords": head.keywords,
        "language": languages.normalise(head.language) or "",
    }
    if is_web_address(head.canonical):
        found["url"] = head.canonical
    return found, head.sample


def decode(data: bytes, *, declared: bool) -> str:
    """Decode a file by its byte order mark, otherwise (if ``declared``) by the charset it declares, otherwise
    as UTF-8.

    Raises ``PageError``.
    """
    charset = _charset(data, declared=declared)
    try:
        return data.decode(charset)
    except UnicodeDecodeError as error:
        raise PageError(
            "invalid",
            "not {charset} at byte {place:,}: save the file as UTF-8",
            charset=charset.upper(),
            place=error.start,
        ) from error


def _decoded(data: bytes, *, declared: bool) -> tuple[str, str]:
    """Decode as :func:`decode` does, but damaged UTF-8 only causes a warning."""
    if _charset(data, declared=declared) in ("utf-8", "utf-8-sig"):
        return decoded(data)
    return decode(data, declared=declared), ""


def _charset(data: bytes, *, declared: bool) -> str:
    """Return the name of the charset. Raises ``PageError`` for binary files."""
    charset = next((name for bom, name in _BOMS if data.startswith(bom)), "")
    if not charset and (data.startswith(_MAGIC) or b"\0" in data[:_BINARY_BYTES]):
        raise PageError("unsupported", "a binary file, whatever its name says: use HTML, Markdown or text")
    return charset or (_declared(data) if declared else "utf-8")


def _declared(data: bytes) -> str:
    """Return the declared charset as browsers take it: Latin-1 as Windows-1252, unknown ones as UTF-8."""
    match = _CHARSET.search(data[:1024])
    name = codec_of(match[1].decode("ascii", "replace")) if match else ""
    if name in _WESTERN:
        return "cp1252"
    return "utf-8" if not name or name.startswith(("utf-16", "utf-32")) else name
