"""The converter for HTML and XHTML."""

from ingest import html
from ingest.types import RawField


class HtmlConverter:
    """Converts a page's visible content to Markdown (see :func:`ingest.html.to_markdown`)."""

    version = html.VERSION

    def accepts(self, field: RawField) -> bool:
        return field.is_html

    def convert(self, field: RawField, url: str) -> str:
        return html.to_markdown(field.text, url)
