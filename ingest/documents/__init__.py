"""Documents that are no web pages: bytes of a file into Markdown, whose pages are divided by form feeds."""

from collections.abc import Mapping
from typing import Final

from ingest.packages import missing
from ingest.types import DOCX, ODT, PAGED_MARKDOWN, PDF, MediaType

EXTRA: Final = "documents"
PACKAGES: Final[Mapping[MediaType, tuple[str, ...]]] = {PDF: ("pypdfium2",), DOCX: (), ODT: ()}
"""Media type -> the packages of the extra without which it is not read."""

MEDIA_TYPES: Final[Mapping[str, MediaType]] = {".pdf": PDF, ".docx": DOCX, ".odt": ODT}
"""Suffix -> media type of the files that are read."""

PAGE_MARK: Final = "\f"
"""Divides the pages in a converter's Markdown; nothing else has it, as it is not visible."""

PAGE_STARTS: Final = "page_starts"
"""The key in a page's metadata of the byte offsets at which its file's pages start, with blanks between."""

FILE_TYPES: Final = frozenset(MEDIA_TYPES.values())
"""The media types of files: their fields are in base64."""

DOCUMENT_TYPES: Final = FILE_TYPES | {PAGED_MARKDOWN}


def readable() -> dict[str, MediaType]:
    """Return those of ``MEDIA_TYPES`` whose packages are installed."""
    return {suffix: kind for suffix, kind in MEDIA_TYPES.items() if not missing(PACKAGES[kind])}


def unpaged(markdown: str) -> tuple[str, str]:
    """Return the Markdown without page marks, and what ``PAGE_STARTS`` is of it; empty without any mark."""
    if PAGE_MARK not in markdown:
        return markdown, ""
    starts, text = list[int](), ""
    size = 0
    parts = list[str]()
    for page in markdown.split(PAGE_MARK):
        piece = page.strip("\n")
        gap = "\n\n" if parts and piece else ""
        starts.append(size + len(gap))
        if piece:
            parts.append(gap + piece)
            size += len((gap + piece).encode())
    text = "".join(parts)
    return text, " ".join(map(str, starts)) if text else ""


def page_number(starts: str, offset: int) -> int | None:
    """Return the page of the file at a byte offset of the content, from 1; ``None`` if it has no pages."""
    try:
        offsets = [int(start) for start in starts.split()]
    except ValueError:
        return None  # the source's own entry of that name
    return max(1, sum(start <= offset for start in offsets)) if offsets else None
