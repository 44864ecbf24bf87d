"""The converter for HTML and XHTML."""

from typing import Final

from ingest.html.markdown import VERSION, to_markdown
from ingest.types import RawField

MEDIA_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})


class HtmlConverter:
    """Converts a page's visible content to Markdown (see :func:`ingest.html.markdown.to_markdown`)."""

    version = VERSION

    def accepts(self, field: RawField) -> bool:
        return field.media_type in MEDIA_TYPES

    def convert(self, field: RawField, url: str) -> str:
        return to_markdown(field.text, url)
