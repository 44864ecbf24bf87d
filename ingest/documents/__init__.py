"""Documents that are no web pages: bytes of a file into Markdown, whose pages are divided by form feeds."""

from typing import Final

from ingest.types import PAGED_MARKDOWN, PDF, MediaType

EXTRA: Final = "documents"
PACKAGES: Final = ("pypdfium2",)

MEDIA_TYPES: Final[dict[str, MediaType]] = {".pdf": PDF}
"""Suffix -> media type of the files that are read."""

PAGE_MARK: Final = "\f"
"""Divides the pages in a converter's Markdown; nothing else has it, as it is not visible."""

PAGE_STARTS: Final = "page_starts"
"""The key in a page's metadata of the byte offsets at which its file's pages start, with blanks between."""

DOCUMENT_TYPES: Final = frozenset({PAGED_MARKDOWN, *MEDIA_TYPES.values()})


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
