"""Reads the metadata in a page's head."""

from dataclasses import dataclass
from itertools import islice
from typing import Final

from ingest.html.tree import Element, parse
from ingest.text import visible

READ_CHARACTERS: Final = 256 * 1024
"""Only the beginning of a page is parsed, because that happens in the caller's process, without a time
limit."""

SAMPLE_PIECES: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlMetadata:
    """A page's metadata; missing values are empty. ``language`` is as written (``en-GB``); ``sample``: enough
    of the visible text to detect its language."""

    title: str
    heading: str
    description: str
    keywords: str
    language: str
    canonical: str
    sample: str


def metadata(html: str) -> HtmlMetadata:
    """Read the title, first heading, description, keywords, language and canonical address of a page."""
    document = parse(html[:READ_CHARACTERS])
    heading = document.headings[0] if document.headings else Element("h1")
    language = document.language or document.meta.get("language", "") or document.meta.get("dc.language", "")
    return HtmlMetadata(
        title=_line(document.title),
        heading=_line("".join(heading.texts())),
        description=_line(document.meta.get("description", "")),
        keywords=_line(document.meta.get("keywords", "")),
        language=language.strip(),
        canonical=document.canonical.strip(),
        sample=_line(
            " ".join(islice((text for text in document.root.texts() if text.strip()), SAMPLE_PIECES))
        ),
    )


def _line(text: str) -> str:
    return " ".join(visible(text).split())
