"""The converter for HTML and XHTML."""

from typing import Final

from ingest import html
from ingest.types import RawField

MEDIA_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})


class HtmlConverter:
    """Converts a page's visible content to Markdown (see :func:`ingest.html.to_markdown`)."""

    version = html.VERSION

    def accepts(self, field: RawField) -> bool:
        return field.media_type in MEDIA_TYPES

    def convert(self, field: RawField, url: str) -> str:
        return html.to_markdown(field.text, url)
