"""The converter for HTML and XHTML."""

from ingest.html import VERSION, to_markdown
from ingest.types import RawField


class HtmlConverter:
    """Converts a page's visible content to Markdown (see :func:`ingest.html.markdown.to_markdown`)."""

    version = VERSION

    def accepts(self, field: RawField) -> bool:
        return field.is_html

    def convert(self, field: RawField, url: str) -> str:
        return to_markdown(field.text, url)
