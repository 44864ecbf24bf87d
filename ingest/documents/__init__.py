"""Converts files that are not web pages to Markdown, with form feeds between their pages."""

from collections.abc import Mapping
from typing import Final

from ingest.packages import missing
from ingest.types import DOCX, ODT, PAGED_MARKDOWN, PDF, MediaType

EXTRA: Final = "documents"
PACKAGES: Final[Mapping[MediaType, tuple[str, ...]]] = {PDF: ("pypdfium2",), DOCX: (), ODT: ()}
"""The packages of the extra that are needed to read a media type."""

MEDIA_TYPES: Final[Mapping[str, MediaType]] = {".pdf": PDF, ".docx": DOCX, ".odt": ODT}
"""Media types of readable files, by suffix."""

PAGE_MARK: Final = "\f"
"""Separates pages in a converter's Markdown. Not ambiguous, because invisible characters are removed."""

PAGE_STARTS: Final = "page_starts"
"""The metadata key of the byte offsets where the pages of a file start, separated by blanks."""

FILE_TYPES: Final = frozenset(MEDIA_TYPES.values())
"""The media types of files, whose fields are base64."""

DOCUMENT_TYPES: Final = FILE_TYPES | {PAGED_MARKDOWN}


def readable() -> dict[str, MediaType]:
    """Return the entries of ``MEDIA_TYPES`` whose packages are installed."""
    return {suffix: kind for suffix, kind in MEDIA_TYPES.items() if not missing(PACKAGES[kind])}


def unpaged(markdown: str) -> tuple[str, str]:
    """Return the Markdown without page marks, and the value for ``PAGE_STARTS``; empty if there are none."""
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
    """Return the number of the file's page at a byte offset of the content, from 1, or None if it has no
    pages."""
    try:
        offsets = [int(start) for start in starts.split()]
    except ValueError:
        return None  # the source's own metadata under that key
    return max(1, sum(start <= offset for start in offsets)) if offsets else None
